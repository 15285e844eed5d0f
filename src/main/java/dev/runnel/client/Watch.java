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

/// The changes of all runs of a query, found by listing: one request an interval for any number of
/// runs. It never ends by itself: interrupt the thread, or cancel the future. What passes is waited
/// out.
///
/// A run that changes twice within an interval is told once, as it is then. Time that it spends
/// working is no change.
public final class Watch {
  /// How far each look goes back behind the newest change seen: a change may be listed after one
  /// that is a little younger.
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

  /// From this time on, by the service's clock; unless told from the newest change on.
  public Watch since(Instant time) {
    return new Watch(context, runs, query, interval, Optional.of(time));
  }

  /// Each change as a run, oldest first, without end. For one thread.
  public Stream<RunItem> stream() {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(
            new Changes(), Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }

  /// Gives each change to the consumer, on the client's executor. The future never ends by itself;
  /// it fails with what will not pass, or with what the consumer fails with.
  public CompletableFuture<Done> forEachAsync(Consumer<RunItem> consumer) {
    return context.async(
        () -> {
          stream().forEach(consumer);
          return Done.DONE;
        });
  }

  private final class Changes implements Iterator<RunItem> {
    private final Queue<RunItem> found = new ArrayDeque<>();
    private Map<String, RunItem> told = new HashMap<>();
    private Optional<Instant> from = since;
    private boolean begun = since.isPresent();
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
          look();
        } catch (RunsException failure) {
          if (!failure.retryable() || failure instanceof RunsException.Interrupted) {
            throw failure;
          }
          var asked = failure.retryAfter().orElse(interval);
          pause = asked.compareTo(interval) > 0 ? asked : interval;
        }
      }
      return found.remove();
    }

    /// Ends with the first page that has news, so that a long list is not kept as a whole. The next
    /// look goes on from there, at once.
    private void look() {
      if (!begun) {
        begin();
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
        page.forEach(run -> take(run, seen));
      }
      if (pages.hasNext()) {
        pause = Duration.ZERO;
      }
      // Only what can be listed again has to be remembered.
      told = seen;
    }

    /// Else what is still to come may be older: a service may not know how to sort.
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

    /// What is there at the beginning is no change.
    private void begin() {
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
          .forEach(run -> told.put(run.runId(), run));
      begun = true;
    }

    private void take(RunItem run, Map<String, RunItem> seen) {
      seen.put(run.runId(), run);
      if (RunChange.isBetween(told.get(run.runId()), run)) {
        told.put(run.runId(), run);
        found.add(run);
      }
      var updated = run.updatedAt();
      if (updated != null && updated.isAfter(from.orElse(Instant.MIN))) {
        from = Optional.of(updated);
      }
    }
  }
}
