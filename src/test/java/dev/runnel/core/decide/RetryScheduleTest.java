package dev.runnel.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private final RetrySchedule schedule = RetrySchedule.standard(new Random());

  @RepeatedTest(20)
  void theWaitDoublesUpToAMinuteWithSomeChance() {
    assertThat(schedule.after(1, Optional.empty())).isBetween(millis(750), millis(1_250));
    assertThat(schedule.after(3, Optional.empty())).isBetween(millis(3_000), millis(5_000));
    assertThat(schedule.after(40, Optional.empty())).isBetween(millis(45_000), millis(75_000));
  }

  @RepeatedTest(20)
  void whatIsAskedForIsTheWaitHoweverOftenItWasTried() {
    var asked = Optional.of(Duration.ofSeconds(8));

    assertThat(schedule.after(1, asked)).isBetween(millis(8_000), millis(10_000));
    assertThat(schedule.after(9, asked)).isBetween(millis(8_000), millis(10_000));
    assertThat(schedule.after(9, Optional.of(Duration.ofMinutes(10))))
        .isBetween(Duration.ofMinutes(10), Duration.ofSeconds(750));
  }

  @Test
  void nobodyCanAskForNoWait() {
    assertThat(schedule.after(1, Optional.of(Duration.ZERO))).isBetween(SECOND, millis(1_250));
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
