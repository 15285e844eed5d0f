package dev.runnel.core.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Decides when a status post may be edited to show progress. Platforms allow few edits, and limit
/// them for all runs together, while an agent may report every second. Changes of a run's state are
/// not paced. Pure.
public final class EditPacing {
  public static final Duration WINDOW = Duration.ofMinutes(1);

  private static final Duration YOUNG = Duration.ofMinutes(1);
  private static final Duration OLD = Duration.ofMinutes(10);

  private EditPacing() {}

  /// @param since when the run was requested
  /// @param last the last post or edit of its status; empty if unknown
  /// @param made the edits of all runs under the same budget, oldest first
  /// @param ahead number of edits of other runs that wait for the same budget
  /// @param max the maximum number of edits in a minute under the budget
  /// @return the earliest time of the edit, possibly in the past
  public static Instant next(
      Instant since, Optional<Instant> last, List<Instant> made, int ahead, int max, Instant now) {
    var earliest = last.map(at -> at.plus(gap(Duration.between(since, at)))).orElse(now);
    var recent = made.stream().filter(at -> at.plus(WINDOW).isAfter(now)).toList();
    if (recent.size() + ahead < max) {
      return earliest;
    }
    // Waiting edits get different times, so that they are not all checked again after each edit.
    var queued = now.plus(WINDOW.dividedBy(max).multipliedBy(ahead));
    var free = recent.size() < max ? queued : recent.get(recent.size() - max).plus(WINDOW);
    return Stream.of(earliest, queued, free).max(Instant::compareTo).get();
  }

  /// The minimum time between two edits of a run of that age.
  private static Duration gap(Duration age) {
    if (age.compareTo(YOUNG) < 0) {
      // With the changes of state, this makes at most twelve edits in the first minute.
      return Duration.ofSeconds(6);
    }
    return age.compareTo(OLD) < 0 ? Duration.ofSeconds(15) : Duration.ofMinutes(1);
  }
}
