package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Operations on folders that are modified concurrently: files that vanish or are not accessible
/// are skipped.
public final class Folders {
  private static final Set<PosixFilePermission> ALL_OF_THE_OWNER =
      PosixFilePermissions.fromString("rwx------");

  private static final int DEEPEST = 50;

  private Folders() {}

  /// Creates a folder and its missing parents, accessible to this user only.
  static void createPrivately(Path folder) throws IOException {
    if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectories(folder);
    }
  }

  /// Writes a text to a file that is accessible to this user only if it is new.
  static void writePrivately(Path file, String text) throws IOException {
    if (!Files.exists(file)
        && file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.writeString(file, text);
  }

  /// The size of a folder.
  ///
  /// @param bytes of all files that can be found
  /// @param entries the number of files, folders and links that can be found, which take inodes
  /// @param isWhole false if there are folders that cannot be read, or are too deep for a path, in
  ///   which there may be any number of bytes
  record Extent(long bytes, long entries, boolean isWhole) {
    static final Extent NOTHING = new Extent(0, 0, true);

    Extent plus(Extent more) {
      return new Extent(bytes + more.bytes, entries + more.entries, isWhole && more.isWhole);
    }
  }

  /// Measures a folder; links are not followed.
  static Extent extent(Path folder) throws IOException {
    var sum = new long[1];
    var entries = new long[1];
    var hides = new boolean[1];
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
            entries[0]++;
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            sum[0] += DiskSpace.of(file, attributes.size());
            entries[0]++;
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            hides[0] |= !(e instanceof NoSuchFileException);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    return new Extent(sum[0], entries[0], !hides[0]);
  }

  /// Makes folders below another one. What is not a folder on the way, such as a link, is replaced.
  ///
  /// @param place relative path of the innermost one
  /// @return its path
  static Path createBelow(Path base, Path place) throws IOException {
    var path = base;
    for (var name : place) {
      path = path.resolve(name);
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        Files.deleteIfExists(path);
        Files.createDirectory(
            path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    }
    return path;
  }

  /// Writes a new file, accessible to this user only, below a folder that others control. Replaces
  /// what is in its place, and links and files on the way to it; follows no link below the folder.
  ///
  /// @param place relative path of the file
  public static void writeBelow(Path base, Path place, byte[] content) throws IOException {
    var above = place.getParent();
    if (above != null) {
      createBelow(base, above);
    }
    var _ =
        below(
            base,
            place,
            (folder, name) -> {
              delete(folder, name, base.resolve(place));
              try (var channel =
                  folder.newByteChannel(
                      name,
                      Set.of(
                          StandardOpenOption.CREATE_NEW,
                          StandardOpenOption.WRITE,
                          LinkOption.NOFOLLOW_LINKS),
                      PosixFilePermissions.asFileAttribute(
                          PosixFilePermissions.fromString("rw-------")))) {
                var bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                  channel.write(bytes);
                }
              }
              return true;
            });
  }

  /// Reads a file below a folder that others control. Follows no link below the folder.
  ///
  /// @param place relative path of the file
  /// @param most the size in bytes above which a file is not read
  /// @return empty unless it is a regular file
  public static Optional<byte[]> readBelow(Path base, Path place, int most) throws IOException {
    return below(
            base,
            place,
            (folder, name) -> {
              // Opening anything else, such as a pipe, could wait for ever.
              if (!attributes(folder, name).filter(it -> it.isRegularFile()).isPresent()) {
                return Optional.<byte[]>empty();
              }
              try (var channel =
                  folder.newByteChannel(
                      name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
                var content = Channels.newInputStream(channel).readNBytes(most + 1);
                return Optional.of(content).filter(it -> it.length <= most);
              }
            })
        .flatMap(content -> content);
  }

  /// Deletes what is at a place below a folder that others control, recursively. Follows no link
  /// below the folder: where one is on the way, nothing is deleted.
  ///
  /// @param place relative path
  public static void deleteBelow(Path base, Path place) throws IOException {
    var _ =
        below(
            base,
            place,
            (folder, name) -> {
              delete(folder, name, base.resolve(place));
              return true;
            });
  }

  /// Deletes a folder recursively, if it exists. Links are deleted, not followed, also where others
  /// put them while it deletes.
  public static void delete(Path folder) throws IOException {
    var absolute = folder.toAbsolutePath().normalize();
    var above = absolute.getParent();
    if (above != null && Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
      deleteBelow(above, absolute.getFileName());
    }
  }

  @FunctionalInterface
  private interface Use<T> {
    T in(SecureDirectoryStream<Path> folder, Path name) throws IOException;
  }

  /// Opens the folders on the way to a place one by one.
  ///
  /// @return empty if one of them does not exist, or is no folder
  @SuppressWarnings("StreamResourceLeak") // all of them are closed at the end
  private static <T> Optional<T> below(Path base, Path place, Use<T> use) throws IOException {
    if (place.isAbsolute() || !place.normalize().equals(place) || place.startsWith("..")) {
      throw new IOException("Not a path below a folder: " + place);
    }
    var opened = new ArrayDeque<SecureDirectoryStream<Path>>();
    try {
      opened.push(secure(Files.newDirectoryStream(base)));
      for (int i = 0; i < place.getNameCount() - 1; i++) {
        var name = place.getName(i);
        if (!attributes(opened.element(), name).filter(it -> it.isDirectory()).isPresent()) {
          return Optional.empty();
        }
        opened.push(opened.element().newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
      }
      return Optional.of(use.in(opened.element(), place.getFileName()));
    } finally {
      for (var each : opened) {
        each.close();
      }
    }
  }

  private static void delete(SecureDirectoryStream<Path> parent, Path name, Path path)
      throws IOException {
    var attributes = attributes(parent, name);
    if (attributes.isEmpty()) {
      return;
    }
    try {
      if (!attributes.get().isDirectory()) {
        parent.deleteFile(name);
        return;
      }
      // Folders that are too deep are moved up, so that neither paths nor the stack nor the open
      // files come to their limits.
      var moved = new int[1];
      do {
        moved[0] = 0;
        try (var top = open(parent, name, path)) {
          deleteContent(top, top, path, 0, moved);
        }
      } while (moved[0] > 0);
      parent.deleteDirectory(name);
    } catch (NoSuchFileException _) {
      // Somebody else has deleted it.
    }
  }

  private static void deleteContent(
      SecureDirectoryStream<Path> folder,
      SecureDirectoryStream<Path> top,
      Path path,
      int depth,
      int[] moved)
      throws IOException {
    for (var entry : folder) {
      var name = entry.getFileName();
      try {
        if (!attributes(folder, name).filter(it -> it.isDirectory()).isPresent()) {
          folder.deleteFile(name);
        } else if (depth == DEEPEST) {
          folder.move(name, top, Path.of("." + UUID.randomUUID()));
          moved[0]++;
        } else {
          try (var inner = open(folder, name, path.resolve(name))) {
            deleteContent(inner, top, path.resolve(name), depth + 1, moved);
          }
          folder.deleteDirectory(name);
        }
      } catch (NoSuchFileException _) {
        // Somebody else has deleted it.
      }
    }
  }

  /// Opens a folder, with the permissions that package managers remove from theirs.
  private static SecureDirectoryStream<Path> open(
      SecureDirectoryStream<Path> parent, Path name, Path path) throws IOException {
    SecureDirectoryStream<Path> folder;
    try {
      folder = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    } catch (AccessDeniedException e) {
      // Only what can be read can be opened, and only what is open can be changed without its path.
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
      Files.setPosixFilePermissions(path, ALL_OF_THE_OWNER);
      folder = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    }
    var view = folder.getFileAttributeView(PosixFileAttributeView.class);
    if (view != null && !view.readAttributes().permissions().containsAll(ALL_OF_THE_OWNER)) {
      view.setPermissions(ALL_OF_THE_OWNER);
    }
    return folder;
  }

  private static Optional<BasicFileAttributes> attributes(
      SecureDirectoryStream<Path> folder, Path name) throws IOException {
    try {
      return Optional.of(
          folder
              .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              .readAttributes());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /// @throws IOException on systems that cannot open files relative to a folder
  private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream)
      throws IOException {
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    stream.close();
    throw new IOException("This system cannot open files without following links");
  }
}
