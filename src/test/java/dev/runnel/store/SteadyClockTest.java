package dev.runnel.store;

import static dev.runnel.testkit.Samples.NINE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private final SettableClock wall = new SettableClock();
  private final AtomicLong passed = new AtomicLong();
  private final SteadyClock clock = new SteadyClock(wall, passed::get);

  private void passes(Duration time) {
    wall.advance(time);
    passed.addAndGet(time.toNanos());
  }

  @Test
  void steadyClockFollowsTheWallClockForward() {
    passes(Duration.ofSeconds(5));
    assertThat(clock.instant()).isEqualTo(NINE.plusSeconds(5));

    wall.advance(Duration.ofHours(1));
    assertThat(clock.instant()).isEqualTo(NINE.plusSeconds(3605));
  }

  @Test
  void steadyClockAdvancesSlowlyUntilTheWallClockCatchesUp() {
    wall.advance(Duration.ofHours(-1));
    assertThat(clock.instant()).isEqualTo(NINE);

    passes(Duration.ofMinutes(2));
    assertThat(clock.instant()).isEqualTo(NINE.plusSeconds(60));
    passes(Duration.ofMinutes(118));
    assertThat(clock.instant()).isEqualTo(wall.instant()).isEqualTo(NINE.plusSeconds(3600));
    passes(Duration.ofMinutes(1));
    assertThat(clock.instant()).isEqualTo(wall.instant());
  }

  @Test
  void steadyClockStartsNoEarlierThanTheEarlierProcess() {
    clock.notBefore(NINE.plusSeconds(30));

    assertThat(clock.instant()).isEqualTo(NINE.plusSeconds(30));
    clock.notBefore(NINE);
    assertThat(clock.instant()).isEqualTo(NINE.plusSeconds(30));
  }
}
