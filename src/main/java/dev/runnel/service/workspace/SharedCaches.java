package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The caches of downloads, one folder for each environment, which its runs have mounted at the
/// same time. A cache that a run uses is not deleted. What a cache grows by is charged to the runs
/// that use it at that time, in equal shares. Thread-safe.
///
/// An agent can make a cache that takes minutes to measure, so no cache is measured while others
/// wait.
final class SharedCaches {
  private static final Logger log = LoggerFactory.getLogger(SharedCaches.class);
  private static final String TRASH = ".trash-";

  /// The use of one cache.
  private static final class Use {
    private final Map<String, Long> shares = new HashMap<>();
    private long bytes;

    /// Charges what has changed since the last time.
    void measure(long now) {
      var each = shares.isEmpty() ? 0 : (now - bytes) / shares.size();
      shares.replaceAll((_, share) -> Math.max(share + each, 0));
      bytes = now;
    }
  }

  /// Measures a folder.
  @FunctionalInterface
  interface Measure {
    /// @return its size in bytes
    long of(Path folder) throws IOException;
  }

  private final Path folder;
  private final Measure measure;
  // Guarded by this.
  private final Map<Path, Use> uses = new HashMap<>();

  SharedCaches(Path folder) {
    this(folder, Folders::size);
  }

  SharedCaches(Path folder, Measure measure) {
    this.folder = folder;
    this.measure = measure;
  }

  /// Marks the cache of an environment as in use by a run, until [#release].
  ///
  /// @return its folder, which exists then
  Path use(String runId, String environment) throws IOException {
    var cache = folder.resolve(environment);
    if (!usedBy(runId).contains(cache)) {
      // Until now it was charged to the others.
      var bytes = Files.isDirectory(cache) ? measure.of(cache) : 0;
      synchronized (this) {
        var use = uses.computeIfAbsent(cache, _ -> new Use());
        use.measure(bytes);
        use.shares.putIfAbsent(runId, 0L);
      }
    }
    Folders.createPrivately(cache);
    return cache;
  }

  /// The bytes that are charged to a run; 0 if it uses no cache.
  long share(String runId) throws IOException {
    for (var cache : usedBy(runId)) {
      charge(cache, measure.of(cache));
    }
    synchronized (this) {
      return uses.values().stream().mapToLong(it -> it.shares.getOrDefault(runId, 0L)).sum();
    }
  }

  void release(String runId) {
    for (var cache : usedBy(runId)) {
      try {
        charge(cache, measure.of(cache));
      } catch (IOException e) {
        log.warn("cannot measure caches environment={}", cache.getFileName(), e);
      }
    }
    synchronized (this) {
      uses.values().forEach(use -> use.shares.remove(runId));
      uses.values().removeIf(use -> use.shares.isEmpty());
    }
  }

  private synchronized List<Path> usedBy(String runId) {
    return uses.entrySet().stream()
        .filter(each -> each.getValue().shares.containsKey(runId))
        .map(Map.Entry::getKey)
        .toList();
  }

  private synchronized void charge(Path cache, long bytes) {
    var use = uses.get(cache);
    if (use != null) {
      use.measure(bytes);
    }
  }

  /// Deletes the caches that no run uses.
  ///
  /// @param least how many bytes a cache must have
  /// @return whether there were any
  boolean deleteUnused(long least) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    List<Path> all;
    try (var folders = Files.list(folder)) {
      all = folders.toList();
    }
    var deleted = false;
    for (var each : all) {
      if (isTrash(each)) {
        Folders.delete(each);
      } else if (!isUsedByOthers(each, "") && measure.of(each) >= least && delete(each, "")) {
        deleted = true;
      }
    }
    return deleted;
  }

  /// Deletes the caches that a run has made bigger, unless another run uses them, too. No process
  /// of the run may be running.
  void deleteOf(String runId) throws IOException {
    for (var each : grownBy(runId)) {
      var _ = delete(each, runId);
    }
  }

  private List<Path> grownBy(String runId) throws IOException {
    if (share(runId) == 0) {
      return List.of();
    }
    synchronized (this) {
      return uses.entrySet().stream()
          .filter(each -> each.getValue().shares.getOrDefault(runId, 0L) > 0)
          .map(Map.Entry::getKey)
          .toList();
    }
  }

  private synchronized boolean isUsedByOthers(Path cache, String runId) {
    var use = uses.get(cache);
    return use != null && use.shares.keySet().stream().anyMatch(each -> !each.equals(runId));
  }

  /// Deletes a cache unless another run uses it.
  private boolean delete(Path cache, String runId) throws IOException {
    var trash = folder.resolve(TRASH + UUID.randomUUID());
    synchronized (this) {
      // A run that comes now gets a new folder.
      if (isUsedByOthers(cache, runId)) {
        return false;
      }
      Files.move(cache, trash, StandardCopyOption.ATOMIC_MOVE);
      uses.remove(cache);
    }
    log.info("caches deleted environment={}", cache.getFileName());
    Folders.delete(trash);
    return true;
  }

  private static boolean isTrash(Path path) {
    return path.getFileName().toString().startsWith(TRASH);
  }
}
