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
    private final Map<String, Folders.Extent> shares = new HashMap<>();
    private Folders.Extent last = Folders.Extent.NOTHING;

    /// Charges what has changed since the last time.
    void measure(Folders.Extent now) {
      var users = Math.max(shares.size(), 1);
      var bytes = (now.bytes() - last.bytes()) / users;
      var entries = (now.entries() - last.entries()) / users;
      shares.replaceAll(
          (_, share) ->
              new Folders.Extent(
                  Math.max(share.bytes() + bytes, 0),
                  Math.max(share.entries() + entries, 0),
                  true));
      last = now;
    }
  }

  /// Measures a folder.
  @FunctionalInterface
  interface Measure {
    Folders.Extent of(Path folder) throws IOException;
  }

  private final Path folder;
  private final Measure measure;
  // Guarded by this.
  private final Map<Path, Use> uses = new HashMap<>();

  SharedCaches(Path folder) {
    this(folder, Folders::extent);
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
      var extent = Files.isDirectory(cache) ? measure.of(cache) : Folders.Extent.NOTHING;
      synchronized (this) {
        var use = uses.computeIfAbsent(cache, _ -> new Use());
        use.measure(extent);
        use.shares.putIfAbsent(runId, Folders.Extent.NOTHING);
      }
    }
    Folders.createPrivately(cache);
    return cache;
  }

  /// What is charged to a run; nothing if it uses no cache.
  Folders.Extent share(String runId) throws IOException {
    for (var cache : usedBy(runId)) {
      charge(cache, measure.of(cache));
    }
    synchronized (this) {
      return uses.values().stream()
          .map(it -> it.shares.getOrDefault(runId, Folders.Extent.NOTHING))
          .reduce(Folders.Extent.NOTHING, Folders.Extent::plus);
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

  private synchronized void charge(Path cache, Folders.Extent extent) {
    var use = uses.get(cache);
    if (use != null) {
      use.measure(extent);
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
      } else if (!isUsedByOthers(each, "")
          && measure.of(each).bytes() >= least
          && delete(each, "")) {
        deleted = true;
      }
    }
    return deleted;
  }

  /// Deletes the caches that a run has made bigger, unless another run uses them, too. No process
  /// of the run may be running.
  void deleteOf(String runId) throws IOException {
    for (var each : filesGrownBy(runId)) {
      var _ = delete(each, runId);
    }
  }

  private List<Path> filesGrownBy(String runId) throws IOException {
    if (share(runId).bytes() == 0) {
      return List.of();
    }
    synchronized (this) {
      return uses.entrySet().stream()
          .filter(
              each ->
                  each.getValue().shares.getOrDefault(runId, Folders.Extent.NOTHING).bytes() > 0)
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
