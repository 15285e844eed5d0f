package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.memory.MemoryBudget;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SendersTest {
  private static final int MIB = 1024 * 1024;
  private static final InetAddress ADDRESS = InetAddress.ofLiteral("198.51.100.1");
  private static final InetAddress OTHER = InetAddress.ofLiteral("198.51.100.2");

  private final MemoryBudget memory = MemoryBudget.of(256L * MIB);
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final Senders senders =
      new Senders(
          memory.share(MemoryBudget.Kind.UNPROVEN),
          memory.share(MemoryBudget.Kind.PROVEN).part("addresses", 0, 4 * MIB),
          memory.share(MemoryBudget.Kind.PROVEN).part("connections", 0, 8 * MIB),
          now::get);

  @Test
  void aProofLastsForAnHour() {
    senders.proved(ADDRESS);
    now.addAndGet(Duration.ofHours(1).toNanos() - 1);
    assertThat(senders.isProven(ADDRESS)).isTrue();
    assertThat(senders.isProven(OTHER)).isFalse();

    now.incrementAndGet();
    assertThat(senders.isProven(ADDRESS)).isFalse();
  }

  @Test
  void theOldestProofsAreForgotten() throws Exception {
    senders.proved(ADDRESS);
    for (int i = 0; i < 10_000; i++) {
      senders.proved(InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i}));
    }

    assertThat(senders.isProven(ADDRESS)).isFalse();
    assertThat(senders.isProven(InetAddress.ofLiteral("10.0.0.0"))).isTrue();
  }

  @Test
  void anAddressTakesAtMostThreeQuarters() {
    try (var request = senders.begin(ADDRESS, false);
        var other = senders.begin(OTHER, false)) {
      assertThat(request.tryTake(12 * MIB)).isPresent();
      assertThat(request.tryTake(1)).isEmpty();
      assertThat(other.tryTake(4 * MIB)).isPresent();
      assertThat(other.tryTake(1)).isEmpty();
    }
  }

  @Test
  void whoProvedItselfBeforeFindsMemoryBehindOthers() {
    senders.proved(ADDRESS);
    try (var greedy = senders.begin(OTHER, false);
        var greedyToo = senders.begin(InetAddress.ofLiteral("198.51.100.3"), false);
        var request = senders.begin(ADDRESS, false);
        var onProvenConnection = senders.begin(OTHER, true)) {
      assertThat(greedy.tryTake(12 * MIB)).isPresent();
      assertThat(greedyToo.tryTake(4 * MIB)).isPresent();

      assertThat(request.tryTake(4 * MIB)).isPresent();
      assertThat(request.tryTake(1)).isEmpty();
      assertThat(onProvenConnection.tryTake(8 * MIB)).isPresent();
      assertThat(onProvenConnection.tryTake(1)).isEmpty();
      assertThat(greedyToo.tryTake(1)).isEmpty();
    }
  }

  @Test
  void whatARequestHoldsMovesWhereThereIsRoomForMore() {
    var addresses = memory.share(MemoryBudget.Kind.PROVEN);
    senders.proved(ADDRESS);
    try (var greedy = senders.begin(OTHER, false);
        var request = senders.begin(ADDRESS, false)) {
      var lease = request.tryTake(MIB).orElseThrow();
      assertThat(greedy.tryTake(12 * MIB)).isPresent();

      assertThat(request.grow(lease, 3 * MIB)).isTrue();
      assertThat(request.grow(lease, MIB)).isFalse();
      assertThat(lease.bytes()).isEqualTo(4L * MIB);
      lease.close();
      assertThat(addresses.taken()).isZero();
    }
  }

  @Test
  void anAddressReadsOneLargeBodyAtATime() {
    try (var first = senders.begin(ADDRESS, false);
        var second = senders.begin(ADDRESS, false);
        var other = senders.begin(OTHER, false)) {
      assertThat(first.mayReadLargeBody()).isTrue();
      assertThat(first.mayReadLargeBody()).isTrue();
      assertThat(second.mayReadLargeBody()).isFalse();
      assertThat(other.mayReadLargeBody()).isTrue();

      first.endLargeBody();
      assertThat(second.mayReadLargeBody()).isTrue();
    }
    try (var third = senders.begin(ADDRESS, false)) {
      assertThat(third.mayReadLargeBody()).isTrue();
    }
  }
}
