package dev.runnel.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/// A database and the two ways into it: a writing one and a reading one.
///
/// SQLite takes one writer at a time, so its writing way is a single connection that callers queue
/// for in the JVM, which is fair and never busy; its readers work beside the writer (WAL). On
/// PostgreSQL both ways are the same pool.
public final class Database implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// A server may be gone without a word; whoever waits for it must hear of that.
  private static final Duration PATIENCE_WITH_A_SERVER = Duration.ofSeconds(5);

  private static final Duration MAX_STATEMENT = Duration.ofSeconds(10);

  /// PostgreSQL's word for it.
  private static final String DEADLOCK = "40P01";

  private static final int MAX_DEADLOCKS = 5;

  /// The work of one transaction.
  @FunctionalInterface
  public interface Step<T> {
    T run(Rows rows) throws SQLException;
  }

  private final HikariDataSource writing;
  private final HikariDataSource reading;
  private final Consumer<FluentConfiguration> migrating;
  private final boolean embedded;

  private Database(
      HikariDataSource writing,
      HikariDataSource reading,
      Consumer<FluentConfiguration> migrating,
      boolean embedded) {
    this.writing = writing;
    this.reading = reading;
    this.migrating = migrating;
    this.embedded = embedded;
  }

  /// Opens or creates a file, which no other account can read. A commit is on the disk when it
  /// returns.
  public static Database sqlite(Path file) {
    try {
      var folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        OwnerOnly.createFolders(folder);
      }
      // SQLite makes its logs with the permissions of the file.
      OwnerOnly.createFile(file);
      for (var suffix : List.of("", "-wal", "-shm", "-journal")) {
        OwnerOnly.close(file.resolveSibling(file.getFileName() + suffix));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The file " + file + " cannot be made", e);
    }
    var writing = pool("write", sqlite(file, false), 1);
    return new Database(
        writing, pool("read", sqlite(file, true), 4), flyway -> flyway.dataSource(writing), true);
  }

  /// Connects to `jdbc:postgresql://…`.
  ///
  /// @throws DatabaseException when it cannot be reached; without a cause, whose words would quote
  ///     the address and a password in it
  public static Database postgres(String url) {
    var config = config("database", 10);
    config.setJdbcUrl(url);
    config.setConnectionTimeout(PATIENCE_WITH_A_SERVER.toMillis());
    config.setValidationTimeout(PATIENCE_WITH_A_SERVER.dividedBy(2).toMillis());
    config.addDataSourceProperty("connectTimeout", seconds(PATIENCE_WITH_A_SERVER));
    config.addDataSourceProperty("loginTimeout", seconds(PATIENCE_WITH_A_SERVER));
    config.addDataSourceProperty("socketTimeout", seconds(MAX_STATEMENT));
    config.addDataSourceProperty("tcpKeepAlive", "true");
    // A node that vanished in a transaction must not hold up the others.
    config.setConnectionInitSql("SET idle_in_transaction_session_timeout = '30s'");
    HikariDataSource pool;
    try {
      pool = new HikariDataSource(config);
    } catch (RuntimeException unreachable) {
      throw new DatabaseException("The database cannot be reached", null);
    }
    // A migration may take longer than any statement of ours.
    return new Database(pool, pool, flyway -> flyway.dataSource(url, null, null), false);
  }

  private static String seconds(Duration duration) {
    return Long.toString(duration.toSeconds());
  }

  /// Brings the tables up to date from the migrations at a class-path location.
  public Database migrate(String location) {
    var flyway = Flyway.configure().locations("classpath:" + location).loggers("slf4j");
    migrating.accept(flyway);
    flyway.load().migrate();
    return this;
  }

  /// One transaction that may write: all or nothing, rolled back when the step throws. The step is
  /// run again when the server ends the transaction because two waited for each other.
  public <T> T write(Step<T> step) {
    for (int again = MAX_DEADLOCKS; ; again--) {
      try {
        return writeOnce(step);
      } catch (DatabaseException e) {
        if (again == 0 || !isDeadlock(e)) {
          throw e;
        }
      }
    }
  }

  private static boolean isDeadlock(DatabaseException e) {
    return e.getCause() instanceof SQLException cause && DEADLOCK.equals(cause.getSQLState());
  }

  private <T> T writeOnce(Step<T> step) {
    try (var connection = writing.getConnection()) {
      // The pool puts this back; failing to must not hide why the change failed.
      connection.setAutoCommit(false);
      try {
        var result = step.run(new Rows(connection));
        connection.commit();
        return result;
      } catch (Throwable broken) {
        rollBack(connection, broken);
        throw broken;
      }
    } catch (SQLException e) {
      throw new DatabaseException("The database did not take the change: " + e.getMessage(), e);
    }
  }

  /// Reads beside the writer, each statement on its own.
  public <T> T read(Step<T> step) {
    try (var connection = reading.getConnection()) {
      return step.run(new Rows(connection));
    } catch (SQLException e) {
      throw new DatabaseException("The database could not be read: " + e.getMessage(), e);
    }
  }

  /// The writing way, for engines that bring their own statements.
  public DataSource dataSource() {
    return writing;
  }

  /// Whether it is a file of ours rather than a server.
  public boolean isEmbedded() {
    return embedded;
  }

  /// The time by which rows are due: the server's where several nodes share one, else this
  /// machine's.
  public InstantSource clock(InstantSource here) {
    return embedded ? here : new ServerClock(this);
  }

  @Override
  public void close() {
    reading.close();
    writing.close();
  }

  /// A connection that cannot be rolled back is of no use any more: a full SQLite has ended the
  /// transaction already, and the driver does not know.
  private void rollBack(Connection connection, Throwable broken) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      broken.addSuppressed(e);
      writing.evictConnection(connection);
    }
  }

  private static SQLiteDataSource sqlite(Path file, boolean readOnly) {
    var config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setTransactionMode(
        readOnly ? SQLiteConfig.TransactionMode.DEFERRED : SQLiteConfig.TransactionMode.IMMEDIATE);
    config.setBusyTimeout((int) PATIENCE.toMillis());
    config.enforceForeignKeys(true);
    var source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + file);
    return source;
  }

  private static HikariDataSource pool(String name, DataSource source, int size) {
    var config = config(name, size);
    config.setDataSource(source);
    return new HikariDataSource(config);
  }

  private static HikariConfig config(String name, int size) {
    var config = new HikariConfig();
    config.setPoolName(name);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(PATIENCE.toMillis());
    return config;
  }
}
