package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.operation.RecentCheck;
import dev.runnel.core.port.HealthCheck.Finding;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RecentCheckTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final List<Finding> WELL = List.of(new Finding("Database", true, "answers"));

  private final SettableClock clock = new SettableClock();
  private final AtomicInteger checks = new AtomicInteger();

  @Test
  void aFreshResultIsNotCheckedAgainAndAnOldOneIs() {
    var check =
        new RecentCheck(
            () -> List.of(new Finding("Check", true, "" + checks.incrementAndGet())), clock, LONG);

    assertThat(check.get().orElseThrow().findings().getFirst().how()).isEqualTo("1");
    clock.advance(Duration.ofSeconds(19));
    assertThat(check.get().orElseThrow().findings().getFirst().how()).isEqualTo("1");
    clock.advance(Duration.ofSeconds(1));
    assertThat(check.get().orElseThrow().findings().getFirst().how()).isEqualTo("2");
  }

  @Test
  void checkReturnsWithoutWaitingForAHangingPlatform() throws Exception {
    var responds = new CountDownLatch(1);
    var check =
        new RecentCheck(
            () -> {
              checks.incrementAndGet();
              try {
                responds.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return WELL;
            },
            clock,
            Duration.ofMillis(10));

    assertThat(check.get()).isEmpty();
    assertThat(check.get()).isEmpty();
    assertThat(checks).hasValue(1);
    responds.countDown();
    await().until(() -> check.get().isPresent());
    assertThat(check.get().map(RecentCheck.Result::findings)).isEqualTo(Optional.of(WELL));
  }

  @Test
  void aCheckThatFailsLeavesTheLastResult() {
    var check =
        new RecentCheck(
            () -> {
              if (checks.incrementAndGet() == 2) {
                throw new IllegalStateException("broken");
              }
              return WELL;
            },
            clock,
            LONG);
    var first = check.get();
    clock.advance(LONG);

    assertThat(check.get()).isPresent().isEqualTo(first);
  }
}
