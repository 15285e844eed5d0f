package dev.runnel.store;

import dev.runnel.database.Database;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;

/// The tasks of the scheduler. On a database server they are in the database, because nodes share
/// them. With an embedded database they are in memory: only one process works on the file, and its
/// first sweep schedules all rows, so tasks need not wait for the disk.
final class ScheduledTasks implements AutoCloseable {
  /// As in the first migration of the bot.
  private static final String TABLE =
      """
      CREATE TABLE scheduled_tasks (
        task_name            TEXT NOT NULL,
        task_instance        TEXT NOT NULL,
        task_data            BYTEA,
        execution_time       TIMESTAMP WITH TIME ZONE NOT NULL,
        picked               BOOLEAN NOT NULL,
        picked_by            TEXT,
        last_success         TIMESTAMP WITH TIME ZONE,
        last_failure         TIMESTAMP WITH TIME ZONE,
        consecutive_failures INTEGER,
        last_heartbeat       TIMESTAMP WITH TIME ZONE,
        version              BIGINT NOT NULL,
        priority             SMALLINT,
        PRIMARY KEY (task_name, task_instance)
      )\
      """;

  private static final String INDEX =
      "CREATE INDEX scheduled_tasks_execution_time ON scheduled_tasks (execution_time)";

  private final Database database;
  private final boolean isOwn;

  private ScheduledTasks(Database database, boolean isOwn) {
    this.database = database;
    this.isOwn = isOwn;
  }

  /// @param rows the database with the rows that the tasks process
  static ScheduledTasks of(Database rows) {
    if (!rows.isEmbedded()) {
      return new ScheduledTasks(rows, false);
    }
    var memory = Database.inMemory();
    memory.write(
        tasks -> {
          tasks.change(TABLE);
          return tasks.change(INDEX);
        });
    return new ScheduledTasks(memory, true);
  }

  DataSource dataSource() {
    return database.dataSource();
  }

  Database database() {
    return database;
  }

  /// The instances of the task that are scheduled or running.
  Set<String> instances(String task) {
    // A connection for reading would open another database in memory.
    return database.write(
        rows ->
            new HashSet<>(
                rows.list(
                    "SELECT task_instance FROM scheduled_tasks WHERE task_name = ?",
                    row -> row.getString(1),
                    task)));
  }

  @Override
  public void close() {
    if (isOwn) {
      database.close();
    }
  }
}
