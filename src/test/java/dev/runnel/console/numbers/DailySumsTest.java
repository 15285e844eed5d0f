package dev.runnel.console.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunStatistics;
import dev.runnel.core.port.RunStatistics.Fact;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DailySumsTest {
  private static final Instant NOW = Instant.parse("2026-03-10T12:00:00Z");
  private static final LocalDate TODAY = LocalDate.ofInstant(NOW, ZoneOffset.UTC);

  private final List<Fact> stored = new ArrayList<>();
  private final Set<LocalDate> changed = new HashSet<>();
  private final List<String> reads = new ArrayList<>();
  private final DailySums facts = new DailySums(new Service(), 90);

  /// A run service that notes what is read from it.
  private final class Service implements RunStatistics {
    @Override
    public Optional<List<Fact>> between(Instant from, Instant to) {
      reads.add(day(from) + " to " + day(to));
      return Optional.of(
          stored.stream()
              .filter(it -> !it.createdAt().isBefore(from) && it.createdAt().isBefore(to))
              .toList());
    }

    @Override
    public Optional<Set<LocalDate>> daysChangedSince(Instant from) {
      return Optional.of(Set.copyOf(changed));
    }
  }

  private static String day(Instant at) {
    return LocalDate.ofInstant(at, ZoneOffset.UTC).toString();
  }

  private static Fact run(LocalDate day) {
    var at = day.atTime(9, 0).toInstant(ZoneOffset.UTC);
    return new Fact(
        at, Optional.empty(), Duration.ZERO, RunState.QUEUED, "SLACK", "shop", "opus", 0);
  }

  private long runs(int days, Instant now) {
    return sum(facts, TODAY.minusDays(days - 1), now);
  }

  private static long sum(DailySums sums, LocalDate first, Instant now) {
    return sums.since(first, now).orElseThrow().values().stream()
        .mapToLong(it -> it.all().runs())
        .sum();
  }

  @Test
  void longerPeriodReadsOnlyTheDaysNotReadBefore() {
    stored.add(run(TODAY));
    stored.add(run(TODAY.minusDays(6)));
    stored.add(run(TODAY.minusDays(7)));

    assertThat(runs(7, NOW)).isEqualTo(2);
    assertThat(runs(7, NOW.plusSeconds(60))).isEqualTo(2);
    assertThat(runs(14, NOW.plusSeconds(60))).isEqualTo(3);

    assertThat(reads).containsExactly("2026-03-04 to 2026-03-11", "2026-02-25 to 2026-03-04");
  }

  @Test
  void aDayWithARunThatChangedIsReadAgain() {
    assertThat(runs(7, NOW)).isZero();
    stored.add(run(TODAY.minusDays(3)));
    changed.add(TODAY.minusDays(3));

    assertThat(runs(7, NOW.plusSeconds(60))).isEqualTo(1);
    assertThat(reads).last().isEqualTo("2026-03-07 to 2026-03-08");
  }

  @Test
  void deletedRunDisappearsFromTheSumsWithinHours() {
    stored.add(run(TODAY.minusDays(1)));
    assertThat(runs(2, NOW)).isEqualTo(1);
    stored.clear();

    assertThat(runs(2, NOW.plusSeconds(60))).isEqualTo(1);
    var later = NOW.plus(Duration.ofHours(2));
    assertThat(List.of(runs(2, later), runs(2, later.plusSeconds(60)))).contains(0L);
  }

  @Test
  void sumsAreReadEachTimeIfChangesAreUnknown() {
    stored.add(run(TODAY));
    var service = new Service();
    var unknown = new DailySums((from, to) -> service.between(from, to), 90);
    assertThat(sum(unknown, TODAY, NOW)).isEqualTo(1);
    stored.clear();

    assertThat(sum(unknown, TODAY, NOW.plusSeconds(60))).isZero();
    assertThat(new DailySums(RunStatistics.NONE, 90).since(TODAY, NOW)).isEmpty();
  }
}
