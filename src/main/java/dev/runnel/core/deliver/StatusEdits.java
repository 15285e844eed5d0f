package dev.runnel.core.deliver;

import dev.runnel.core.decide.EditPacing;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.RunId;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Remembers the edits of status posts that this node made, to pace the next ones. What it has
/// forgotten only makes an edit early.
///
/// @implSpec Thread-safe.
final class StatusEdits {
  private static final int MAX_RUNS = 10_000;

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
  private final Map<String, Deque<Instant>> made = new HashMap<>();

  /// When the status may be posted: `now` if it shows a new state, or the last edit is long ago.
  ///
  /// @param budget the name of the budget that it shares with other runs
  synchronized Instant turn(String budget, Update.Status status, Instant now) {
    var last = Optional.ofNullable(shown.get(status.run().id()));
    if (last.filter(it -> it.state().equals(status.state())).isEmpty()) {
      return now;
    }
    var next =
        EditPacing.next(
            status.since(),
            last.map(Shown::at),
            List.copyOf(made.getOrDefault(budget, new ArrayDeque<>())),
            now);
    return next.isAfter(now) ? next : now;
  }

  /// Records that the status was posted or edited.
  synchronized void posted(String budget, Update.Status status, Instant now) {
    if (status.run().state().isTerminal()) {
      shown.remove(status.run().id());
    } else {
      shown.put(status.run().id(), new Shown(status.state(), now));
    }
    var recent = made.computeIfAbsent(budget, _ -> new ArrayDeque<>());
    recent.add(now);
    while (!recent.getFirst().plus(EditPacing.WINDOW).isAfter(now)) {
      recent.removeFirst();
    }
  }
}
