package dev.runnel.console.numbers;

import dev.runnel.core.port.StartStatistics;
import dev.runnel.core.port.StartStatistics.By;
import dev.runnel.core.port.StartStatistics.Sum;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Caches the sums of the starts of each day (UTC) before yesterday, when nearly all of their runs
/// have ended. Later changes are read within hours, one day at a time. Not thread-safe.
final class DailyStarts {
  private static final Duration OLD = Duration.ofHours(1);

  private final StartStatistics starts;
  private final int most;
  private final Map<Key, Day> days = new HashMap<>();

  private record Key(By by, LocalDate day) {}

  private record Day(Instant readAt, List<Sum> sums) {}

  /// @param most number of days to keep
  DailyStarts(StartStatistics starts, int most) {
    this.starts = starts;
    this.most = most;
  }

  /// The sums of starts from the first day until now, the most runs first.
  List<Sum> since(By by, LocalDate first, Instant now) {
    var today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    days.keySet().removeIf(it -> it.day().isBefore(today.minusDays(most)));
    days.entrySet().stream()
        .filter(it -> it.getKey().by() == by && it.getValue().readAt().isBefore(now.minus(OLD)))
        .min(Comparator.comparing(it -> it.getValue().readAt()))
        .map(Map.Entry::getKey)
        .ifPresent(days::remove);
    var sums = new HashMap<String, Sum>();
    var day = first;
    for (; day.isBefore(today.minusDays(1)); day = day.plusDays(1)) {
      var one = day;
      days.computeIfAbsent(new Key(by, day), _ -> new Day(now, read(by, one, one.plusDays(1))))
          .sums()
          .forEach(it -> sums.merge(it.key(), it, Sum::plus));
    }
    read(by, day, today.plusDays(1)).forEach(it -> sums.merge(it.key(), it, Sum::plus));
    return sums.values().stream()
        .sorted(Comparator.comparingLong(Sum::runs).reversed().thenComparing(Sum::key))
        .toList();
  }

  private List<Sum> read(By by, LocalDate from, LocalDate to) {
    return starts.sums(by, start(from), start(to));
  }

  private static Instant start(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant();
  }
}
