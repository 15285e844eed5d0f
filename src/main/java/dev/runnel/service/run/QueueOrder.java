package dev.runnel.service.run;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The order in which queued runs get slots: people take turns, so that many runs of one person do
/// not keep others waiting. Pure.
public final class QueueOrder {
  private QueueOrder() {}

  /// A run that waits.
  ///
  /// @param person who asked for it; empty if unknown
  public record Waiting(String run, String person, Instant since) {}

  /// What a person has got already.
  ///
  /// @param working number of runs that have a slot
  /// @param lastServed when a run last got one; the epoch if none did
  public record Served(int working, Instant lastServed) {
    static final Served NOTHING = new Served(0, Instant.EPOCH);
  }

  private record Turn(Waiting run, int turn, Instant lastServed) {}

  /// Orders by the number of runs that the person has before it: those that work, and those that
  /// have waited longer. Among equals comes first whose person was served longest ago, then the one
  /// that has waited longest.
  ///
  /// @param served by person
  public static List<Waiting> of(List<Waiting> waiting, Map<String, Served> served) {
    var turns = new HashMap<String, Integer>();
    return waiting.stream()
        .sorted(Comparator.comparing(Waiting::since).thenComparing(Waiting::run))
        .map(
            run -> {
              var got = served.getOrDefault(run.person(), Served.NOTHING);
              var turn = turns.merge(run.person(), 1, Integer::sum) + got.working();
              return new Turn(run, turn, got.lastServed());
            })
        .toList()
        .stream()
        .sorted(Comparator.comparingInt(Turn::turn).thenComparing(Turn::lastServed))
        .map(Turn::run)
        .toList();
  }
}
