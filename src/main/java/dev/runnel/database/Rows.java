package dev.runnel.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /// Statements of [#change], which a transaction often repeats, by their text.
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  private final boolean isTransaction;
  private final boolean embedded;

  private Rows(Connection connection, boolean isTransaction, boolean embedded) {
    this.connection = connection;
    this.isTransaction = isTransaction;
    this.embedded = embedded;
  }

  /// For reading, without a transaction.
  static Rows of(Connection connection, boolean embedded) {
    return new Rows(connection, false, embedded);
  }

  /// For one transaction: prepares each text of a change once, and must be closed.
  static Rows ofTransaction(Connection connection, boolean embedded) {
    return new Rows(connection, true, embedded);
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
    if (isTransaction) {
      var statement = statements.get(sql);
      if (statement == null) {
        statement = connection.prepareStatement(sql);
        statements.put(sql, statement);
      }
      set(statement, parameters);
      return statement.executeUpdate();
    }
    try (var statement = prepare(sql, parameters)) {
      return statement.executeUpdate();
    }
  }

  @Override
  public void close() throws SQLException {
    for (var statement : statements.values()) {
      statement.close();
    }
    statements.clear();
  }

  public <T> List<T> list(String sql, Reader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    try (var statement = prepare(sql, parameters);
        var result = statement.executeQuery()) {
      var rows = new ArrayList<T>();
      while (result.next()) {
        rows.add(reader.read(result));
      }
      return rows;
    }
  }

  /// The rows up to and including the first for which `enough` is true; later rows are not read.
  public <T> List<T> listUntil(
      Predicate<? super T> enough, String sql, Reader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    try (var statement = prepare(sql, parameters);
        var result = statement.executeQuery()) {
      var rows = new ArrayList<T>();
      while (result.next()) {
        var row = reader.read(result);
        rows.add(row);
        if (enough.test(row)) {
          break;
        }
      }
      return rows;
    }
  }

  /// The first row, if there is one.
  public <T> Optional<T> first(String sql, Reader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    try (var statement = prepare(sql, parameters);
        var result = statement.executeQuery()) {
      return result.next() ? Optional.of(reader.read(result)) : Optional.empty();
    }
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

  private PreparedStatement prepare(String sql, @Nullable Object[] parameters) throws SQLException {
    var statement = connection.prepareStatement(sql);
    try {
      set(statement, parameters);
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
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
