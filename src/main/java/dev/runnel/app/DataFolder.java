package dev.runnel.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
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
      Files.createDirectories(folder);
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
              .formatted(folder, e.getMessage()));
    }
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
        return Files.readString(file).strip();
      }
      var bytes = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(bytes);
      var key = "wk-" + HexFormat.of().formatHex(bytes);
      if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      Files.writeString(file, key + "\n");
      return key;
    } catch (FileAlreadyExistsException e) {
      return key(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("The key file " + file + " cannot be used", e);
    }
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
