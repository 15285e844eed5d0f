package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.store.SlotLimits;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunChanges;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/// When a node ends its own agents, whatever else it is busy with.
@Tag("slow")
@Isolated("takes all threads that virtual threads run on")
class LeaseKeeperTest {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger idleChecks = new AtomicInteger();
  private int busyChecks;
  private Database database;
  private NodeMembership membership;
  private ExecutionRecords records;

  @BeforeEach
  void open() throws Exception {
    database =
        ServiceTables.migrate(Database.postgres(Postgres.freshDatabase(), ServiceTables.SCHEMA));
    var clock = InstantSource.system();
    membership = NodeMembership.join(database, clock, new NodeIdentity("a", "a", "a"), 4, LEASE);
    records = RunChanges.on(database, clock, membership, SlotLimits.DEFAULT).records();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private LeaseKeeper keeper(Runnable losing) {
    return LeaseKeeper.start(
        membership,
        records,
        new LeaseKeeper.Work() {
          @Override
          public void abandon() {
            lost.incrementAndGet();
            losing.run();
          }

          @Override
          public boolean isIdle() {
            return idleChecks.incrementAndGet() > busyChecks;
          }
        });
  }

  private boolean isEnded(String node) {
    return database.<Boolean>read(
        rows ->
            rows.first("SELECT 1 FROM nodes WHERE id = ? AND ended = 1", row -> true, node)
                .isPresent());
  }

  @Test
  void nodeThatDoesNotRenewIsMarkedAsLost() {
    var other =
        NodeMembership.join(
            database, InstantSource.system(), new NodeIdentity("b", "b", "b"), 4, Duration.ZERO);
    try (var _ = keeper(() -> {})) {
      await().until(() -> isEnded(other.id()));
    }
  }

  @Test
  void nodeMarkedAsLostJoinsAgainAfterItsAgentsHaveEnded() {
    var before = membership.id();
    busyChecks = 3;
    int _ = database.write(rows -> rows.change("UPDATE nodes SET ended = 1"));
    try (var _ = keeper(() -> {})) {
      await().until(() -> !membership.id().equals(before));
    }
    assertThat(lost).hasPositiveValue();
    assertThat(idleChecks).hasValueGreaterThan(busyChecks);
  }

  @Test
  void agentsAreEndedInTimeThoughAllVirtualThreadsAreBusy() {
    try (var _ = keeper(() -> {})) {
      database.close();
      busily(() -> await().atMost(LEASE).until(() -> lost.get() > 0));
    }
  }

  @Test
  void theLeaseIsRenewedThoughAllVirtualThreadsAreBusy() {
    try (var _ = keeper(() -> {})) {
      busily(
          () ->
              await()
                  .during(LEASE.plusMillis(500))
                  .atMost(LEASE.multipliedBy(2))
                  .until(membership::isLeaseSafe));
    }
    assertThat(lost).hasValue(0);
  }

  @Test
  void agentsThatCouldNotBeEndedAreEndedAgain() {
    Runnable failing =
        () -> {
          throw new IllegalStateException("no process can be listed");
        };
    try (var _ = keeper(failing)) {
      database.close();
      await().atMost(LEASE.multipliedBy(2)).until(() -> lost.get() > 2);
    }
  }

  /// Does something while virtual threads get no processor.
  private static void busily(Runnable work) {
    var isOver = new AtomicBoolean();
    for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
      Thread.ofVirtual()
          .start(
              () -> {
                while (!isOver.get()) {
                  Thread.onSpinWait();
                }
              });
    }
    try {
      work.run();
    } finally {
      isOver.set(true);
    }
  }
}
