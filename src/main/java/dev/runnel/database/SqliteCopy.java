package dev.runnel.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/// Copies and maintains the file of an embedded database, possibly while another process uses it.
public final class SqliteCopy {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private SqliteCopy() {}

  /// Writes a consistent copy that only its owner can read. It is on disk when this returns. Others
  /// can use the database meanwhile.
  ///
  /// @param to must not exist
  public static void copy(Path from, Path to) {
    try {
      OwnerOnly.createFile(to);
      try (var connection = open(from);
          var statement = connection.prepareStatement("VACUUM INTO ?")) {
        statement.setString(1, to.toString());
        statement.execute();
      }
      try (var file = FileChannel.open(to, StandardOpenOption.WRITE)) {
        file.force(true);
      }
    } catch (SQLException e) {
      throw new DatabaseException("The database cannot be copied: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException("The copy " + to + " cannot be written", e);
    }
  }

  /// Runs statements on a file that no process uses; it stays a single file.
  public static void change(Path file, List<String> statements) {
    try (var connection = open(file);
        var statement = connection.createStatement()) {
      for (var each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new DatabaseException("The copy cannot be changed: " + e.getMessage(), e);
    }
  }

  /// The version of the newest migration that the file has.
  public static String version(Path file) {
    try (var connection = open(file);
        var statement = connection.createStatement();
        var result =
            statement.executeQuery(
                "SELECT version FROM flyway_schema_history WHERE version IS NOT NULL AND success"
                    + " ORDER BY installed_rank DESC LIMIT 1")) {
      return result.next() ? result.getString(1) : "";
    } catch (SQLException e) {
      throw new DatabaseException("The database cannot be read: " + e.getMessage(), e);
    }
  }

  /// Overwrites deleted data in the file and in its log. Writers wait meanwhile.
  ///
  /// @throws DatabaseException if it was not overwritten, for example because another process reads
  ///   the database for longer than ten seconds
  public static void scrub(Path file) {
    scrub(file, TIMEOUT);
  }

  /// @param timeout how long to wait for others that use the database
  static void scrub(Path file, Duration timeout) {
    try (var connection = open(file, timeout);
        var statement = connection.createStatement()) {
      statement.execute("VACUUM");
      if (isBusy(statement)) {
        throw new DatabaseException(
            "%s was not overwritten, because another process has been reading it for %d seconds"
                .formatted(file, timeout.toSeconds()),
            null);
      }
    } catch (SQLException e) {
      throw new DatabaseException("%s was not overwritten: %s".formatted(file, e.getMessage()), e);
    }
  }

  /// Moves the log into the file and truncates it.
  ///
  /// @return whether a reader prevents that
  private static boolean isBusy(Statement statement) throws SQLException {
    try (var result = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
      return result.next() && result.getInt(1) != 0;
    }
  }

  private static Connection open(Path file) throws SQLException {
    return open(file, TIMEOUT);
  }

  private static Connection open(Path file, Duration timeout) throws SQLException {
    var properties = new Properties();
    properties.setProperty("busy_timeout", Long.toString(timeout.toMillis()));
    return DriverManager.getConnection("jdbc:sqlite:" + file, properties);
  }
}
