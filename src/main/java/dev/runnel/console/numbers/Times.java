package dev.runnel.console.numbers;

import java.time.Duration;

/// Durations for people, shorter than in sentences.
final class Times {
  private Times() {}

  /// `0.4 s`, `12 s`, `3 min`, `2 h 5 min`, `31 h`.
  static String of(Duration time) {
    var seconds = time.toSeconds();
    if (seconds < 10) {
      return "%d.%d s".formatted(seconds, time.toMillisPart() / 100);
    }
    if (seconds < 100) {
      return seconds + " s";
    }
    if (time.toMinutes() < 100) {
      return time.toMinutes() + " min";
    }
    return time.toHours() < 10
        ? time.toHours() + " h " + time.toMinutesPart() + " min"
        : time.toHours() + " h";
  }
}
