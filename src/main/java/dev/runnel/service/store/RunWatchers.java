package dev.runnel.service.store;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Subscriptions to changes of runs and their transcripts. A notification carries no data; watchers
/// read the rows. Thread-safe.
public final class RunWatchers {
  private static final Logger log = LoggerFactory.getLogger(RunWatchers.class);

  /// A subscription; closing it ends it.
  public interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  private final Map<String, Set<Runnable>> watchers = new ConcurrentHashMap<>();

  /// @param changed called on the thread that made the change, after its commit; must return
  ///   quickly
  /// @return the subscription
  public Watch watch(String runId, Runnable changed) {
    // A new wrapper for each call, so that the same runnable can subscribe twice.
    Runnable watcher = () -> changed.run();
    watchers.compute(
        runId,
        (_, known) -> {
          var all = known == null ? ConcurrentHashMap.<Runnable>newKeySet() : known;
          all.add(watcher);
          return all;
        });
    return () ->
        watchers.computeIfPresent(
            runId,
            (_, known) -> {
              known.remove(watcher);
              return known.isEmpty() ? null : known;
            });
  }

  /// The runs that have watchers.
  public Set<String> watched() {
    return Set.copyOf(watchers.keySet());
  }

  /// Notifies the watchers of a run that it may have changed.
  public void changed(String runId) {
    for (var watcher : watchers.getOrDefault(runId, Set.of())) {
      try {
        watcher.run();
      } catch (RuntimeException e) {
        // The change is committed; a failing watcher must not affect the caller.
        log.error("watcher failed run={}", runId, e);
      }
    }
  }
}
