package dev.runnel.console.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.port.StartStatistics;
import dev.runnel.core.port.StartStatistics.By;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DailyStartsTest {
  private static final Instant NOW = Instant.parse("2026-03-10T12:00:00Z");
  private static final LocalDate TODAY = LocalDate.ofInstant(NOW, ZoneOffset.UTC);

  private record Start(Instant at, String person, long micros) {}

  private final List<Start> stored = new ArrayList<>();
  private final List<Duration> reads = new ArrayList<>();
  private final DailyStarts starts = new DailyStarts(this::sums, 90);

  private List<StartStatistics.Sum> sums(By by, Instant from, Instant to) {
    reads.add(Duration.between(from, to));
    return stored.stream()
        .filter(it -> !it.at().isBefore(from) && it.at().isBefore(to))
        .collect(Collectors.groupingBy(Start::person))
        .entrySet()
        .stream()
        .map(
            it ->
                new StartStatistics.Sum(
                    it.getKey(),
                    it.getValue().size(),
                    Duration.ZERO,
                    it.getValue().stream().mapToLong(Start::micros).sum(),
                    Duration.ZERO))
        .sorted(Comparator.comparing(StartStatistics.Sum::key))
        .toList();
  }

  private void start(int daysAgo, String person, long micros) {
    stored.add(new Start(NOW.minus(Duration.ofDays(daysAgo)), person, micros));
  }

  private List<StartStatistics.Sum> lastWeek(Instant now) {
    return starts.since(By.PERSON, TODAY.minusDays(6), now);
  }

  @Test
  void sumsOfDaysAddUpAndTheMostRunsAreFirst() {
    start(0, "ann", 1);
    start(5, "sam", 2);
    start(5, "ann", 4);
    start(7, "sam", 8);

    assertThat(lastWeek(NOW))
        .containsExactly(
            new StartStatistics.Sum("ann", 2, Duration.ZERO, 5, Duration.ZERO),
            new StartStatistics.Sum("sam", 1, Duration.ZERO, 2, Duration.ZERO));
  }

  @Test
  void onlyTodayAndYesterdayAreReadAgain() {
    var _ = lastWeek(NOW);
    reads.clear();
    start(1, "ann", 1);

    assertThat(lastWeek(NOW.plusSeconds(60))).hasSize(1);
    assertThat(reads).containsExactly(Duration.ofDays(2));
  }

  @Test
  void anOlderDayIsReadAgainWithinHours() {
    var _ = lastWeek(NOW);
    start(3, "ann", 1);

    var later = NOW.plus(Duration.ofHours(2));
    for (int i = 0; i < 5; i++) {
      var _ = lastWeek(later.plusSeconds(60L * i));
    }

    assertThat(lastWeek(later.plusSeconds(600))).hasSize(1);
  }

  @Test
  void oneDayPeriodExcludesTheDayBefore() {
    start(0, "ann", 1);
    start(1, "ann", 1);

    assertThat(starts.since(By.PERSON, TODAY, NOW).getFirst().runs()).isEqualTo(1);
  }
}
