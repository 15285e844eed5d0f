package dev.runnel.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.memory.MemoryBudget.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryBudgetTest {
  private static final long MIB = 1024 * 1024;

  @Test
  void sharesOfUsualHeapsAreThoseOfTheDocumentation() {
    assertThat(mebibytes(256))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                Kind.UNPROVEN,
                16L,
                Kind.PROVEN,
                32L,
                Kind.RUNS,
                48L,
                Kind.READERS,
                16L,
                Kind.STEPS,
                16L));
    assertThat(mebibytes(512))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                Kind.UNPROVEN,
                32L,
                Kind.PROVEN,
                80L,
                Kind.RUNS,
                144L,
                Kind.READERS,
                48L,
                Kind.STEPS,
                48L));
    assertThat(mebibytes(2048))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                Kind.UNPROVEN,
                96L,
                Kind.PROVEN,
                256L,
                Kind.RUNS,
                960L,
                Kind.READERS,
                192L,
                Kind.STEPS,
                192L));
  }

  @ParameterizedTest
  @ValueSource(longs = {192, 256, 300, 512, 1000, 4096, 65536})
  void sumOfAllSharesAndTheProgramFitsInTheHeap(long heap) {
    var budget = MemoryBudget.of(heap * MIB);

    var sum = Arrays.stream(Kind.values()).mapToLong(kind -> budget.share(kind).size()).sum();

    assertThat(sum + 96 * MIB + budget.heap() / 8).isLessThanOrEqualTo(budget.heap());
  }

  /// The largest page has two mebibytes.
  @Test
  void onePageCanBeMadeWhateverOtherReadersTake() {
    var readers = MemoryBudget.of(256 * MIB).share(Kind.READERS);
    for (var part : ReaderPart.values()) {
      assertThat(part.of(readers).tryTake(part.size(readers))).as(part.name()).isPresent();
    }

    assertThat(readers.tryTake(2 * MIB)).isPresent();
  }

  private static Map<Kind, Long> mebibytes(long heap) {
    var budget = MemoryBudget.of(heap * MIB);
    return Arrays.stream(Kind.values())
        .collect(
            java.util.stream.Collectors.toMap(
                kind -> kind, kind -> budget.share(kind).size() / MIB));
  }

  @Nested
  class ShareOfHundredBytes {
    private final Share share = new CountedShare("tests", 100);

    @Test
    void bytesAreRefusedWhileTheShareIsSpent() {
      var lease = share.tryTake(70).orElseThrow();

      assertThat(share.tryTake(31)).isEmpty();
      assertThat(share.taken()).isEqualTo(70);
      assertThat(share.refusals()).isEqualTo(1);

      lease.close();
      assertThat(share.tryTake(100)).isPresent();
    }

    @Test
    void refusalOfAPartCountsForItsShare() {
      try (var part = share.part("owner", 0, 10)) {
        assertThat(part.tryTake(11)).isEmpty();

        assertThat(part.refusals()).isEqualTo(1);
        assertThat(share.refusals()).isEqualTo(1);
      }
    }

    @Test
    void closingTwiceReturnsTheBytesOnce() {
      var first = share.tryTake(70).orElseThrow();
      var second = share.tryTake(30).orElseThrow();

      first.close();
      first.close();

      assertThat(share.taken()).isEqualTo(30);
      second.close();
      assertThat(share.taken()).isZero();
    }

    @Test
    void leaseGrowsWhileBytesAreFree() {
      try (var lease = share.tryTake(10).orElseThrow()) {
        assertThat(lease.grow(90)).isTrue();
        assertThat(lease.grow(1)).isFalse();
        assertThat(lease.bytes()).isEqualTo(100);

        lease.shrink(60);
        assertThat(share.taken()).isEqualTo(40);
      }
      assertThat(share.taken()).isZero();
    }

    @Test
    void movedLeaseTakesItsBytesFromTheOtherShare() {
      var other = new CountedShare("others", 50);
      var lease = share.tryTake(50).orElseThrow();

      assertThat(lease.moveTo(other)).isTrue();
      assertThat(share.taken()).isZero();
      assertThat(other.taken()).isEqualTo(50);

      var late = share.tryTake(1).orElseThrow();
      assertThat(late.moveTo(other)).isFalse();
      assertThat(share.taken()).isEqualTo(1);
    }

    @Test
    void waitingEndsWhenBytesAreReturned() throws Exception {
      var lease = share.tryTake(100).orElseThrow();
      var waiting = new FutureTask<>(() -> share.await(40, Duration.ofMinutes(1)));
      var thread = Thread.ofVirtual().start(waiting);
      while (thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }

      lease.shrink(40);

      assertThat(waiting.get(1, TimeUnit.MINUTES).bytes()).isEqualTo(40);
    }

    @Test
    void waitingForMoreThanTheShareFailsAtOnce() {
      assertThatThrownBy(() -> share.await(101, Duration.ofDays(1)))
          .isInstanceOf(MemorySpentException.class)
          .hasMessage(
              "The share of memory for tests is spent: 101 bytes are needed and 100 are free");
    }

    @Test
    void partHasItsGuaranteeAlthoughOthersTookTheRest() {
      try (var part = share.part("run 1", 20, 50)) {
        assertThat(share.taken()).isEqualTo(20);
        var rest = share.tryTake(80).orElseThrow();

        assertThat(part.tryTake(20)).isPresent();
        assertThat(part.tryTake(1)).isEmpty();

        rest.close();
        assertThat(part.tryTake(30)).isPresent();
        assertThat(part.tryTake(1)).as("more than its most").isEmpty();
        assertThat(share.taken()).isEqualTo(50);
      }
    }

    @Test
    void closedPartReturnsItsGuaranteeAndItsLeasesStayCounted() {
      var part = share.part("run 1", 20, 50);
      var lease = part.tryTake(30).orElseThrow();

      part.close();
      assertThat(share.taken()).isEqualTo(30);

      lease.close();
      assertThat(share.taken()).isZero();
    }

    @Test
    void partIsRefusedIfItsGuaranteeIsNotFree() {
      var _ = share.part("run 1", 60, 60);

      assertThatThrownBy(() -> share.part("run 2", 60, 60))
          .isInstanceOf(MemorySpentException.class);
    }
  }
}
