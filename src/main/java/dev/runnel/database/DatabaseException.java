package dev.runnel.database;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/// The database is unreachable, full, or refuses the operation; the transaction had no effect.
///
/// If the response to a commit was lost, it is unknown whether the commit happened, so
/// [#mayBeCommitted] is true: retries must be idempotent.
public final class DatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final int PRIMARY_CODE = 0xff;

  private final boolean mayBeCommitted;

  public DatabaseException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  DatabaseException(String message, @Nullable Throwable cause, boolean mayBeCommitted) {
    super(message, cause);
    this.mayBeCommitted = mayBeCommitted;
  }

  /// Whether the error came from the commit, so that the transaction may have had its effect.
  public boolean mayBeCommitted() {
    return mayBeCommitted;
  }

  /// Whether the database is unreachable, so that further statements need not be tried.
  public boolean isUnreachable() {
    return sql()
        .filter(
            e ->
                e instanceof SQLTransientConnectionException
                    || (e.getSQLState() != null
                        && (e.getSQLState().startsWith("08") || e.getSQLState().startsWith("57P"))))
        .isPresent();
  }

  /// Whether another process holds the lock of the file, so that the same change may succeed later.
  boolean isLocked() {
    return hasCode(SQLiteErrorCode.SQLITE_BUSY);
  }

  private boolean hasCode(SQLiteErrorCode code) {
    return sql()
        .filter(
            e ->
                e instanceof org.sqlite.SQLiteException
                    && (e.getErrorCode() & PRIMARY_CODE) == code.code)
        .isPresent();
  }

  private boolean isFull() {
    return hasCode(SQLiteErrorCode.SQLITE_FULL)
        || sql().filter(e -> "53100".equals(e.getSQLState())).isPresent();
  }

  /// The problem, in a sentence for people.
  public String problem() {
    if (isFull()) {
      return "The disk of the database is full.";
    }
    return isUnreachable()
        ? "The database cannot be reached."
        : "The database does not accept changes.";
  }

  private Optional<SQLException> sql() {
    for (var cause = getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException e) {
        return Optional.of(e);
      }
    }
    return Optional.empty();
  }
}
