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

/// Files and folders that no other account may look into. Where a file system has no such
/// permissions, they are as all others.
public final class OwnerOnly {
  private static final Logger log = LoggerFactory.getLogger(OwnerOnly.class);
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");

  private OwnerOnly() {}

  /// Makes a folder with all above it that are missing; what is there stays as it is.
  public static void createFolders(Path folder) throws IOException {
    Files.createDirectories(folder, attributes(folder, FOLDER));
  }

  /// Makes an empty file if there is none.
  ///
  /// @return false when there is one, which stays as it is
  public static boolean createFile(Path file) throws IOException {
    try {
      Files.createFile(file, attributes(file, FILE));
      return true;
    } catch (FileAlreadyExistsException _) {
      return false;
    }
  }

  /// Closes what is there to others; does nothing for what is not. A file that belongs to another
  /// account cannot be closed, and may be used all the same.
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
      log.warn("other accounts may be able to read it path={} error={}", path, e.toString());
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
