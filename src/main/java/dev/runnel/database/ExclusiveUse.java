package dev.runnel.database;

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

/// A server's lock that one process at a time has: an advisory lock of a connection of its own, so
/// it ends with the process, however that ends. It is looked after in the background: a connection
/// that broke is made anew, and the lock taken again.
public final class ExclusiveUse implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ExclusiveUse.class);
  private static final Duration LOOK_AFTER = Duration.ofSeconds(5);

  /// A process that ended just now may still be known to the server.
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final int CHECK_SECONDS = 5;

  /// PostgreSQL's word for a lock that was not had in time.
  private static final String LOCKED = "55P03";

  private final String url;
  private final String name;
  private final Properties properties = new Properties();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread keeper;
  // Only the keeper's, once that works.
  private @Nullable Connection connection;
  private volatile boolean lost;

  private ExclusiveUse(String url, String name) {
    this.url = url;
    this.name = name;
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("socketTimeout", "10");
    properties.setProperty("tcpKeepAlive", "true");
    this.keeper = Thread.ofVirtual().name("exclusive-use").unstarted(this::keep);
  }

  /// @param url `jdbc:postgresql://…`
  /// @param name what is used by one process at a time; each schema of the database has its own
  /// @return empty when another process has it
  /// @throws DatabaseException when the server does not answer
  public static Optional<ExclusiveUse> take(String url, String name) {
    var use = new ExclusiveUse(url, name);
    try {
      if (!use.lock()) {
        return Optional.empty();
      }
    } catch (SQLException e) {
      // Without the cause, whose words may quote the address and a password in it.
      throw new DatabaseException("The database cannot be reached", null);
    }
    use.keeper.start();
    return Optional.of(use);
  }

  /// Whether another process has it now, which can come after the server was away.
  public boolean isLost() {
    return lost;
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      keeper.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    disconnect();
  }

  private void keep() {
    try {
      while (!closed.await(LOOK_AFTER.toSeconds(), TimeUnit.SECONDS)) {
        lookAfter();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void lookAfter() {
    try {
      var kept = connection;
      if (kept != null && kept.isValid(CHECK_SECONDS)) {
        return;
      }
      disconnect();
      var taken = lock();
      if (!taken && !lost) {
        log.error("another process has taken over name={}", name);
      }
      lost = !taken;
    } catch (SQLException | RuntimeException e) {
      log.warn("lock not looked after, will try again name={} error={}", name, e.toString());
    }
  }

  private boolean lock() throws SQLException {
    var made = DriverManager.getConnection(url, properties);
    try (var statement = made.createStatement()) {
      // The server notices a machine that vanished without a word within half a minute.
      statement.execute("SET tcp_keepalives_idle = 10");
      statement.execute("SET tcp_keepalives_interval = 5");
      statement.execute("SET tcp_keepalives_count = 3");
      statement.execute("SET lock_timeout = " + PATIENCE.toMillis());
      try (var locking =
          made.prepareStatement(
              "SELECT pg_advisory_lock(hashtextextended(? || current_schema(), 0))")) {
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
    var kept = connection;
    connection = null;
    if (kept != null) {
      try {
        kept.close();
      } catch (SQLException e) {
        log.debug("connection of a lock not closed", e);
      }
    }
  }
}
