package dev.runnel.service.store;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who wants to know when a run or its transcript changed. They are told that it did, not what:
/// the rows say that.
public final class RunWatchers {
  private static final Logger log = LoggerFactory.getLogger(RunWatchers.class);

  /// Being told until closed.
  public interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  private final Map<String, Set<Runnable>> watchers = new ConcurrentHashMap<>();

  /// @param changed called by the thread that made the change, after its commit; must be quick
  /// @return ends the watching
  public Watch watch(String runId, Runnable changed) {
    // A wrapper of its own, so that the same runnable can watch twice.
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

  void changed(String runId) {
    for (var watcher : watchers.getOrDefault(runId, Set.of())) {
      try {
        watcher.run();
      } catch (RuntimeException e) {
        // The change is made; whoever looks on must not break what comes after it.
        log.error("watcher broke run={}", runId, e);
      }
    }
  }
}
