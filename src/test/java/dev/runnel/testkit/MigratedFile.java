package dev.runnel.testkit;

import dev.runnel.database.Database;
import dev.runnel.database.Schema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// SQLite files that have their tables already: they are made once, by the real migrations, and
/// copied, for to make them takes longer than most tests.
public final class MigratedFile {
  private static final Map<Schema, byte[]> MADE = new ConcurrentHashMap<>();

  private MigratedFile() {}

  /// Opens a file, which is new unless it is there.
  ///
  /// @param schema of its tables
  public static Database open(Path file, Schema schema) {
    try {
      write(file, schema);
      return Database.sqlite(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes it, unless it is there.
  static void write(Path file, Schema schema) throws IOException {
    if (!Files.exists(file)) {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(file, MADE.computeIfAbsent(schema, MigratedFile::make));
    }
  }

  private static byte[] make(Schema schema) {
    try {
      var file = Files.createTempFile("migrated", ".db");
      Files.delete(file);
      Database.sqlite(file).migrate(schema).close();
      var bytes = Files.readAllBytes(file);
      Files.delete(file);
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
