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

/// The download caches: one folder for each environment, which is mounted in all its runs. A cache
/// that a run uses is not deleted. The growth of a cache is charged to the runs that use it at that
/// time, in equal shares. Thread-safe.
///
/// What a run wrote to a cache cannot be told from what others wrote. So to forget a run means to
/// delete the cache of its environment, as soon as no run uses it: a file beside the cache asks for
/// that, because the command that forgets is another process.
///
/// An agent can create a cache that takes minutes to measure, so caches are measured without
/// holding the lock.
public final class SharedCaches {
  private static final Logger log = LoggerFactory.getLogger(SharedCaches.class);
  private static final String TRASH = ".trash-";
  private static final String FORGOTTEN = ".forget-";

  /// The usage of one cache by runs.
  private static final class CacheUsage {
    private final Map<String, Folders.Extent> shares = new HashMap<>();
    private Folders.Extent lastExtent = Folders.Extent.NOTHING;

    /// Charges the growth since the last measurement.
    void measure(Folders.Extent now) {
      var users = Math.max(shares.size(), 1);
      var bytes = (now.bytes() - lastExtent.bytes()) / users;
      var entries = (now.entries() - lastExtent.entries()) / users;
      shares.replaceAll(
          (_, share) ->
              new Folders.Extent(
                  Math.max(share.bytes() + bytes, 0),
                  Math.max(share.entries() + entries, 0),
                  true));
      lastExtent = now;
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
  private final Map<Path, CacheUsage> usages = new HashMap<>();

  /// @param folder the folder of all caches
  public SharedCaches(Path folder) {
    this(folder, Folders::extent);
  }

  SharedCaches(Path folder, Measure measure) {
    this.folder = folder;
    this.measure = measure;
  }

  /// Asks the process that uses the caches to delete that of an environment as soon as no run uses
  /// it.
  ///
  /// @return whether there is such a cache
  public boolean forget(String environment) throws IOException {
    var cache = folder.resolve(environment);
    if (!folder.equals(cache.getParent()) || !Files.isDirectory(cache)) {
      return false;
    }
    Folders.writePrivately(folder.resolve(FORGOTTEN + environment), "");
    return true;
  }

  /// Deletes the caches that are to be forgotten and that no run of this process uses.
  public void deleteForgotten() throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    List<Path> all;
    try (var files = Files.list(folder)) {
      all = files.filter(SharedCaches::isRequest).toList();
    }
    for (var request : all) {
      var name = request.getFileName().toString().substring(FORGOTTEN.length());
      var cache = folder.resolve(name);
      if (!Files.isDirectory(cache) || delete(cache, "")) {
        Files.deleteIfExists(request);
      }
    }
  }

  /// Marks the cache of an environment as in use by a run, until [#release].
  ///
  /// @return its folder, which exists then
  Path use(String runId, String environment) throws IOException {
    deleteForgotten();
    var cache = folder.resolve(environment);
    if (!usedBy(runId).contains(cache)) {
      // Growth before this moment is charged to the other runs.
      var extent = Files.isDirectory(cache) ? measure.of(cache) : Folders.Extent.NOTHING;
      synchronized (this) {
        var use = usages.computeIfAbsent(cache, _ -> new CacheUsage());
        use.measure(extent);
        use.shares.putIfAbsent(runId, Folders.Extent.NOTHING);
      }
    }
    Folders.createPrivately(cache);
    return cache;
  }

  /// The growth that is charged to a run; nothing if it uses no cache.
  Folders.Extent share(String runId) throws IOException {
    for (var cache : usedBy(runId)) {
      charge(cache, measure.of(cache));
    }
    synchronized (this) {
      return usages.values().stream()
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
      usages.values().forEach(use -> use.shares.remove(runId));
      usages.values().removeIf(use -> use.shares.isEmpty());
    }
    try {
      deleteForgotten();
    } catch (IOException e) {
      log.warn("cannot delete caches that are to be forgotten, will retry", e);
    }
  }

  private synchronized List<Path> usedBy(String runId) {
    return usages.entrySet().stream()
        .filter(each -> each.getValue().shares.containsKey(runId))
        .map(Map.Entry::getKey)
        .toList();
  }

  private synchronized void charge(Path cache, Folders.Extent extent) {
    var use = usages.get(cache);
    if (use != null) {
      use.measure(extent);
    }
  }

  /// Deletes the caches that no run uses.
  ///
  /// @param minBytes minimum size in bytes of the caches to delete
  /// @return whether any cache was deleted
  boolean deleteUnused(long minBytes) throws IOException {
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
      } else if (!isRequest(each)
          && !isUsedByOthers(each, "")
          && measure.of(each).bytes() >= minBytes
          && delete(each, "")) {
        deleted = true;
      }
    }
    return deleted;
  }

  /// Deletes the caches to which a run has added files, unless another run uses them. No process of
  /// the run may be running.
  void deleteGrownBy(String runId) throws IOException {
    for (var each : cachesGrownBy(runId)) {
      var _ = delete(each, runId);
    }
  }

  private List<Path> cachesGrownBy(String runId) throws IOException {
    if (share(runId).bytes() == 0) {
      return List.of();
    }
    synchronized (this) {
      return usages.entrySet().stream()
          .filter(
              each ->
                  each.getValue().shares.getOrDefault(runId, Folders.Extent.NOTHING).bytes() > 0)
          .map(Map.Entry::getKey)
          .toList();
    }
  }

  private synchronized boolean isUsedByOthers(Path cache, String runId) {
    var use = usages.get(cache);
    return use != null && use.shares.keySet().stream().anyMatch(each -> !each.equals(runId));
  }

  /// Deletes a cache unless another run uses it.
  private boolean delete(Path cache, String runId) throws IOException {
    var trash = folder.resolve(TRASH + UUID.randomUUID());
    synchronized (this) {
      // A run that starts after the move gets a new folder.
      if (isUsedByOthers(cache, runId)) {
        return false;
      }
      Files.move(cache, trash, StandardCopyOption.ATOMIC_MOVE);
      usages.remove(cache);
    }
    log.info("caches deleted environment={}", cache.getFileName());
    Folders.delete(trash);
    return true;
  }

  private static boolean isRequest(Path path) {
    return path.getFileName().toString().startsWith(FORGOTTEN);
  }

  private static boolean isTrash(Path path) {
    return path.getFileName().toString().startsWith(TRASH);
  }
}
