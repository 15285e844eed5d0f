package dev.runnel.core.port;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The runs that people started in conversations, summed by who, where and with what.
public interface StartStatistics {
  /// What the sums are grouped by.
  enum By {
    PERSON,
    PLACE,
    ENVIRONMENT
  }

  /// @param key the person (`slack:U012345`), the channel or repository (`slack:T012AB/C012345`),
  ///   or the environment; empty for runs without one
  /// @param time how long agents worked
  /// @param micros the known cost in millionths
  /// @param unpriced how long agents worked whose cost is unknown
  record Sum(String key, long runs, Duration time, long micros, Duration unpriced) {
    /// The sum of both, with the key of this one.
    public Sum plus(Sum other) {
      return new Sum(
          key,
          runs + other.runs,
          time.plus(other.time),
          micros + other.micros,
          unpriced.plus(other.unpriced));
    }
  }

  /// The sums of starts in an interval, the most runs first.
  ///
  /// @param to exclusive
  List<Sum> sums(By by, Instant from, Instant to);
}
