package dev.runnel.console;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// Tells new reads of a run from repeated ones: a read of the same run by the same person within an
/// hour is a repetition. Thread-safe.
public final class TranscriptReads {
  private static final Duration ONE_READ = Duration.ofHours(1);
  private static final int MAX_READERS = 1000;

  // Guarded by this; the least recent read first.
  private final Map<String, Instant> readers = new LinkedHashMap<>();

  /// Remembers a read.
  ///
  /// @return whether it is a new one
  public synchronized boolean add(String reader, String run, Instant now) {
    var key = reader + " " + run;
    var before = readers.remove(key);
    readers.put(key, now);
    if (readers.size() > MAX_READERS) {
      readers.remove(readers.keySet().iterator().next());
    }
    return before == null || before.isBefore(now.minus(ONE_READ));
  }
}
