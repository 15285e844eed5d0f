package dev.runnel.client;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.Headers;

/// Parses the wait that the service requests: `retry-after-ms`, then `Retry-After` in seconds, then
/// as a date. Values that are malformed or not in the future count as absent.
final class RetryAfter {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}(\\.\\d{1,9})?");
  private static final BigDecimal NANOS_A_MILLI = BigDecimal.valueOf(1_000_000);
  private static final BigDecimal NANOS_A_SECOND = BigDecimal.valueOf(1_000_000_000);

  private RetryAfter() {}

  /// @param longest a longer wait counts as absent
  static Optional<Duration> of(Headers headers, Instant now, Duration longest) {
    return number(headers, "retry-after-ms", NANOS_A_MILLI)
        .or(() -> number(headers, "Retry-After", NANOS_A_SECOND))
        .or(() -> date(headers, now))
        .filter(wait -> wait.isPositive() && wait.compareTo(longest) <= 0);
  }

  private static Optional<Duration> number(Headers headers, String name, BigDecimal unit) {
    return Optional.ofNullable(headers.get(name))
        .map(String::strip)
        .filter(value -> NUMBER.matcher(value).matches())
        .map(value -> Duration.ofNanos(new BigDecimal(value).multiply(unit).longValue()));
  }

  private static Optional<Duration> date(Headers headers, Instant now) {
    return Optional.ofNullable(headers.getInstant("Retry-After"))
        .map(date -> Duration.between(now, date));
  }
}
