package dev.runnel.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/// A database with two connection pools: one for writing, one for reading. Thread-safe. SQLite
/// allows one writer at a time, so its write pool is a single connection. Callers queue for it in
/// the JVM, which is fair and never fails with "busy". Readers run concurrently with the writer
/// (WAL). On PostgreSQL both are the same pool.
public final class Database implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /// Shorter, because a server may vanish without closing the connection, and callers must get an
  /// error soon.
  private static final Duration SERVER_TIMEOUT = Duration.ofSeconds(5);

  private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(10);

  /// PostgreSQL's SQLSTATE for a detected deadlock.
  private static final String DEADLOCK = "40P01";

  private static final int MAX_DEADLOCKS = 5;

  /// Threads of [#write] that use the connection to a file or wait in its pool. The pool serves
  /// waiting threads roughly in order, so with few of them [#writeFirst] is served soon.
  private static final int MAX_WRITERS_OF_FILE = 2;

  private static final Pattern SCHEMA = Pattern.compile("[?&]currentSchema=(\\w+)");

  /// The work of one transaction.
  @FunctionalInterface
  public interface Step<T> {
    T run(Rows rows) throws SQLException;
  }

  /// Whether the thread waits for the database as long as necessary.
  private static final ScopedValue<Boolean> PATIENT = ScopedValue.newInstance();

  private final HikariDataSource writing;
  private final HikariDataSource reading;
  private final Consumer<FluentConfiguration> migrating;
  private final boolean embedded;
  private final Semaphore writers;
  private final Duration timeout;

  private Database(
      HikariDataSource writing,
      HikariDataSource reading,
      Consumer<FluentConfiguration> migrating,
      boolean embedded,
      Duration timeout) {
    this.timeout = timeout;
    this.writing = writing;
    this.reading = reading;
    this.migrating = migrating;
    this.embedded = embedded;
    this.writers = new Semaphore(embedded ? MAX_WRITERS_OF_FILE : Integer.MAX_VALUE, true);
  }

  /// Opens or creates a file that no other account can read. A commit is on disk when it returns.
  public static Database sqlite(Path file) {
    try {
      var folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        OwnerOnly.createFolders(folder);
        SqliteLibrary.unpack(folder);
      }
      // SQLite creates its log files with the permissions of the database file.
      OwnerOnly.createFile(file);
      for (var suffix : List.of("", "-wal", "-shm", "-journal")) {
        OwnerOnly.close(file.resolveSibling(file.getFileName() + suffix));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The file " + file + " cannot be created", e);
    }
    return sqliteAt(file, TIMEOUT);
  }

  /// Opens an empty database without a file. Only [#dataSource] can read what it has written.
  public static Database inMemory() {
    return sqliteAt(Path.of(":memory:"), TIMEOUT);
  }

  /// @param timeout how long an impatient caller waits
  static Database sqliteAt(Path file, Duration timeout) {
    var writing = pool("write", sqlite(file, false, timeout), 1, timeout);
    return new Database(
        writing,
        pool("read", sqlite(file, true, timeout), 4, timeout),
        flyway -> flyway.dataSource(writing),
        true,
        timeout);
  }

  /// Connects to `jdbc:postgresql://…`.
  ///
  /// @throws DatabaseException if it cannot be reached; without a cause, whose message could
  ///   contain the URL with a password
  public static Database postgres(String url) {
    return postgres(url, Optional.empty());
  }

  /// The same, in a schema of its own beside that of the URL: `NAME`, or `SCHEMA_NAME` if the URL
  /// names a schema other than `public`. Migrating creates it.
  public static Database postgres(String url, String name) {
    var named = SCHEMA.matcher(url);
    var schema =
        named.find() && !named.group(1).equals("public") ? named.group(1) + "_" + name : name;
    return postgres(url, Optional.of(schema));
  }

  private static Database postgres(String url, Optional<String> schema) {
    var config = config(schema.orElse("database"), 10, SERVER_TIMEOUT);
    config.setJdbcUrl(url);
    schema.ifPresent(config::setSchema);
    config.setValidationTimeout(SERVER_TIMEOUT.dividedBy(2).toMillis());
    config.addDataSourceProperty("connectTimeout", seconds(SERVER_TIMEOUT));
    config.addDataSourceProperty("loginTimeout", seconds(SERVER_TIMEOUT));
    config.addDataSourceProperty("socketTimeout", seconds(STATEMENT_TIMEOUT));
    config.addDataSourceProperty("tcpKeepAlive", "true");
    // A node that vanished during a transaction must not block the others.
    config.setConnectionInitSql("SET idle_in_transaction_session_timeout = '30s'");
    HikariDataSource pool;
    try {
      pool = new HikariDataSource(config);
    } catch (RuntimeException unreachable) {
      throw new DatabaseException("The database cannot be reached", null);
    }
    // Migrations use connections without these timeouts, because they may take longer.
    return new Database(
        pool,
        pool,
        flyway -> {
          flyway.dataSource(url, null, null);
          schema.ifPresent(flyway::schemas);
        },
        false,
        TIMEOUT);
  }

  private static String seconds(Duration duration) {
    return Long.toString(duration.toSeconds());
  }

  /// Creates the tables, or applies the scripts that they lack, all in one transaction. Does not
  /// load Flyway if they are up to date, because that takes a fifth of a start.
  public Database migrate(Schema schema) {
    var version = version();
    if (version.isEmpty() || !version.get().equals(Integer.toString(schema.newest()))) {
      var flyway =
          Flyway.configure()
              .locations("classpath:" + schema.location())
              .group(true)
              // Scripts of different features became part of main in another order than numbered.
              .outOfOrder(true)
              .loggers("slf4j");
      migrating.accept(flyway);
      flyway.load().migrate();
    }
    return this;
  }

  /// The version of the newest migration that the database has; empty if it has none.
  public Optional<String> version() {
    try {
      return read(
          rows ->
              rows.first(
                  "SELECT version FROM flyway_schema_history WHERE version IS NOT NULL AND success"
                      + " ORDER BY installed_rank DESC LIMIT 1",
                  row -> row.getString(1)));
    } catch (DatabaseException e) {
      if (e.isUnreachable()) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /// Runs the step in one transaction that may write; rolls back if the step throws. The step is
  /// run again if the server aborts the transaction because of a deadlock.
  public <T> T write(Step<T> step) {
    acquireTurn();
    try {
      return writeFirst(step);
    } finally {
      writers.release();
    }
  }

  /// Runs work for which nobody waits: where a caller would get an error because the database is
  /// busy, stands still or cannot be reached, it waits until the database is back, is closed, or
  /// the thread is interrupted. A step that lost its connection is run again, unless it may have
  /// been committed.
  public void patiently(Runnable work) {
    ScopedValue.where(PATIENT, true).run(work);
  }

  private static boolean isPatient() {
    return PATIENT.orElse(false);
  }

  private void acquireTurn() {
    try {
      while (!writers.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        if (!isPatient() || writing.isClosed()) {
          throw new DatabaseException(
              "The database did not accept the change",
              new SQLTransientConnectionException(
                  "other changes took longer than %d ms".formatted(timeout.toMillis())));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DatabaseException("The change was interrupted", e);
    }
  }

  /// The same, before threads that wait in [#write] for the connection to a file.
  public <T> T writeFirst(Step<T> step) {
    for (int again = MAX_DEADLOCKS; ; ) {
      try {
        return writeOnce(step);
      } catch (DatabaseException e) {
        if (!isRepeated(e, writing) && (!isDeadlock(e) || again-- == 0)) {
          throw e;
        }
      }
    }
  }

  /// Whether a patient thread repeats what failed without an effect.
  private static boolean isRepeated(DatabaseException e, HikariDataSource pool) {
    return isPatient()
        && (e.isLocked() || (e.isUnreachable() && !e.mayBeCommitted()))
        && !pool.isClosed()
        && !Thread.currentThread().isInterrupted();
  }

  private static boolean isDeadlock(DatabaseException e) {
    return e.getCause() instanceof SQLException cause && DEADLOCK.equals(cause.getSQLState());
  }

  private <T> T writeOnce(Step<T> step) {
    var isCommitting = false;
    try (var connection = connection(writing)) {
      // The pool resets this. Resetting it here could fail and hide the original error.
      connection.setAutoCommit(false);
      try (var rows = rows(connection)) {
        var result = step.run(rows);
        isCommitting = true;
        connection.commit();
        return result;
      } catch (Throwable broken) {
        rollBack(connection, broken);
        throw broken;
      }
    } catch (SQLException e) {
      throw new DatabaseException(
          "The database did not accept the change: " + e.getMessage(), e, isCommitting);
    }
  }

  /// Reads concurrently with the writer, without a transaction around several statements.
  public <T> T read(Step<T> step) {
    while (true) {
      try {
        return readOnce(step);
      } catch (DatabaseException e) {
        if (!isRepeated(e, reading)) {
          throw e;
        }
      }
    }
  }

  private <T> T readOnce(Step<T> step) {
    try (var connection = connection(reading);
        var rows = rows(connection)) {
      return step.run(rows);
    } catch (SQLException e) {
      throw new DatabaseException("The database could not be read: " + e.getMessage(), e);
    }
  }

  /// A connection of the pool. Without one nothing was done yet, so it may be asked for again.
  private static Connection connection(HikariDataSource pool) throws SQLException {
    while (true) {
      try {
        return pool.getConnection();
      } catch (SQLTransientConnectionException busy) {
        if (!isPatient() || pool.isClosed() || Thread.currentThread().isInterrupted()) {
          throw busy;
        }
      }
    }
  }

  private Rows rows(Connection connection) throws SQLException {
    return embedded
        ? Rows.ofFile(connection.unwrap(CachingConnection.class))
        : Rows.ofServer(connection);
  }

  /// The write pool, for libraries that run their own statements.
  public DataSource dataSource() {
    return writing;
  }

  /// The connections of one pool.
  ///
  /// @param waiting threads that wait for a connection
  public record Connections(int active, int idle, int waiting) {}

  /// The connections by the name of their pool. Does no I/O.
  public Map<String, Connections> connections() {
    var pools = new LinkedHashMap<String, Connections>();
    for (var pool : List.of(writing, reading)) {
      var now = pool.getHikariPoolMXBean();
      var queued = pool == writing ? writers.getQueueLength() : 0;
      if (now != null) {
        pools.put(
            pool.getPoolName(),
            new Connections(
                now.getActiveConnections(),
                now.getIdleConnections(),
                now.getThreadsAwaitingConnection() + queued));
      }
    }
    return pools;
  }

  /// Whether it is an embedded file rather than a server.
  public boolean isEmbedded() {
    return embedded;
  }

  /// The clock that decides when rows are due: the server's if several nodes share it, else this
  /// machine's.
  public InstantSource clock(InstantSource here) {
    return embedded ? here : new ServerClock(this);
  }

  @Override
  public void close() {
    reading.close();
    writing.close();
  }

  /// Evicts a connection that cannot be rolled back: on a full disk SQLite has already ended the
  /// transaction, and the driver does not know.
  private void rollBack(Connection connection, Throwable broken) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      broken.addSuppressed(e);
      writing.evictConnection(connection);
    }
  }

  private static SQLiteDataSource sqlite(Path file, boolean readOnly, Duration timeout) {
    var config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    // Else the driver runs another statement after each insert.
    config.setGetGeneratedKeys(false);
    config.setTransactionMode(
        readOnly ? SQLiteConfig.TransactionMode.DEFERRED : SQLiteConfig.TransactionMode.IMMEDIATE);
    config.setBusyTimeout((int) timeout.toMillis());
    config.enforceForeignKeys(true);
    var source = new CachingConnection.Source(config);
    source.setUrl("jdbc:sqlite:" + file);
    return source;
  }

  private static HikariDataSource pool(String name, DataSource source, int size, Duration timeout) {
    var config = config(name, size, timeout);
    config.setDataSource(source);
    // A connection to a file does not age, and with the last one a database in memory ends.
    config.setMaxLifetime(0);
    return new HikariDataSource(config);
  }

  private static HikariConfig config(String name, int size, Duration timeout) {
    var config = new HikariConfig();
    config.setPoolName(name);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(timeout.toMillis());
    return config;
  }
}
