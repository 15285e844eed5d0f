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

  private final Path folder;
  // Guarded by this.
  private final Map<Path, Use> uses = new HashMap<>();

  SharedCaches(Path folder) {
    this.folder = folder;
  }

  /// Marks the cache of an environment as in use by a run, until [#release].
  ///
  /// @return its folder, which exists then
  synchronized Path use(String runId, String environment) throws IOException {
    var cache = folder.resolve(environment);
    var use = uses.computeIfAbsent(cache, _ -> new Use());
    if (!use.shares.containsKey(runId)) {
      // Until now it was charged to the others.
      use.measure(Files.isDirectory(cache) ? Folders.size(cache) : 0);
      use.shares.put(runId, 0L);
    }
    Folders.createPrivately(cache);
    return cache;
  }

  /// The bytes that are charged to a run; 0 if it uses no cache.
  synchronized long share(String runId) throws IOException {
    var bytes = 0L;
    for (var each : uses.entrySet()) {
      if (each.getValue().shares.containsKey(runId)) {
        each.getValue().measure(Folders.size(each.getKey()));
        bytes += each.getValue().shares.get(runId);
      }
    }
    return bytes;
  }

  synchronized void release(String runId) {
    uses.forEach(
        (cache, use) -> {
          try {
            if (use.shares.containsKey(runId)) {
              use.measure(Folders.size(cache));
            }
          } catch (IOException e) {
            log.warn("cannot measure caches environment={}", cache.getFileName(), e);
          }
          use.shares.remove(runId);
        });
    uses.values().removeIf(use -> use.shares.isEmpty());
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
      } else if (!isUsedByOthers(each, "") && Folders.size(each) >= least && delete(each, "")) {
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

  private synchronized List<Path> grownBy(String runId) throws IOException {
    return share(runId) == 0
        ? List.of()
        : uses.entrySet().stream()
            .filter(each -> each.getValue().shares.getOrDefault(runId, 0L) > 0)
            .map(Map.Entry::getKey)
            .toList();
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
