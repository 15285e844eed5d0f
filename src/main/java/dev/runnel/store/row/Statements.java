package dev.runnel.store.row;

import dev.runnel.database.DatabaseException;
import dev.runnel.database.Rows;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The statements of [Rows], whose SQL errors are reported as [DatabaseException].
public record Statements(Rows rows) {
  public int change(String sql, @Nullable Object... parameters) {
    return run(() -> rows.change(sql, parameters));
  }

  public <T> List<T> list(String sql, Rows.Reader<T> reader, @Nullable Object... parameters) {
    return run(() -> rows.list(sql, reader, parameters));
  }

  public <T> Optional<T> first(String sql, Rows.Reader<T> reader, @Nullable Object... parameters) {
    return run(() -> rows.first(sql, reader, parameters));
  }

  @FunctionalInterface
  private interface Statement<T> {
    T run() throws SQLException;
  }

  private static <T> T run(Statement<T> statement) {
    try {
      return statement.run();
    } catch (SQLException e) {
      throw new DatabaseException("The database refused a statement: " + e.getMessage(), e);
    }
  }
}
