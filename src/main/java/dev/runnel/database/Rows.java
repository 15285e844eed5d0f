package dev.runnel.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Runs statements on one connection. Parameters are strings, numbers, booleans (stored as 0 and
/// 1), instants (stored as epoch microseconds) or null.
public final class Rows implements AutoCloseable {
  /// Maps the current row of the result set to a value.
  @FunctionalInterface
  public interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private final Connection connection;
  private final StatementCache statements;
  private final boolean embedded;

  private Rows(Connection connection, StatementCache statements, boolean embedded) {
    this.connection = connection;
    this.statements = statements;
    this.embedded = embedded;
  }

  /// On a connection to SQLite, which keeps its statements when this is closed.
  static Rows ofFile(CachingConnection connection) {
    return new Rows(connection, connection.statements(), true);
  }

  /// On a connection to a server. Prepares each text once, and closes the statements when it is
  /// closed: the driver of PostgreSQL has a cache of its own.
  static Rows ofServer(Connection connection) {
    return new Rows(connection, new StatementCache(), false);
  }

  /// Whether the database is an embedded file (SQLite) rather than a server (PostgreSQL), for the
  /// few statements that cannot be the same on both.
  public boolean isEmbedded() {
    return embedded;
  }

  /// Takes a lock with that name, in the schema, until the end of the transaction. Does nothing in
  /// an embedded database, which has one writer.
  public void lock(String name) throws SQLException {
    if (!embedded) {
      first(
          "SELECT pg_advisory_xact_lock(hashtextextended(? || current_schema(), 0))",
          row -> name,
          name);
    }
  }

  /// Runs a statement that changes rows, and returns the number of rows changed.
  public int change(String sql, @Nullable Object... parameters) throws SQLException {
    return run(sql, parameters, PreparedStatement::executeUpdate);
  }

  @Override
  public void close() throws SQLException {
    if (!embedded) {
      statements.clear();
    }
  }

  public <T> List<T> list(String sql, Reader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    return listUntil(_ -> false, sql, reader, parameters);
  }

  /// The rows up to and including the first for which `enough` is true; later rows are not read.
  public <T> List<T> listUntil(
      Predicate<? super T> enough, String sql, Reader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    return query(
        sql,
        parameters,
        result -> {
          var rows = new ArrayList<T>();
          while (result.next()) {
            var row = reader.read(result);
            rows.add(row);
            if (enough.test(row)) {
              break;
            }
          }
          return rows;
        });
  }

  /// The first row, if there is one.
  public <T> Optional<T> first(String sql, Reader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    return query(
        sql,
        parameters,
        result -> result.next() ? Optional.of(reader.read(result)) : Optional.empty());
  }

  /// Whether there is a row.
  public boolean exists(String sql, @Nullable Object... parameters) throws SQLException {
    return first(sql, _ -> true, parameters).isPresent();
  }

  /// The number in the first column of the first row; 0 if there is none.
  public int count(String sql, @Nullable Object... parameters) throws SQLException {
    return first(sql, row -> row.getInt(1), parameters).orElse(0);
  }

  /// The texts in the first column.
  public List<String> texts(String sql, @Nullable Object... parameters) throws SQLException {
    return list(sql, row -> row.getString(1), parameters);
  }

  public static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  /// The instant in a column of epoch microseconds that is never null.
  public static Instant instant(ResultSet row, String column) throws SQLException {
    return Instant.EPOCH.plus(row.getLong(column), ChronoUnit.MICROS);
  }

  /// The text of a column that may be null.
  public static Optional<String> text(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getString(column));
  }

  private <T> T query(String sql, @Nullable Object[] parameters, Reader<T> reader)
      throws SQLException {
    return run(
        sql,
        parameters,
        statement -> {
          try (var result = statement.executeQuery()) {
            return reader.read(result);
          }
        });
  }

  @FunctionalInterface
  private interface Use<T> {
    T of(PreparedStatement statement) throws SQLException;
  }

  private <T> T run(String sql, @Nullable Object[] parameters, Use<T> use) throws SQLException {
    var statement = statements.take(connection, sql);
    T result;
    try {
      set(statement, parameters);
      result = use.of(statement);
    } catch (Throwable broken) {
      closeAfter(broken, statement);
      throw broken;
    }
    statements.giveBack(sql, statement);
    return result;
  }

  private static void closeAfter(Throwable broken, PreparedStatement statement) {
    try {
      statement.close();
    } catch (SQLException e) {
      broken.addSuppressed(e);
    }
  }

  private void set(PreparedStatement statement, @Nullable Object[] parameters) throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      switch (parameters[i]) {
        case null -> statement.setObject(i + 1, null);
        case Instant instant -> statement.setLong(i + 1, micros(instant));
        case Boolean flag -> statement.setInt(i + 1, flag ? 1 : 0);
        case Integer number -> statement.setInt(i + 1, number);
        case Long number -> statement.setLong(i + 1, number);
        // PostgreSQL does not support NUL in text.
        case String text ->
            statement.setString(i + 1, embedded ? text : text.replace('\0', '\uFFFD'));
        case Object other ->
            throw new IllegalArgumentException(
                "Unsupported parameter type: " + other.getClass().getName());
      }
    }
  }
}
