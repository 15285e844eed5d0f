package dev.runnel.database;

import org.jspecify.annotations.Nullable;

/// The database is gone, full, or refuses; nothing of the transaction happened.
public final class DatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public DatabaseException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
