package dev.runnel.memory;

import java.util.EnumMap;
import java.util.Map;

/// Divides the heap into shares. Their sum is the heap without what the program itself needs and
/// without a reserve, so no combination of inputs can fill the heap.
///
/// | share | 256 MiB | 512 MiB | 2,048 MiB |
/// |---|---|---|---|
/// | [Kind#UNPROVEN] | 16 | 32 | 96 |
/// | [Kind#PROVEN] | 32 | 80 | 256 |
/// | [Kind#RUNS] | 48 | 144 | 960 |
/// | [Kind#READERS] | 16 | 48 | 192 |
/// | [Kind#STEPS] | 16 | 48 | 192 |
public final class MemoryBudget {
  private static final long MIB = 1024 * 1024;

  /// What the classes, caches and threads of Runnel itself need.
  private static final long PROGRAM = 96 * MIB;

  /// An eighth of the heap stays free for what is not counted and for the garbage collector.
  private static final int RESERVE = 8;

  /// The heap as set with `-Xmx` is larger than the one that Java reports by one of the collector's
  /// two survivor spaces. Heaps are multiples of this.
  private static final long HEAP_STEP = 16 * MIB;

  /// The kinds of data that wait in memory on behalf of others, with their part of each band of the
  /// memory to be shared. Larger heaps are spent more on runs.
  public enum Kind {
    /// Bodies of requests whose sender has proved nothing yet.
    UNPROVEN("requests without proof", 1, 1, 4),
    /// Deliveries whose signature is valid, until they are stored, and requests with a key.
    PROVEN("requests with proof", 2, 3, 11),
    /// Output and pending input of runs.
    RUNS("runs", 3, 6, 51),
    /// Pages, streams, transcripts and diffs for people and API callers.
    READERS("readers", 1, 2, 9),
    /// What platforms answer, and what is posted to them.
    STEPS("work in the background", 1, 2, 9);

    private final String title;
    private final int first;
    private final int second;
    private final int rest;

    Kind(String title, int first, int second, int rest) {
      this.title = title;
      this.first = first;
      this.second = second;
      this.rest = rest;
    }

    /// For people and for metrics, in lower case.
    public String title() {
      return title;
    }

    private long of(long pool) {
      var inFirst = Math.min(pool, FIRST_BAND);
      var inSecond = Math.clamp(pool - FIRST_BAND, 0, SECOND_BAND);
      var inRest = Math.max(0, pool - FIRST_BAND - SECOND_BAND);
      return inFirst / 8 * first + inSecond / 14 * second + inRest / 84 * rest;
    }
  }

  private static final long FIRST_BAND = 128 * MIB;
  private static final long SECOND_BAND = 224 * MIB;

  /// With less, a run has no room for its output.
  private static final long MIN_POOL = 32 * MIB;

  private final long heap;
  private final Map<Kind, Share> shares = new EnumMap<>(Kind.class);

  private MemoryBudget(long heap) {
    this.heap = heap;
    var pool = Math.max(MIN_POOL, heap - PROGRAM - heap / RESERVE);
    for (var kind : Kind.values()) {
      shares.put(kind, new CountedShare(kind.title(), kind.of(pool)));
    }
  }

  /// @param heap the maximum size of the heap in bytes
  public static MemoryBudget of(long heap) {
    return new MemoryBudget(heap);
  }

  /// The budget of this process.
  public static MemoryBudget ofThisProcess() {
    var reported = Runtime.getRuntime().maxMemory();
    return of(Math.ceilDiv(reported, HEAP_STEP) * HEAP_STEP);
  }

  /// The maximum size of the heap in bytes.
  public long heap() {
    return heap;
  }

  public Share share(Kind kind) {
    var share = shares.get(kind);
    if (share == null) {
      throw new IllegalStateException("No share for " + kind);
    }
    return share;
  }
}
