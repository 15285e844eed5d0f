package dev.runnel.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EditPacingTest {
  private static final int MAX = 25;
  private static final Instant START = Instant.parse("2026-01-05T09:00:00Z");

  @Test
  void aRunThatReportsEachSecondIsEditedLessAndLess() {
    var edits = reports(Duration.ofMinutes(13), 1).values().iterator().next();

    assertThat(between(edits, 0, 1)).isLessThanOrEqualTo(10);
    assertThat(between(edits, 1, 2)).isLessThanOrEqualTo(4);
    assertThat(between(edits, 8, 9)).isEqualTo(4);
    assertThat(between(edits, 11, 12)).isEqualTo(1);
  }

  @Test
  void allRunsOfABudgetShareTwentyFiveEditsAMinute() {
    var edits = reports(Duration.ofMinutes(3), 20);

    var all = edits.values().stream().flatMap(List::stream).sorted().toList();
    for (var from : all) {
      assertThat(all.stream().filter(at -> !at.isBefore(from) && at.isBefore(from.plusSeconds(60))))
          .hasSizeLessThanOrEqualTo(MAX);
    }
    assertThat(all).hasSizeGreaterThan(70);
  }

  @Test
  void firstEditIsNotDelayed() {
    assertThat(EditPacing.next(START, Optional.empty(), List.of(), 0, MAX, START)).isEqualTo(START);
  }

  @Test
  void anEditThatFollowsSoonWaitsSixSeconds() {
    assertThat(
            EditPacing.next(
                START, Optional.of(START), List.of(START), 0, MAX, START.plusSeconds(1)))
        .isEqualTo(START.plusSeconds(6));
  }

  @Test
  void editWaitsForTheOldestEditToExpireIfTheBudgetIsSpent() {
    var made = IntStream.range(0, 25).mapToObj(START::plusSeconds).toList();

    assertThat(EditPacing.next(START, Optional.empty(), made, 0, MAX, START.plusSeconds(30)))
        .isEqualTo(START.plusSeconds(60));
  }

  @Test
  void waitingEditsAreScheduledAtDifferentTimes() {
    var made = IntStream.range(0, 25).mapToObj(START::plusMillis).toList();
    var now = START.plusSeconds(50);

    assertThat(EditPacing.next(START, Optional.empty(), made, 4, MAX, now))
        .isEqualTo(START.plusSeconds(60));
    assertThat(EditPacing.next(START, Optional.empty(), made, 100, MAX, now))
        .isEqualTo(now.plusSeconds(240));
  }

  /// The edits of runs that all report each second, by run.
  private static Map<Integer, List<Instant>> reports(Duration time, int runs) {
    var edits = new HashMap<Integer, List<Instant>>();
    var made = new ArrayList<Instant>();
    for (var now = START; now.isBefore(START.plus(time)); now = now.plusSeconds(1)) {
      for (int run = 0; run < runs; run++) {
        var its = edits.computeIfAbsent(run, _ -> new ArrayList<>());
        var last = its.isEmpty() ? Optional.<Instant>empty() : Optional.of(its.getLast());
        if (!EditPacing.next(START, last, made, 0, MAX, now).isAfter(now)) {
          its.add(now);
          made.add(now);
        }
      }
    }
    return edits;
  }

  private static long between(List<Instant> edits, int from, int to) {
    return edits.stream()
        .filter(at -> !at.isBefore(START.plusSeconds(from * 60L)))
        .filter(at -> at.isBefore(START.plusSeconds(to * 60L)))
        .count();
  }
}
