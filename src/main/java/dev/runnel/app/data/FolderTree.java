package dev.runnel.app.data;

import dev.runnel.database.OwnerOnly;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Copies folders. Copies are accessible to their owner only, and flushed to disk.
public final class FolderTree {
  /// The copied files, by paths relative to the destination.
  final Map<String, String> files = new HashMap<>();

  final Map<String, String> links = new HashMap<>();
  final Map<String, String> folders = new HashMap<>();
  final Map<String, String> executables = new HashMap<>();

  /// What the copy lacks, one sentence each.
  final List<String> notes = new ArrayList<>();

  private final Path destination;
  private final Source source;

  /// Opens a file to copy it.
  @FunctionalInterface
  interface Source {
    InputStream open(Path file) throws IOException;
  }

  FolderTree(Path destination) {
    this(destination, FolderTree::open);
  }

  FolderTree(Path destination, Source source) {
    this.destination = destination;
    this.source = source;
  }

  /// Does not follow links, because a running agent may replace its file by one.
  private static InputStream open(Path file) throws IOException {
    return Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
  }

  /// Copies a file, or a folder with its content. Omits files that disappear meanwhile, because
  /// agents may be running, and sockets and pipes. Notes files that cannot be read.
  ///
  /// @throws IOException if the file or the folder itself cannot be read
  void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes)
              throws IOException {
            var target = to.resolve(from.relativize(each).toString());
            OwnerOnly.createFolders(target);
            folders.put(name(target), "");
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            var target = each.equals(from) ? to : to.resolve(from.relativize(each).toString());
            if (attributes.isSymbolicLink()) {
              var aim = Files.readSymbolicLink(each);
              Files.createSymbolicLink(target, aim);
              links.put(name(target), aim.toString());
            } else if (attributes.isRegularFile()) {
              try (var input = source.open(each)) {
                write(input, target);
              } catch (NoSuchFileException gone) {
                return FileVisitResult.CONTINUE;
              } catch (AccessDeniedException e) {
                note(each, e);
                return FileVisitResult.CONTINUE;
              }
              files.put(name(target), BackupManifest.sum(target));
              if (Files.isExecutable(each)) {
                executables.put(name(target), "");
              }
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path each, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            note(each, e);
            return FileVisitResult.CONTINUE;
          }

          private void note(Path each, IOException e) throws IOException {
            if (each.equals(from) || !(e instanceof AccessDeniedException)) {
              throw e;
            }
            notes.add("%s cannot be read, and is not in the backup.".formatted(each));
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e)
              throws IOException {
            if (e != null && !(e instanceof NoSuchFileException)) {
              throw e;
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private String name(Path target) {
    return BackupManifest.name(destination.relativize(target));
  }

  /// Copies one file; its permissions are not copied.
  static void copyFile(Path from, Path to) throws IOException {
    try (var input = open(from)) {
      write(input, to);
    }
  }

  private static void write(InputStream input, Path to) throws IOException {
    OwnerOnly.createFile(to);
    try (var output = FileChannel.open(to, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      input.transferTo(Channels.newOutputStream(output));
      output.force(true);
    }
  }

  /// Lets the owner execute a file.
  static void allowToExecute(Path file) throws IOException {
    if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      var permissions = Files.getPosixFilePermissions(file);
      permissions.add(PosixFilePermission.OWNER_EXECUTE);
      Files.setPosixFilePermissions(file, permissions);
    }
  }

  /// Writes the names in a folder to disk.
  static void force(Path folder) throws IOException {
    try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException notSupported) {
      // Not every file system supports it.
    }
  }
}
