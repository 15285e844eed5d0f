package dev.runnel.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  private static final Instant NOW = Instant.parse("2026-03-02T09:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private final RetryPolicy policy = RetryPolicy.standard(new Random());

  @RepeatedTest(20)
  void theDelayDoublesUpToAMinuteWithJitter() {
    assertThat(delay(1, Optional.empty())).isBetween(millis(750), millis(1_250));
    assertThat(delay(3, Optional.empty())).isBetween(millis(3_000), millis(5_000));
    assertThat(delay(40, Optional.empty())).isBetween(millis(45_000), millis(75_000));
  }

  @RepeatedTest(20)
  void requestedDelayAppliesToEveryAttempt() {
    var asked = Optional.of(Duration.ofSeconds(8));

    assertThat(delay(1, asked)).isBetween(millis(8_000), millis(10_000));
    assertThat(delay(9, asked)).isBetween(millis(8_000), millis(10_000));
    assertThat(delay(9, Optional.of(Duration.ofMinutes(10))))
        .isBetween(Duration.ofMinutes(10), Duration.ofSeconds(750));
  }

  @Test
  void requestedDelayOfZeroBecomesASecond() {
    assertThat(delay(1, Optional.of(Duration.ZERO))).isBetween(SECOND, millis(1_250));
  }

  @Test
  void retriesDuringAnOutageContinueForADay() {
    var day = Duration.ofHours(24);

    assertThat(policy.afterOutage(2_000, NOW.minus(day), Optional.empty(), NOW)).isPresent();
    assertThat(policy.afterOutage(20, NOW.minus(day).minus(SECOND), Optional.empty(), NOW))
        .isEmpty();
  }

  @Test
  void deliveryOlderThanADayIsTriedTwentyTimes() {
    var lastWeek = NOW.minus(Duration.ofDays(7));

    assertThat(policy.afterOutage(19, lastWeek, Optional.empty(), NOW)).isPresent();
    assertThat(policy.afterOutage(20, lastWeek, Optional.empty(), NOW)).isEmpty();
  }

  @Test
  void anUnexpectedErrorIsTriedTenTimes() {
    assertThat(policy.afterError(9, NOW)).isPresent();
    assertThat(policy.afterError(10, NOW)).isEmpty();
  }

  private Duration delay(int attempts, Optional<Duration> retryAfter) {
    return Duration.between(NOW, policy.afterOutage(attempts, NOW, retryAfter, NOW).orElseThrow());
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
