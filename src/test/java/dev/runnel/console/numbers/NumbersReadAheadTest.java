package dev.runnel.console.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.RunStatistics;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NumbersReadAheadTest {
  private final SettableClock clock = new SettableClock();
  private final List<Duration> reads = new ArrayList<>();
  private final RunStatistics service =
      new RunStatistics() {
        @Override
        public Optional<List<Fact>> between(Instant from, Instant to) {
          reads.add(Duration.between(from, to));
          var at = clock.instant().minus(Duration.ofDays(3));
          var run =
              new Fact(
                  at,
                  Optional.empty(),
                  Duration.ZERO,
                  RunState.SUCCEEDED,
                  "SLACK",
                  "shop",
                  "opus",
                  0);
          return Optional.of(at.isBefore(from) || !at.isBefore(to) ? List.of() : List.of(run));
        }

        @Override
        public Optional<Set<LocalDate>> daysChangedSince(Instant from) {
          return Optional.of(Set.of());
        }
      };
  private final Numbers numbers =
      new Numbers(
          service,
          (_, _, _) -> List.of(),
          new MemoryStore(),
          () -> Policy.NONE,
          it -> it,
          _ -> true,
          clock);

  @Test
  void theFirstPageReadsOnlyWhatChangedSinceTheStart() {
    numbers.readAhead();
    assertThat(reads).contains(Duration.ofDays(NumbersPage.PERIODS.getLast()));
    reads.clear();
    clock.advance(Duration.ofSeconds(30));

    assertThat(numbers.of(30).days()).isEqualTo(30);

    assertThat(reads).allMatch(it -> it.compareTo(Duration.ofDays(1)) <= 0);
  }
}
