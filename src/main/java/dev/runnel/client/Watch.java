package dev.runnel.client;

import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.wire.RunItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Watches all runs of a query by polling a list: one request per interval for any number of runs.
/// Temporary failures are retried. A watch never ends by itself: interrupt the thread, or cancel
/// the future.
///
/// A run that changes several times within an interval is reported once, in its latest state. A
/// change of `run_time` alone does not count.
public final class Watch {
  /// How far each poll goes back before the newest change seen, since a change may be listed after
  /// a slightly newer one.
  private static final Duration OVERLAP = Duration.ofSeconds(5);

  private final ClientContext context;
  private final Runs runs;
  private final ListRuns query;
  private final Duration interval;
  private final Optional<Instant> since;

  Watch(
      ClientContext context,
      Runs runs,
      ListRuns query,
      Duration interval,
      Optional<Instant> since) {
    this.context = context;
    this.runs = runs;
    this.query = query.fromTheBeginning();
    this.interval = interval;
    this.since = since;
  }

  /// Reports changes after this time by the service's clock; default: after the newest existing
  /// change.
  public Watch since(Instant time) {
    return new Watch(context, runs, query, interval, Optional.of(time));
  }

  /// An endless stream of changed runs, oldest change first. Not thread-safe.
  public Stream<RunItem> stream() {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(
            new Changes(), Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }

  /// Passes each changed run to the consumer, on the client's executor. The future never completes
  /// normally; it fails with a permanent failure or an exception of the consumer.
  public CompletableFuture<Done> forEachAsync(Consumer<RunItem> consumer) {
    return context.async(
        () -> {
          stream().forEach(consumer);
          return Done.DONE;
        });
  }

  private final class Changes implements Iterator<RunItem> {
    private final Queue<RunItem> found = new ArrayDeque<>();
    private Map<String, RunItem> known = new HashMap<>();
    private Optional<Instant> from = since;
    private boolean hasInitialState = since.isPresent();
    private Duration pause = Duration.ZERO;

    @Override
    public boolean hasNext() {
      return true;
    }

    @Override
    public RunItem next() {
      while (found.isEmpty()) {
        if (pause.isPositive()) {
          context.time().pause(pause, "watch runs", false);
        }
        pause = interval;
        try {
          poll();
        } catch (RunsException failure) {
          if (!failure.retryable() || failure instanceof RunsException.Interrupted) {
            throw failure;
          }
          var requestedDelay = failure.retryAfter().orElse(interval);
          pause = requestedDelay.compareTo(interval) > 0 ? requestedDelay : interval;
        }
      }
      return found.remove();
    }

    /// Stops after the first page with changes, so that a long list is not kept in memory. The next
    /// poll continues from there at once.
    private void poll() {
      if (!hasInitialState) {
        readInitialState();
        return;
      }
      var start = from.get().minus(OVERLAP);
      var seen = new HashMap<String, RunItem>();
      var pages =
          runs.pages(
                  query
                      .updatedAfter(start)
                      .sorted(SortBy.UPDATED_AT, SortOrder.ASC)
                      .limit(ListRuns.MAX_LIMIT))
              .iterator();
      var isInOrder = true;
      while (pages.hasNext() && (found.isEmpty() || !isInOrder)) {
        var page = pages.next().items();
        isInOrder &= isInOrder(page);
        page.forEach(run -> record(run, seen));
      }
      if (pages.hasNext()) {
        pause = Duration.ZERO;
      }
      // Only runs that can be listed again must be remembered.
      known = seen;
    }

    /// Whether the service sorts the list; if not, later pages may contain older changes.
    private static boolean isInOrder(List<RunItem> page) {
      var last = Instant.MIN;
      for (var run : page) {
        var updated = run.updatedAt();
        if (updated == null || updated.isBefore(last)) {
          return false;
        }
        last = updated;
      }
      return true;
    }

    /// Records the initial state, which does not count as a change.
    private void readInitialState() {
      if (from.isEmpty()) {
        var newest =
            runs.list(query.sorted(SortBy.UPDATED_AT, SortOrder.DESC).limit(1)).send().items();
        from =
            Optional.of(newest.stream().findFirst().map(RunItem::updatedAt).orElse(Instant.EPOCH));
      }
      var newestThen = from.get();
      runs.pages(query.updatedAfter(newestThen.minus(OVERLAP)).limit(ListRuns.MAX_LIMIT))
          .items()
          .filter(run -> run.updatedAt() == null || !run.updatedAt().isAfter(newestThen))
          .forEach(run -> known.put(run.runId(), run));
      hasInitialState = true;
    }

    private void record(RunItem run, Map<String, RunItem> seen) {
      seen.put(run.runId(), run);
      if (RunChange.isBetween(known.get(run.runId()), run)) {
        known.put(run.runId(), run);
        found.add(run);
      }
      var updated = run.updatedAt();
      if (updated != null && updated.isAfter(from.orElse(Instant.MIN))) {
        from = Optional.of(updated);
      }
    }
  }
}
