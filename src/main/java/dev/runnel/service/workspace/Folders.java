package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
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
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Operations on folders that others modify concurrently: files that disappear or are not
/// accessible are skipped.
public final class Folders {
  /// For a new folder that is accessible to this user only.
  public static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /// For a new file that is accessible to this user only.
  public static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final Set<PosixFilePermission> OWNER_ONLY = PRIVATE_FOLDER.value();

  /// Minimum size of a file, folder or link on most disks.
  private static final long MIN_ENTRY_BYTES = 4096;

  private static final int MAX_DEPTH = 50;

  private Folders() {}

  /// Creates a folder and its missing parents, accessible to this user only.
  static void createPrivately(Path folder) throws IOException {
    if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectories(folder, PRIVATE_FOLDER);
    } else {
      Files.createDirectories(folder);
    }
  }

  /// Writes a text to a file that is accessible to this user only if it is new.
  static void writePrivately(Path file, String text) throws IOException {
    if (!Files.exists(file)
        && file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(file, PRIVATE_FILE);
    }
    Files.writeString(file, text);
  }

  /// Creates a file that is accessible to this user only.
  ///
  /// @throws IOException if it exists, also as a link
  public static void createFile(Path file, byte[] content) throws IOException {
    try (var channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), PRIVATE_FILE)) {
      writeAll(channel, content);
    }
  }

  private static void writeAll(WritableByteChannel channel, byte[] content) throws IOException {
    var bytes = ByteBuffer.wrap(content);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /// The size of a folder.
  ///
  /// @param bytes total size of all files that could be read
  /// @param entries number of files, folders and links, each of which uses an inode
  /// @param isComplete false if some folders could not be read or their path is too long, so that
  ///   the actual size may be larger
  record Extent(long bytes, long entries, boolean isComplete) {
    static final Extent NOTHING = new Extent(0, 0, true);

    long chargedBytes() {
      return Math.max(bytes, entries * MIN_ENTRY_BYTES);
    }

    Extent plus(Extent more) {
      return new Extent(bytes + more.bytes, entries + more.entries, isComplete && more.isComplete);
    }
  }

  /// The size of a folder that counts toward a limit: each file, folder and link counts as at least
  /// [#MIN_ENTRY_BYTES]. So the limit also bounds the number of inodes: a disk without free inodes
  /// would stop all runs, as a full disk does.
  public static long chargedBytes(Path folder) throws IOException {
    return extent(folder).chargedBytes();
  }

  /// Measures a folder; links are not followed.
  static Extent extent(Path folder) throws IOException {
    var bytes = new long[1];
    var entries = new long[1];
    var hasUnreadable = new boolean[1];
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
            bytes[0] += DiskSpace.of(file, attributes.size());
            entries[0]++;
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            hasUnreadable[0] |= !(e instanceof NoSuchFileException);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    return new Extent(bytes[0], entries[0], !hasUnreadable[0]);
  }

  /// Creates folders below another one. Anything else on the path, such as a link, is replaced by a
  /// folder.
  ///
  /// @param relativePath path of the innermost folder
  /// @param owner the owner of the created folders
  /// @return its path
  public static Path createBelow(Path base, Path relativePath, AgentUser owner) throws IOException {
    var path = base;
    for (var name : relativePath) {
      path = path.resolve(name);
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        Files.deleteIfExists(path);
        Files.createDirectory(path, PRIVATE_FOLDER);
        var _ =
            inParent(
                base,
                base.relativize(path),
                (parent, created) -> {
                  try (var folder = parent.newDirectoryStream(created, LinkOption.NOFOLLOW_LINKS)) {
                    owner.own(folder.getFileAttributeView(PosixFileAttributeView.class));
                  }
                  return true;
                });
      }
    }
    return path;
  }

  /// Writes a new file, accessible to this user only, below a folder that others control. Replaces
  /// an existing file, and links and files on the path to it; follows no link below the folder.
  ///
  /// @param relativePath path of the file
  /// @param owner the owner of the file and of the created folders
  public static void writeBelow(Path base, Path relativePath, byte[] content, AgentUser owner)
      throws IOException {
    var parent = relativePath.getParent();
    if (parent != null) {
      createBelow(base, parent, owner);
    }
    var _ =
        inParent(
            base,
            relativePath,
            (folder, name) -> {
              delete(folder, name, base.resolve(relativePath));
              try (var channel =
                  folder.newByteChannel(
                      name,
                      Set.of(
                          StandardOpenOption.CREATE_NEW,
                          StandardOpenOption.WRITE,
                          LinkOption.NOFOLLOW_LINKS),
                      PRIVATE_FILE)) {
                writeAll(channel, content);
              }
              owner.own(
                  folder.getFileAttributeView(
                      name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
              return true;
            });
  }

  /// Reads a file below a folder that others control. Follows no link below the folder.
  ///
  /// @param relativePath path of the file
  /// @param maxBytes the size in bytes above which a file is not read
  /// @return empty unless it is a regular file
  public static Optional<byte[]> readBelow(Path base, Path relativePath, int maxBytes)
      throws IOException {
    return inParent(
            base,
            relativePath,
            (folder, name) -> {
              // Opening anything else, such as a pipe, could block forever.
              if (!attributes(folder, name).filter(it -> it.isRegularFile()).isPresent()) {
                return Optional.<byte[]>empty();
              }
              try (var channel =
                  folder.newByteChannel(
                      name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
                var content = Channels.newInputStream(channel).readNBytes(maxBytes + 1);
                return Optional.of(content).filter(it -> it.length <= maxBytes);
              }
            })
        .flatMap(content -> content);
  }

  /// Deletes a file or folder below a folder that others control, recursively. Follows no link
  /// below the folder: if there is one on the path, nothing is deleted.
  ///
  /// @param relativePath path to delete
  public static void deleteBelow(Path base, Path relativePath) throws IOException {
    var _ =
        inParent(
            base,
            relativePath,
            (folder, name) -> {
              delete(folder, name, base.resolve(relativePath));
              return true;
            });
  }

  /// Deletes a folder recursively, if it exists. Links are deleted, not followed, even if others
  /// create them meanwhile.
  public static void delete(Path folder) throws IOException {
    var absolute = folder.toAbsolutePath().normalize();
    var parent = absolute.getParent();
    if (parent != null && Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
      deleteBelow(parent, absolute.getFileName());
    }
  }

  @FunctionalInterface
  private interface Action<T> {
    T in(SecureDirectoryStream<Path> folder, Path name) throws IOException;
  }

  /// Opens the parent folders of a path one by one, and calls the action with the last one.
  ///
  /// @return empty if one of them does not exist or is not a folder
  @SuppressWarnings("StreamResourceLeak") // all of them are closed at the end
  private static <T> Optional<T> inParent(Path base, Path relativePath, Action<T> action)
      throws IOException {
    if (relativePath.isAbsolute()
        || !relativePath.normalize().equals(relativePath)
        || relativePath.startsWith("..")) {
      throw new IOException("Not a path below a folder: " + relativePath);
    }
    var opened = new ArrayDeque<SecureDirectoryStream<Path>>();
    try {
      opened.push(secure(Files.newDirectoryStream(base)));
      for (int i = 0; i < relativePath.getNameCount() - 1; i++) {
        var name = relativePath.getName(i);
        if (!attributes(opened.element(), name).filter(it -> it.isDirectory()).isPresent()) {
          return Optional.empty();
        }
        opened.push(opened.element().newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
      }
      return Optional.of(action.in(opened.element(), relativePath.getFileName()));
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
      // Folders that are nested too deeply are moved up, so that the limits of path length, stack
      // and open files are not reached.
      var moved = new int[1];
      do {
        moved[0] = 0;
        try (var top = open(parent, name, path)) {
          deleteContent(top, top, path, 0, moved);
        }
      } while (moved[0] > 0);
      parent.deleteDirectory(name);
    } catch (NoSuchFileException _) {
      // It was deleted concurrently.
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
        } else if (depth == MAX_DEPTH) {
          folder.move(name, top, Path.of("." + UUID.randomUUID()));
          moved[0]++;
        } else {
          try (var inner = open(folder, name, path.resolve(name))) {
            deleteContent(inner, top, path.resolve(name), depth + 1, moved);
          }
          folder.deleteDirectory(name);
        }
      } catch (NoSuchFileException _) {
        // It was deleted concurrently.
      }
    }
  }

  /// Opens a folder, and restores permissions that package managers remove from their folders.
  private static SecureDirectoryStream<Path> open(
      SecureDirectoryStream<Path> parent, Path name, Path path) throws IOException {
    SecureDirectoryStream<Path> folder;
    try {
      folder = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    } catch (AccessDeniedException e) {
      // An unreadable folder cannot be opened, so its permissions must be changed by its path.
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
      Files.setPosixFilePermissions(path, OWNER_ONLY);
      folder = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
    }
    var view = folder.getFileAttributeView(PosixFileAttributeView.class);
    if (view != null && !view.readAttributes().permissions().containsAll(OWNER_ONLY)) {
      view.setPermissions(OWNER_ONLY);
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
