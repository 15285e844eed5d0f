package dev.runnel.service.isolation;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.Share;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/// Divides the share of memory for runs into parts, one for each run that can be executed at the
/// same time, so that no run has to wait for another one. What no part is guaranteed can be
/// borrowed: at most a quarter of the share by one run. Thread-safe.
public final class RunShares {
  private static final long MIB = 1024 * 1024;
  private static final int MOST = 4;

  /// What the decoding of one line takes at most: its text, the cells of a terminal, and what is
  /// parsed from it.
  private static final long DECODING = 12L * RunMemory.MAX_LINE;

  private static final long HEAP_STEP = 16 * MIB;

  // Guarded by this: the parts that no run uses.
  private final Deque<Share.Part> unused = new ArrayDeque<>();
  private final Semaphore decoder = new Semaphore(1, true);

  /// @param runs how many runs can be executed at the same time
  /// @throws MemorySpentException if the share is too small; see [#problem]
  public RunShares(MemoryBudget budget, int runs) {
    var share = budget.share(MemoryBudget.Kind.RUNS);
    var most = Math.max(RunMemory.GUARANTEED, share.size() / MOST);
    for (int i = 1; i <= runs; i++) {
      unused.add(share.part("run " + i, RunMemory.GUARANTEED, most));
    }
    // Taken for as long as there are runs.
    var _ = share.part("decoding", DECODING, DECODING);
  }

  /// Explains, for operators, why so many runs cannot be executed at the same time with this heap;
  /// empty if they can.
  public static Optional<String> problem(MemoryBudget budget, int runs) {
    var needed = DECODING + runs * RunMemory.GUARANTEED;
    if (fits(budget, needed)) {
      return Optional.empty();
    }
    var heap = budget.heap();
    while (!fits(MemoryBudget.of(heap), needed)) {
      heap += HEAP_STEP;
    }
    return Optional.of(
        ("The heap of %d MiB is too small for the output of %d runs at the same time: agents.slots"
             + " on each of the levels on which agents start others. Set RUNNEL_HEAP to %dm, or set"
             + " fewer agents.slots.")
            .formatted(budget.heap() / MIB, runs, heap / MIB));
  }

  private static boolean fits(MemoryBudget budget, long needed) {
    return needed <= budget.share(MemoryBudget.Kind.RUNS).size();
  }

  /// The memory of a run until it is closed.
  ///
  /// @throws NoSuchElementException if more runs are executed than were announced
  public RunMemory open() {
    Share.Part part;
    synchronized (this) {
      part = unused.removeLast();
    }
    return new RunMemory(part, decoder, () -> giveBack(part));
  }

  private synchronized void giveBack(Share.Part part) {
    unused.addLast(part);
  }
}
