package dev.runnel.core.deliver;

import dev.runnel.core.decide.EditPacing;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.PostingLimits.EditBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Keeps the recent edits of status posts by this node, to pace the next ones. An entry that is
/// lost only makes an edit early.
///
/// @implSpec Thread-safe.
final class StatusEdits {
  private static final int MAX_RUNS = 50_000;

  /// Most runs wait in the queue for less than this; an edit that shows that would be in vain.
  private static final Duration SOON = Duration.ofSeconds(3);

  /// The status that a post shows.
  private record Shown(Update.Status.State state, Instant at) {}

  private final Map<RunId, Shown> shown =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RunId, Shown> eldest) {
          return size() > MAX_RUNS;
        }
      };
  private final Map<EditBudget, Budget> budgets = new HashMap<>();

  /// The earliest time of the post: `now` if it shows a new state, or if the last edit is old. A
  /// later time stays reserved for it. The status of a queued run is posted after a delay.
  ///
  /// @param budget which it shares with other runs
  synchronized Instant earliest(EditBudget budget, Update.Status status, Instant now) {
    var run = status.run().id();
    var last = Optional.ofNullable(shown.get(run));
    var isNew =
        last.isEmpty() && status.stop().isEmpty() && status.run().state() == RunState.QUEUED;
    if (isNew && now.isBefore(status.since().plus(SOON))) {
      return status.since().plus(SOON);
    }
    var shared = budgets.computeIfAbsent(budget, _ -> new Budget(budget.perMinute()));
    if (last.filter(it -> it.state().equals(status.state())).isEmpty()) {
      return shared.grant(run, now);
    }
    return shared.earliest(run, status.since(), last.map(Shown::at), now);
  }

  /// Records that the status was posted or edited.
  synchronized void posted(EditBudget budget, Update.Status status, Instant now) {
    if (status.run().state().isTerminal()) {
      shown.remove(status.run().id());
    } else {
      shown.put(status.run().id(), new Shown(status.state(), now));
    }
    budgets
        .computeIfAbsent(budget, _ -> new Budget(budget.perMinute()))
        .posted(status.run().id(), now);
  }

  /// The edits that share a limit: those that were made lately, those that are being posted, and
  /// the times reserved for others.
  private static final class Budget {
    private final int perMinute;
    private final Deque<Instant> made = new ArrayDeque<>();
    // Several conversations are posted to at the same time.
    private final Map<RunId, Instant> granted = new HashMap<>();
    private final Map<RunId, Instant> reserved = new HashMap<>();
    private Instant cleanedAt = Instant.EPOCH;

    Budget(int perMinute) {
      this.perMinute = perMinute;
    }

    Instant earliest(RunId run, Instant since, Optional<Instant> last, Instant now) {
      var mine = Optional.ofNullable(reserved.get(run));
      if (mine.filter(now::isBefore).isPresent()) {
        return mine.get();
      }
      if (!cleanedAt.plus(EditPacing.WINDOW).isAfter(now)) {
        // Reservations of runs that ended, and whose status was not edited again.
        var unused = now.minus(EditPacing.WINDOW);
        reserved.values().removeIf(unused::isAfter);
        granted.values().removeIf(unused::isAfter);
        cleanedAt = now;
      }
      // A run whose reserved time has come has priority.
      var ahead = mine.isPresent() ? 0 : reserved.size();
      var others =
          granted.entrySet().stream()
              .filter(each -> !each.getKey().equals(run))
              .map(Map.Entry::getValue);
      var counted = Stream.concat(made.stream(), others).sorted().toList();
      var next = EditPacing.next(since, last, counted, ahead, perMinute, now);
      if (!next.isAfter(now)) {
        return grant(run, now);
      }
      reserved.put(run, next);
      return next;
    }

    Instant grant(RunId run, Instant now) {
      reserved.remove(run);
      granted.put(run, now);
      return now;
    }

    void posted(RunId run, Instant now) {
      reserved.remove(run);
      granted.remove(run);
      made.add(now);
      while (!made.getFirst().plus(EditPacing.WINDOW).isAfter(now)) {
        made.removeFirst();
      }
    }
  }
}
