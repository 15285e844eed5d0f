package dev.runnel.database;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.runnel.testkit.Postgres;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The time of a server, which here is that of this machine.
@Tag("slow")
class ServerClockTest {
  private static final int CONNECTIONS = 10;
  private static final Duration WAITING = Duration.ofSeconds(3);

  @Test
  void waitForAConnectionDoesNotSetTheClockAhead() throws Exception {
    try (var database = Database.postgres(Postgres.freshDatabase())) {
      var held = new ArrayList<Connection>();
      for (int i = 0; i < CONNECTIONS; i++) {
        held.add(database.dataSource().getConnection());
      }
      var clock = new AtomicReference<InstantSource>();
      var asking =
          Thread.ofPlatform().start(() -> clock.set(database.clock(InstantSource.system())));
      assertThat(asking.join(WAITING)).isFalse();
      for (var each : held) {
        each.close();
      }
      asking.join();

      assertThat(requireNonNull(clock.get()).instant())
          .isCloseTo(Instant.now(), within(WAITING.dividedBy(4).toMillis(), ChronoUnit.MILLIS));
    }
  }
}
