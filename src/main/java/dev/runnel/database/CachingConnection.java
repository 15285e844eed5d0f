package dev.runnel.database;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;
import org.sqlite.jdbc4.JDBC4Connection;

/// A connection to SQLite with the statements that were prepared on it, which end with it.
final class CachingConnection extends JDBC4Connection {
  private final StatementCache statements = new StatementCache();

  private CachingConnection(String url, SQLiteConfig config) throws SQLException {
    super(url, url.substring(JDBC.PREFIX.length()), config.toProperties());
  }

  StatementCache statements() {
    return statements;
  }

  /// Opens such connections.
  static final class Source extends SQLiteDataSource {
    Source(SQLiteConfig config) {
      super(config);
    }

    @Override
    public SQLiteConnection getConnection(@Nullable String user, @Nullable String password)
        throws SQLException {
      return new CachingConnection(getUrl(), getConfig());
    }
  }
}
