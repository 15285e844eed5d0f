package dev.runnel.service.isolation;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.Share;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/// Divides the share of memory for runs into parts, one for each run that is executed. Each slot of
/// the first level has its part, so that no run waits for another one. Each level below, on which
/// agents start runs, has one part for sure, and more while the share has room; a run that gets
/// none stays queued. So a run that waits for those below it always ends. What no part is
/// guaranteed can be borrowed: at most a quarter of the share by one run. Thread-safe.
public final class RunShares {
  private static final long MIB = 1024 * 1024;
  private static final int MOST = 4;

  /// What the decoding of one line takes at most: its text, the cells of a terminal, and what is
  /// parsed from it.
  private static final long DECODING = 12L * RunMemory.MAX_LINE;

  private static final long HEAP_STEP = 16 * MIB;

  private final Share share;
  private final long most;
  private final Semaphore decoder = new Semaphore(1, true);

  // Guarded by this: the parts of each level that no run uses.
  private final List<Deque<Share.Part>> unused = new ArrayList<>();

  // Of the listing of skills.
  private final Share.Part listing;

  /// @param slots how many runs can be executed at the same time on the first level
  /// @param levels the number of levels
  /// @throws MemorySpentException if the share is too small; see [#problem]
  public RunShares(MemoryBudget budget, int slots, int levels) {
    this.share = budget.share(MemoryBudget.Kind.RUNS);
    this.most = Math.max(RunMemory.GUARANTEED, share.size() / MOST);
    for (int level = 0; level < levels; level++) {
      var parts = new ArrayDeque<Share.Part>();
      for (int i = 0; i < (level == 0 ? slots : 1); i++) {
        parts.add(part());
      }
      unused.add(parts);
    }
    this.listing = part();
    // Taken for as long as there are runs.
    var _ = share.part("decoding", DECODING, DECODING);
  }

  private Share.Part part() {
    return share.part("a run", RunMemory.GUARANTEED, most);
  }

  /// Explains, for operators, why so many runs cannot be executed at the same time with this heap;
  /// empty if they can.
  public static Optional<String> problem(MemoryBudget budget, int slots, int levels) {
    var needed = DECODING + (slots + levels) * RunMemory.GUARANTEED;
    if (fits(budget, needed)) {
      return Optional.empty();
    }
    var heap = budget.heap();
    while (!fits(MemoryBudget.of(heap), needed)) {
      heap += HEAP_STEP;
    }
    return Optional.of(
        "The heap of %d MiB is too small for the output of %d agents at the same time. Set RUNNEL_HEAP to %dm, or set fewer agents.slots."
            .formatted(budget.heap() / MIB, slots, heap / MIB));
  }

  private static boolean fits(MemoryBudget budget, long needed) {
    return needed <= budget.share(MemoryBudget.Kind.RUNS).size();
  }

  /// The memory of a run until it is closed.
  ///
  /// @param level of the run: 0 unless another run started it
  /// @return empty if none is free
  public Optional<RunMemory> tryOpen(int level) {
    Share.Part own;
    synchronized (this) {
      own = unused.get(level).pollLast();
    }
    if (own != null) {
      var part = own;
      return Optional.of(new RunMemory(part, decoder, () -> giveBack(level, part)));
    }
    try {
      var part = part();
      return Optional.of(new RunMemory(part, decoder, part::close));
    } catch (MemorySpentException _) {
      return Optional.empty();
    }
  }

  /// The memory of the listing of skills, until it is closed. Only one may be open.
  public RunMemory openListing() {
    return new RunMemory(listing, decoder, () -> {});
  }

  private synchronized void giveBack(int level, Share.Part part) {
    unused.get(level).addLast(part);
  }
}
