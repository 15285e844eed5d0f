package dev.runnel.store;

import dev.runnel.database.Database;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/// The tasks of the scheduler. On a database server they are in the database, because nodes share
/// them. With an embedded database they are in memory: only one process works on the file, and its
/// first sweep schedules all rows, so tasks need not wait for the disk.
final class SchedulerTables implements AutoCloseable {
  /// The migration that creates the table on a database server.
  private static final String SCRIPT = "/db/bot/V1__inbox_bindings_outbox.sql";

  private final Database database;
  private final boolean isOwn;

  private SchedulerTables(Database database, boolean isOwn) {
    this.database = database;
    this.isOwn = isOwn;
  }

  /// @param rows the database with the rows that the tasks process
  static SchedulerTables of(Database rows) {
    if (!rows.isEmbedded()) {
      return new SchedulerTables(rows, false);
    }
    var memory = Database.inMemory();
    memory.write(
        tasks -> {
          for (var statement : statements()) {
            tasks.change(statement);
          }
          return true;
        });
    return new SchedulerTables(memory, true);
  }

  /// The statements that create the table and its indexes.
  private static List<String> statements() {
    try (var script =
        Objects.requireNonNull(
            SchedulerTables.class.getResourceAsStream(SCRIPT), "the migrations are packaged")) {
      var text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      return Stream.of(text.split(";\n", -1))
          .filter(statement -> statement.contains("scheduled_tasks"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + SCRIPT, e);
    }
  }

  DataSource dataSource() {
    return database.dataSource();
  }

  Database database() {
    return database;
  }

  /// The instances of the task from one id to another, with whether each is running or is to be
  /// repeated after a failure.
  Map<String, Boolean> instances(String task, String first, String last) {
    // A connection for reading would open another database in memory.
    return database.write(
        rows ->
            rows
                .list(
                    "SELECT task_instance, picked, consecutive_failures FROM scheduled_tasks WHERE"
                        + " task_name = ? AND task_instance >= ? AND task_instance <= ?",
                    row -> Map.entry(row.getString(1), row.getBoolean(2) || row.getInt(3) > 0),
                    task,
                    first,
                    last)
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  @Override
  public void close() {
    if (isOwn) {
      database.close();
    }
  }
}
