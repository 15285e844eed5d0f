package dev.runnel.database;

import dev.runnel.threads.SupervisedThread;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A PostgreSQL advisory lock, exclusive or shared, that a process holds for a long time. It
/// belongs to a separate connection, so it is released however the process ends. A background
/// thread checks it: a broken connection is reopened and the lock taken again.
public final class AdvisoryLock implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AdvisoryLock.class);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);

  /// The server may not have noticed yet that a previous process has ended.
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(3);

  private static final int CHECK_TIMEOUT_SECONDS = 5;

  /// PostgreSQL's SQLSTATE for a lock timeout.
  private static final String LOCKED = "55P03";

  private final String url;
  private final String name;
  private final boolean shared;
  private final Properties properties = new Properties();
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread keeper;
  // Accessed only by the keeper thread once it runs.
  private @Nullable Connection connection;
  private volatile boolean lost;

  private AdvisoryLock(String url, String name, boolean shared) {
    this.shared = shared;
    this.url = url;
    this.name = name;
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("socketTimeout", "10");
    properties.setProperty("tcpKeepAlive", "true");
  }

  /// @param url `jdbc:postgresql://…`
  /// @param name the name of the lock; each schema of the database has its own
  /// @return empty if another process holds it
  /// @throws DatabaseException if the server does not respond
  public static Optional<AdvisoryLock> take(String url, String name) {
    return take(new AdvisoryLock(url, name, false));
  }

  /// Takes the lock in shared mode: other processes can share it, but none can take it exclusively.
  ///
  /// @return empty if a process holds it exclusively
  public static Optional<AdvisoryLock> share(String url, String name) {
    return take(new AdvisoryLock(url, name, true));
  }

  private static Optional<AdvisoryLock> take(AdvisoryLock use) {
    try {
      if (!use.lock()) {
        return Optional.empty();
      }
    } catch (SQLException e) {
      // No cause: its message may contain the URL with a password.
      throw new DatabaseException("The database cannot be reached", null);
    }
    use.startKeeper();
    return Optional.of(use);
  }

  /// Whether another process holds the lock, which can happen after the server was unreachable.
  public boolean isLost() {
    return lost;
  }

  private void startKeeper() {
    var work =
        SupervisedThread.repeating(
            "advisory-lock", this::keep, CHECK_INTERVAL, () -> closed.getCount() > 0);
    keeper = SupervisedThread.virtual("advisory-lock", work::run, _ -> {});
  }

  @Override
  public void close() {
    closed.countDown();
    var started = keeper;
    try {
      if (started != null) {
        started.join();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    disconnect();
  }

  private void keep() throws InterruptedException {
    if (!closed.await(CHECK_INTERVAL.toSeconds(), TimeUnit.SECONDS)) {
      check();
    }
  }

  private void check() {
    try {
      var current = connection;
      if (current != null && current.isValid(CHECK_TIMEOUT_SECONDS)) {
        return;
      }
      disconnect();
      var taken = lock();
      if (!taken && !lost) {
        log.error("lock taken by another process name={}", name);
      }
      lost = !taken;
    } catch (SQLException | RuntimeException e) {
      log.warn("lock check failed, will try again name={} error={}", name, e.toString());
    }
  }

  private boolean lock() throws SQLException {
    var made = DriverManager.getConnection(url, properties);
    try (var statement = made.createStatement()) {
      // The server detects within half a minute that a machine has vanished.
      statement.execute("SET tcp_keepalives_idle = 10");
      statement.execute("SET tcp_keepalives_interval = 5");
      statement.execute("SET tcp_keepalives_count = 3");
      statement.execute("SET lock_timeout = " + LOCK_TIMEOUT.toMillis());
      try (var locking =
          made.prepareStatement(
              "SELECT pg_advisory_lock%s(hashtextextended(? || current_schema(), 0))"
                  .formatted(shared ? "_shared" : ""))) {
        locking.setString(1, name);
        locking.execute();
      }
      connection = made;
      return true;
    } catch (SQLException e) {
      made.close();
      if (LOCKED.equals(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }

  private void disconnect() {
    var current = connection;
    connection = null;
    if (current != null) {
      try {
        current.close();
      } catch (SQLException e) {
        log.debug("lock connection not closed", e);
      }
    }
  }
}
