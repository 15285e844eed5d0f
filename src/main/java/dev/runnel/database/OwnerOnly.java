package dev.runnel.database;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates files and folders that no other account can access. On file systems without POSIX
/// permissions, they get the default permissions.
public final class OwnerOnly {
  private static final Logger log = LoggerFactory.getLogger(OwnerOnly.class);
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");

  private OwnerOnly() {}

  /// Creates a folder and its missing parents; existing ones stay unchanged.
  public static void createFolders(Path folder) throws IOException {
    Files.createDirectories(folder, attributes(folder, FOLDER));
  }

  /// Creates an empty file if there is none.
  ///
  /// @return false if it exists; it stays unchanged
  public static boolean createFile(Path file) throws IOException {
    try {
      Files.createFile(file, attributes(file, FILE));
      return true;
    } catch (FileAlreadyExistsException _) {
      return false;
    }
  }

  /// Removes other accounts' permissions from an existing path; does nothing if it does not exist.
  /// The permissions of another account's file cannot be changed; that is logged and ignored.
  public static void close(Path path) {
    if (!isPosix(path) || !Files.exists(path)) {
      return;
    }
    try {
      var wanted = Files.isDirectory(path) ? FOLDER : FILE;
      if (!Files.getPosixFilePermissions(path).equals(wanted)) {
        Files.setPosixFilePermissions(path, wanted);
      }
    } catch (IOException e) {
      log.warn(
          "permissions not restricted, other accounts may have access path={} error={}",
          path,
          e.toString());
    }
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return isPosix(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
