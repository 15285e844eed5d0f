package dev.runnel.client;

import static java.util.Comparator.naturalOrder;

import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.RunItem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Creates a run at most once, even if responses are lost. The run carries a key in its metadata; a
/// creation with unknown outcome is repeated only after a list shows that no run carries the key.
final class IdempotentCreate {
  private static final int MAX_CANDIDATES = 20;
  private static final int MAX_ATTEMPTS = 3;

  /// Delays before the lookups. A creation whose response was lost may still be in progress, so a
  /// run only counts as absent after it was missing in each of them.
  private static final List<Duration> LOOKUP_DELAYS =
      List.of(Duration.ofSeconds(1), Duration.ofSeconds(3));

  private static final Duration MAX_DELAY = Duration.ofMinutes(1);

  private final Runs runs;
  private final Time time;
  private final String name;
  private final String key;

  IdempotentCreate(Runs runs, Time time, String name, String key) {
    this.runs = runs;
    this.time = time;
    this.name = name;
    this.key = key;
  }

  CreatedRun create(CreateRun run) {
    var metadata =
        new LinkedHashMap<String, String>(run.metadata() == null ? Map.of() : run.metadata());
    metadata.put(name, key);
    var keyed = run.toBuilder().metadata(metadata).build();
    var before = lookUp();
    if (before instanceof LookupResult.Found(var found)) {
      return created(found);
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return runs.create(keyed)
            .withOptions(options -> options.withHeader("Idempotency-Key", headerOf(key)))
            .send();
      } catch (RunsException failure) {
        if (!failure.mayHaveHappened() || failure instanceof RunsException.Interrupted) {
          throw failure;
        }
        var found = lookUpAgain(failure);
        if (found.isPresent()) {
          return created(found.get());
        }
        if (attempt == MAX_ATTEMPTS || !failure.retryable()) {
          throw failure;
        }
      }
    }
  }

  /// @return empty if there is certainly no such run
  /// @throws RunsException the given failure, if it cannot be determined
  private Optional<RunItem> lookUpAgain(RunsException failure) {
    for (var delay : lookupDelays(failure)) {
      time.pause(delay, "create a run", true);
      LookupResult result;
      try {
        result = lookUp();
      } catch (RunsException.Interrupted interrupt) {
        interrupt.addSuppressed(failure);
        throw RunsException.interrupted("create a run", true, interrupt);
      } catch (RunsException lookupFailure) {
        failure.addSuppressed(lookupFailure);
        throw failure;
      }
      switch (result) {
        case LookupResult.Found(var run) -> {
          return Optional.of(run);
        }
        case LookupResult.Absent ignored -> {}
        case LookupResult.Unknowable ignored -> throw failure;
      }
    }
    return Optional.empty();
  }

  /// The last lookup respects the service's `Retry-After`.
  private static List<Duration> lookupDelays(RunsException failure) {
    var first = LOOKUP_DELAYS.getFirst();
    var last = LOOKUP_DELAYS.getLast();
    var requestedDelay =
        failure.retryAfter().filter(it -> it.compareTo(MAX_DELAY) <= 0).orElse(last).minus(first);
    return List.of(first, requestedDelay.compareTo(last) > 0 ? requestedDelay : last);
  }

  /// Headers are limited to ASCII; another key is replaced by a UUID derived from it.
  private static String headerOf(String key) {
    return key.chars().allMatch(letter -> letter >= ' ' && letter <= '~')
        ? key
        : UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8)).toString();
  }

  LookupResult lookUp() {
    List<RunItem> candidates;
    try {
      candidates =
          list(
              ListRuns.ALL
                  .metadata(name, key)
                  .sorted(SortBy.CREATED_AT, SortOrder.ASC)
                  .limit(MAX_CANDIDATES));
    } catch (RunsException.BadRequest
        | RunsException.Forbidden
        | RunsException.Unprocessable rejected) {
      return searchNewest();
    }
    if (candidates.isEmpty()) {
      return new LookupResult.Absent();
    }
    // A service that does not know the filter lists unrelated runs.
    return original(candidates)
        .<LookupResult>map(LookupResult.Found::new)
        .orElseGet(this::searchNewest);
  }

  /// `Absent` requires evidence that the service returns the metadata of runs.
  private LookupResult searchNewest() {
    var newest =
        list(ListRuns.ALL.sorted(SortBy.CREATED_AT, SortOrder.DESC).limit(ListRuns.MAX_LIMIT));
    var found = original(newest);
    if (found.isPresent()) {
      return new LookupResult.Found(found.get());
    }
    var showsKeys =
        newest.isEmpty() || newest.stream().anyMatch(run -> run.metadata().containsKey(name));
    return showsKeys ? new LookupResult.Absent() : new LookupResult.Unknowable();
  }

  private List<RunItem> list(ListRuns query) {
    return runs.list(query).send().items();
  }

  /// The oldest run with the key: the runs below it inherit its metadata.
  private Optional<RunItem> original(List<RunItem> candidates) {
    return candidates.stream()
        .filter(run -> key.equals(run.metadata().get(name)))
        .min(Comparator.comparing(RunItem::createdAt, Comparator.nullsLast(naturalOrder())));
  }

  private static CreatedRun created(RunItem run) {
    return new CreatedRun(run.runId(), run.state(), run.runId(), null, Map.of());
  }
}
