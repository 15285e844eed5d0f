package dev.runnel.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/// Unpacks SQLite's native library once. The driver would unpack it into the temporary folder at
/// each start, and leave it there if the process is killed.
final class SqliteLibrary {
  /// The folder beside the database.
  static final String FOLDER = "libraries";

  /// The driver's setting: the folder in which it looks for the library first.
  private static final String PATH = "org.sqlite.lib.path";

  private static final Logger log = LoggerFactory.getLogger(SqliteLibrary.class);

  private SqliteLibrary() {}

  /// Makes the driver load the library from the folder, unless another one is configured. If the
  /// library cannot be unpacked or loaded there, the driver unpacks it as usual.
  ///
  /// @param folder of the database file
  static void unpack(Path folder) {
    if (System.getProperty(PATH) != null) {
      return;
    }
    var name = LibraryLoaderUtil.getNativeLibName();
    var home = folder.resolve(FOLDER).resolve("sqlite-" + SQLiteJDBCLoader.getVersion());
    try {
      if (!Files.exists(home.resolve(name))) {
        unpack(LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name, home, name);
      }
      System.setProperty(PATH, home.toAbsolutePath().toString());
    } catch (IOException e) {
      log.warn(
          "native library not unpacked, the driver does it folder={} why={}", folder, e.toString());
    }
  }

  /// Renames the file when it is complete, because two processes may unpack it at the same time, or
  /// be interrupted.
  private static void unpack(String resource, Path home, String name) throws IOException {
    OwnerOnly.createFolders(home);
    var part = Files.createTempFile(home, "unpacking", "");
    try (var library = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
      if (library == null) {
        throw new IOException("The driver has no library for this machine");
      }
      Files.copy(library, part, StandardCopyOption.REPLACE_EXISTING);
      try (var file = FileChannel.open(part, StandardOpenOption.WRITE)) {
        file.force(true);
      }
      OwnerOnly.close(part);
      Files.move(part, home.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
