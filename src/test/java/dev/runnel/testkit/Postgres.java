package dev.runnel.testkit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// One real PostgreSQL server for all tests of a JVM; each test gets a database of its own.
public final class Postgres {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private Postgres() {}

  private static final class Server {
    static final EmbeddedPostgres INSTANCE = start();

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(1)).start();
      } catch (IOException e) {
        throw new UncheckedIOException("PostgreSQL did not start", e);
      }
    }
  }

  /// The same, without a checked exception.
  public static String fresh() {
    try {
      return freshDatabase();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The JDBC address of a new, empty database.
  public static String freshDatabase() throws SQLException {
    var name = "test" + COUNT.incrementAndGet();
    try (var connection = Server.INSTANCE.getPostgresDatabase().getConnection();
        var statement = connection.createStatement()) {
      // A language's collation, as servers commonly have; not the order of bytes.
      statement.execute(
          "CREATE DATABASE "
              + name
              + " TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'");
    }
    return Server.INSTANCE.getJdbcUrl("postgres", name);
  }
}
