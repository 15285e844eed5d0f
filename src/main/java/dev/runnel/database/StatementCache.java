package dev.runnel.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// The prepared statements of one connection that are not running, by their text: to prepare a
/// statement takes SQLite longer than to run it. Not thread-safe, like the connection.
final class StatementCache {
  private static final int MAX = 64;

  /// The one that was used last is the last.
  private final SequencedMap<String, PreparedStatement> idle = new LinkedHashMap<>();

  /// A statement that nobody else uses until it is given back or closed.
  PreparedStatement take(Connection connection, String sql) throws SQLException {
    var statement = idle.remove(sql);
    return statement == null ? connection.prepareStatement(sql) : statement;
  }

  /// Keeps a statement whose results were closed, and closes the one that was not used for longest
  /// if there are too many.
  void giveBack(String sql, PreparedStatement statement) throws SQLException {
    var same = idle.put(sql, statement);
    if (same != null) {
      same.close();
    }
    if (idle.size() > MAX) {
      idle.pollFirstEntry().getValue().close();
    }
  }

  /// Closes all of them.
  void clear() throws SQLException {
    for (var statement : idle.values()) {
      statement.close();
    }
    idle.clear();
  }
}
