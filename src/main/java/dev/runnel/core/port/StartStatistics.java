package dev.runnel.core.port;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The runs that people started in conversations, summed by who, where and with what.
public interface StartStatistics {
  /// What is summed by.
  enum By {
    PERSON,
    PLACE,
    ENVIRONMENT
  }

  /// @param key the person (`slack:U012345`), the channel or repository (`slack:T012AB/C012345`),
  ///   or the environment; empty for runs without one
  /// @param time how long agents worked
  /// @param micros the cost in millionths
  record Sum(String key, long runs, Duration time, long micros) {}

  /// The sums of starts in an interval, the most runs first.
  ///
  /// @param to exclusive
  List<Sum> sums(By by, Instant from, Instant to);
}
