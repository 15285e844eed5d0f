package dev.runnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Timing;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TimingTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /// The next times, each asked for as soon as the one before has come.
  private static List<String> times(Timing timing, String now, ZoneId zone, int count) {
    var times = new ArrayList<String>();
    var at = timing.first(Instant.parse(now), zone);
    for (int i = 0; i < count; i++) {
      times.add(at.toString());
      at = timing.next(at, at, zone).orElseThrow();
    }
    return times;
  }

  private static Timing daily(String at) {
    return new Timing.Weekly(EnumSet.allOf(DayOfWeek.class), LocalTime.parse(at));
  }

  @Test
  void scheduleKeepsItsLocalTimeWhenDaylightSavingBegins() {
    assertThat(times(daily("09:00"), "2026-03-27T12:00:00Z", BERLIN, 3))
        .containsExactly("2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z", "2026-03-30T07:00:00Z");
    assertThat(
            times(
                new Timing.Periodic(1, ChronoUnit.DAYS, Optional.empty()),
                "2026-03-27T08:00:00Z",
                BERLIN,
                3))
        .containsExactly("2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z", "2026-03-30T07:00:00Z");
  }

  @Test
  void skippedTimeMovesAnHourAndRepeatedTimeIsTheFirst() {
    assertThat(times(daily("02:30"), "2026-03-28T12:00:00Z", BERLIN, 2))
        .containsExactly("2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z");
    assertThat(times(daily("02:30"), "2026-10-24T12:00:00Z", BERLIN, 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
  }

  @Test
  void dayMissingInAMonthBecomesItsLastDay() {
    assertThat(
            times(
                new Timing.Monthly(31, LocalTime.of(8, 0)),
                "2026-01-31T09:00:00Z",
                ZoneOffset.UTC,
                3))
        .containsExactly("2026-02-28T08:00:00Z", "2026-03-31T08:00:00Z", "2026-04-30T08:00:00Z");
  }

  @Test
  void missedTimesAreSkipped() {
    var planned = Instant.parse("2026-01-05T09:00:00Z");
    var now = planned.plus(Duration.ofDays(10)).plusSeconds(1);

    assertThat(daily("09:00").next(planned, now, ZoneOffset.UTC))
        .contains(Instant.parse("2026-01-16T09:00:00Z"));
    assertThat(
            new Timing.Periodic(4, ChronoUnit.HOURS, Optional.empty())
                .next(planned, now, ZoneOffset.UTC))
        .contains(Instant.parse("2026-01-15T13:00:00Z"));
    assertThat(
            new Timing.Periodic(2, ChronoUnit.WEEKS, Optional.of(LocalTime.of(9, 0)))
                .next(planned, now, ZoneOffset.UTC))
        .contains(Instant.parse("2026-01-19T09:00:00Z"));
  }

  @Test
  void oneTimeTimingHasNoNextTime() {
    var now = Instant.parse("2026-01-05T09:00:00Z");

    assertThat(new Timing.Next(DayOfWeek.MONDAY, LocalTime.of(9, 0)).next(now, now, ZoneOffset.UTC))
        .isEmpty();
    assertThat(new Timing.Weekly(Set.of(DayOfWeek.MONDAY), LocalTime.of(9, 0)).repeats()).isTrue();
  }
}
