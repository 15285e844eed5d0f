package dev.runnel.core.model;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// When something happens, once or repeatedly, in a time zone. A local time that a daylight saving
/// change skips is moved an hour later; of one that occurs twice, the first counts.
public sealed interface Timing {
  /// On some days of each week.
  record Weekly(Set<DayOfWeek> days, LocalTime at) implements Timing {
    public Weekly {
      if (days.isEmpty()) {
        throw new IllegalArgumentException("A week needs a day");
      }
      days = Set.copyOf(days);
    }
  }

  /// On a day of each month; in a shorter month on its last day.
  record Monthly(int day, LocalTime at) implements Timing {}

  /// Every N hours, days or weeks.
  ///
  /// @param at only with days and weeks
  record Periodic(int every, ChronoUnit unit, Optional<LocalTime> at) implements Timing {
    private Instant after(Instant before, Instant now, ZoneId zone) {
      if (unit == ChronoUnit.HOURS) {
        var period = Duration.ofHours(every);
        return before.plus(
            period.multipliedBy(Duration.between(before, now).dividedBy(period) + 1));
      }
      var planned = before.atZone(zone);
      var time = at.orElse(planned.toLocalTime());
      var date = planned.toLocalDate();
      Instant then;
      do {
        date = date.plus(every, unit);
        then = date.atTime(time).atZone(zone).toInstant();
      } while (!then.isAfter(now));
      return then;
    }
  }

  /// Once, after an amount of time; at the current time of day if no time is given.
  record In(int amount, ChronoUnit unit, Optional<LocalTime> at) implements Timing {}

  /// Once, on a date.
  record On(LocalDate date, LocalTime at) implements Timing {}

  /// Once, on the next such day of the week.
  record Next(DayOfWeek day, LocalTime at) implements Timing {}

  /// The first occurrence. Only that of [On] may be in the past.
  default Instant first(Instant now, ZoneId zone) {
    var here = now.atZone(zone);
    return switch (this) {
      case Weekly(var days, var at) -> onDays(days, at, here);
      case Next(var day, var at) -> onDays(Set.of(day), at, here);
      case Monthly(var day, var at) -> {
        var month = YearMonth.from(here);
        var first = on(month, day).atTime(at).atZone(zone).toInstant();
        yield first.isAfter(now)
            ? first
            : on(month.plusMonths(1), day).atTime(at).atZone(zone).toInstant();
      }
      case Periodic(_, _, var at) when at.isPresent() ->
          onDays(EnumSet.allOf(DayOfWeek.class), at.get(), here);
      case Periodic(var every, var unit, _) -> here.plus(every, unit).toInstant();
      case In(var amount, var unit, var at) -> {
        var then = here.plus(amount, unit);
        yield at.map(time -> then.toLocalDate().atTime(time).atZone(zone)).orElse(then).toInstant();
      }
      case On(var date, var at) -> date.atTime(at).atZone(zone).toInstant();
    };
  }

  /// The next occurrence after `now`; empty if there is only one.
  ///
  /// @param before the planned time of the previous occurrence
  default Optional<Instant> next(Instant before, Instant now, ZoneId zone) {
    return switch (this) {
      case Weekly _, Monthly _ -> Optional.of(first(now, zone));
      case Periodic periodic -> Optional.of(periodic.after(before, now, zone));
      case In _, On _, Next _ -> Optional.empty();
    };
  }

  default boolean repeats() {
    return switch (this) {
      case Weekly _, Monthly _, Periodic _ -> true;
      case In _, On _, Next _ -> false;
    };
  }

  /// For a sentence: `every Monday and Friday at 09:00`. Empty for what happens once.
  default String words() {
    return switch (this) {
      case Weekly(var days, var at) -> "every " + names(days) + " at " + at;
      case Monthly(var day, var at) -> "every month on day " + day + " at " + at;
      case Periodic(var every, var unit, var at) -> {
        var name = unit.toString().toLowerCase(Locale.ROOT);
        yield (every == 1
                ? "every " + name.substring(0, name.length() - 1)
                : "every " + every + " " + name)
            + at.map(time -> " at " + time).orElse("");
      }
      case In _, On _, Next _ -> "";
    };
  }

  private static String names(Set<DayOfWeek> days) {
    var weekend = Set.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY);
    if (days.size() == DayOfWeek.values().length) {
      return "day";
    }
    if (days.size() == 5 && weekend.stream().noneMatch(days::contains)) {
      return "weekday";
    }
    return days.stream()
        .sorted()
        .map(day -> day.getDisplayName(TextStyle.FULL, Locale.ENGLISH))
        .collect(Collectors.joining(" and "));
  }

  private static Instant onDays(Set<DayOfWeek> days, LocalTime at, ZonedDateTime now) {
    return Arrays.stream(DayOfWeek.values())
        .filter(days::contains)
        .flatMap(
            day -> {
              var date = now.toLocalDate().with(TemporalAdjusters.nextOrSame(day));
              return Stream.of(date, date.plusWeeks(1));
            })
        .map(date -> date.atTime(at).atZone(now.getZone()).toInstant())
        .filter(then -> then.isAfter(now.toInstant()))
        .min(Instant::compareTo)
        .orElseThrow();
  }

  private static LocalDate on(YearMonth month, int day) {
    return month.atDay(Math.min(day, month.lengthOfMonth()));
  }
}
