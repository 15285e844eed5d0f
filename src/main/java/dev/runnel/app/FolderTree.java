package dev.runnel.app;

import dev.runnel.database.OwnerOnly;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Copies folders. Copies are accessible to their owner only, and on disk.
final class FolderTree {
  /// What was copied, by paths relative to the destination.
  final Map<String, String> files = new HashMap<>();

  final Map<String, String> links = new HashMap<>();
  final Map<String, String> folders = new HashMap<>();
  final Map<String, String> executables = new HashMap<>();

  private final Path destination;

  FolderTree(Path destination) {
    this.destination = destination;
  }

  /// Copies a file, or a folder with all that is in it. What disappears meanwhile is left out:
  /// agents may be at work in it. Sockets and pipes are left out, too.
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
              try {
                copyFile(each, target);
              } catch (NoSuchFileException gone) {
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
            throw e;
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
    return destination.relativize(target).toString().replace('\\', '/');
  }

  /// Copies one file; its permissions are not copied.
  static void copyFile(Path from, Path to) throws IOException {
    // An agent at work may replace its file by a link.
    try (var input = Files.newInputStream(from, LinkOption.NOFOLLOW_LINKS)) {
      OwnerOnly.createFile(to);
      try (var output = FileChannel.open(to, StandardOpenOption.WRITE)) {
        input.transferTo(Channels.newOutputStream(output));
        output.force(true);
      }
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
      // Not every file system can.
    }
  }
}
