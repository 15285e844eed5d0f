package dev.runnel.console.numbers;

import dev.runnel.core.port.RunStatistics;
import dev.runnel.core.port.RunStatistics.Fact;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Caches the sums of the runs of each day (UTC). A day is read again when one of its runs changed.
/// A deleted run does not count as a change, so each day is also read again within hours, one at a
/// time. Not thread-safe.
final class DailySums {
  /// Clocks of nodes differ, and a later commit may have an earlier time.
  private static final Duration MARGIN = Duration.ofMinutes(5);

  private static final Duration OLD = Duration.ofHours(1);

  private final RunStatistics runs;
  private final int most;
  private final TreeMap<LocalDate, Day> days = new TreeMap<>();
  private Instant readAt = Instant.EPOCH;

  private record Day(Instant readAt, RunSums sums) {}

  /// @param most number of days to keep
  DailySums(RunStatistics runs, int most) {
    this.runs = runs;
    this.most = most;
  }

  /// The sums of each day from the first one until today.
  ///
  /// @return empty if the service does not provide it
  Optional<SortedMap<LocalDate, RunSums>> since(LocalDate first, Instant now) {
    var today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    forget(today, now);
    readAt = now;
    for (var day = first; !day.isAfter(today); day = day.plusDays(1)) {
      if (days.containsKey(day)) {
        continue;
      }
      var end = day;
      while (!end.isAfter(today) && !days.containsKey(end)) {
        end = end.plusDays(1);
      }
      var read = runs.between(start(day), start(end));
      if (read.isEmpty()) {
        return Optional.empty();
      }
      keep(day, end, read.get(), now);
    }
    var sums = new TreeMap<LocalDate, RunSums>();
    days.tailMap(first).forEach((day, its) -> sums.put(day, its.sums()));
    return Optional.of(sums);
  }

  /// Removes the days that have to be read again.
  private void forget(LocalDate today, Instant now) {
    days.headMap(today.minusDays(most)).clear();
    if (days.isEmpty()) {
      return;
    }
    runs.daysChangedSince(readAt.minus(MARGIN))
        .ifPresentOrElse(it -> days.keySet().removeAll(it), days::clear);
    days.entrySet().stream()
        .filter(it -> it.getValue().readAt().isBefore(now.minus(OLD)))
        .min(Comparator.comparing(it -> it.getValue().readAt()))
        .map(Map.Entry::getKey)
        .ifPresent(days::remove);
  }

  private void keep(LocalDate from, LocalDate to, List<Fact> facts, Instant now) {
    var byDay = new TreeMap<LocalDate, List<Fact>>();
    for (var day = from; day.isBefore(to); day = day.plusDays(1)) {
      byDay.put(day, new ArrayList<>());
    }
    for (var fact : facts) {
      var day = byDay.get(LocalDate.ofInstant(fact.createdAt(), ZoneOffset.UTC));
      if (day != null) {
        day.add(fact);
      }
    }
    byDay.forEach((day, its) -> days.put(day, new Day(now, RunSums.of(its))));
  }

  private static Instant start(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant();
  }
}
