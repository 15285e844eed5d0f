package dev.runnel.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// The folder of the embedded database, the workspaces and the generated key. One process at a time
/// works on it.
final class DataFolder implements AutoCloseable {
  private static final String KEY_FILE = "agent-api-key";
  private static final int KEY_BYTES = 24;

  private final Path folder;
  private final FileChannel lockFile;

  private DataFolder(Path folder, FileChannel lockFile) {
    this.folder = folder;
    this.lockFile = lockFile;
  }

  static DataFolder open(Path folder) {
    try {
      createPrivately(folder);
      var lockFile =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (lock(lockFile) == null) {
        lockFile.close();
        throw new SettingsException(
            "Another Runnel works on the data folder %s. Stop it, or choose another folder with"
                    .formatted(folder)
                + " RUNNEL_DATA or --data.");
      }
      return new DataFolder(folder, lockFile);
    } catch (IOException e) {
      throw new SettingsException(
          "The data folder %s cannot be used: %s. Choose another with RUNNEL_DATA or --data."
              .formatted(folder, why(e)));
    }
  }

  /// Prompts, transcripts and workspaces are nobody else's. A folder that is there stays as it is.
  private static void createPrivately(Path folder) throws IOException {
    if (isPosix(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectories(folder);
    }
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  private static String why(IOException e) {
    return switch (e) {
      case FileAlreadyExistsException _ -> "a file has that name";
      case AccessDeniedException _ -> "it cannot be written";
      default -> String.valueOf(e.getMessage());
    };
  }

  private static @Nullable FileLock lock(FileChannel file) throws IOException {
    try {
      return file.tryLock();
    } catch (OverlappingFileLockException sameProcess) {
      return null;
    }
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  /// The embedded service's key: made at the first start, readable by its owner alone.
  static String key(Path folder) {
    var file = folder.resolve(KEY_FILE);
    try {
      if (Files.exists(file)) {
        return checked(Files.readString(file).strip(), file);
      }
      var bytes = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(bytes);
      var key = "wk-" + HexFormat.of().formatHex(bytes);
      if (isPosix(file)) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      Files.writeString(file, key + "\n");
      return key;
    } catch (FileAlreadyExistsException e) {
      return key(folder);
    } catch (IOException e) {
      throw new SettingsException(
          "The key file %s cannot be read. Give it to the user that Runnel runs as, or delete it and start Runnel again."
              .formatted(file));
    }
  }

  private static String checked(String key, Path file) {
    if (!Config.isKey(key)) {
      throw new SettingsException(
          "The key in %s is damaged. Delete the file and start Runnel again: it makes a new one."
              .formatted(file));
    }
    return key;
  }

  Path path() {
    return folder;
  }

  @Override
  public void close() {
    try {
      lockFile.close();
    } catch (IOException e) {
      throw new UncheckedIOException("The data folder's lock cannot be let go", e);
    }
  }
}
