package dev.runnel.client;

import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.RunItem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Creates a run once, whatever becomes of the answers. The run carries a key in its metadata; a
/// creation in doubt is repeated only when a list shows that no run carries it.
final class IdempotentCreate {
  private static final int CANDIDATES = 20;
  private static final int TRIES = 3;

  /// A creation whose answer was lost may still be under way, so that no run is believed absent
  /// before it was missing after each of these.
  private static final List<Duration> LOOKS = List.of(Duration.ofSeconds(1), Duration.ofSeconds(3));

  private static final Duration MAX_WAIT = Duration.ofMinutes(1);

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
    var keyed = run.toBuilder().metadata(name, key).build();
    var before = lookUp();
    if (before instanceof LookupResult.Found(var found)) {
      return created(found);
    }
    for (int tries = 1; ; tries++) {
      try {
        return runs.create(keyed)
            .withOptions(options -> options.withHeader("Idempotency-Key", headerOf(key)))
            .send();
      } catch (RunsException failure) {
        if (!failure.mayHaveHappened() || failure instanceof RunsException.Interrupted) {
          throw failure;
        }
        var found = lookAgain(failure);
        if (found.isPresent()) {
          return created(found.get());
        }
        if (tries == TRIES || !failure.retryable()) {
          throw failure;
        }
      }
    }
  }

  /// @return empty where there certainly is none
  /// @throws RunsException the failure, where nobody can tell
  private Optional<RunItem> lookAgain(RunsException failure) {
    for (var wait : looks(failure)) {
      time.pause(wait, "create a run", true);
      LookupResult looked;
      try {
        looked = lookUp();
      } catch (RunsException.Interrupted interrupt) {
        interrupt.addSuppressed(failure);
        throw RunsException.interrupted("create a run", true, interrupt);
      } catch (RunsException blind) {
        failure.addSuppressed(blind);
        throw failure;
      }
      switch (looked) {
        case LookupResult.Found(var run) -> {
          return Optional.of(run);
        }
        case LookupResult.Absent _ -> {}
        case LookupResult.Unknowable _ -> throw failure;
      }
    }
    return Optional.empty();
  }

  /// The last look is not before the service wants to be asked again.
  private static List<Duration> looks(RunsException failure) {
    var first = LOOKS.getFirst();
    var last = LOOKS.getLast();
    var asked =
        failure.retryAfter().filter(it -> it.compareTo(MAX_WAIT) <= 0).orElse(last).minus(first);
    return List.of(first, asked.compareTo(last) > 0 ? asked : last);
  }

  /// A header carries ASCII only; any other key goes by a name that is made from it.
  private static String headerOf(String key) {
    return key.chars().allMatch(letter -> letter >= ' ' && letter <= '~')
        ? key
        : UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8)).toString();
  }

  LookupResult lookUp() {
    List<RunItem> candidates;
    try {
      candidates = list(ListRuns.ALL.metadata(name, key).limit(CANDIDATES));
    } catch (RunsException.BadRequest | RunsException.Forbidden | RunsException.Unprocessable no) {
      return lookAmongTheNewest();
    }
    if (candidates.isEmpty()) {
      return new LookupResult.Absent();
    }
    // A service that does not know the filter lists strangers' runs.
    return carrying(candidates)
        .<LookupResult>map(LookupResult.Found::new)
        .orElseGet(this::lookAmongTheNewest);
  }

  /// `Absent` needs a proof that the service shows the metadata of runs.
  private LookupResult lookAmongTheNewest() {
    var newest =
        list(ListRuns.ALL.sorted(SortBy.CREATED_AT, SortOrder.DESC).limit(ListRuns.MAX_LIMIT));
    var found = carrying(newest);
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

  private Optional<RunItem> carrying(List<RunItem> candidates) {
    return candidates.stream().filter(run -> key.equals(run.metadata().get(name))).findFirst();
  }

  private static CreatedRun created(RunItem run) {
    return new CreatedRun(run.runId(), run.state(), run.runId(), null, Map.of());
  }
}
