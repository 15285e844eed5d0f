package dev.runnel.service.run.limit;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The order in which queued runs get slots. People take turns: many runs of one person do not make
/// others wait. A pure function.
public final class QueueOrder {
  private QueueOrder() {}

  /// A run that waits.
  ///
  /// @param person who asked for it: a person, or the account of a program; empty if unknown
  /// @param isOfPerson whether it is a person
  public record Waiting(String run, String person, boolean isOfPerson, Instant since) {}

  /// The slots that a person has, and has had.
  ///
  /// @param working number of the person's runs that have a slot
  /// @param lastServed when a run of the person last got a slot, for its start or for a follow-up;
  ///   the epoch if none did
  public record Served(int working, Instant lastServed) {
    static final Served NOTHING = new Served(0, Instant.EPOCH);
  }

  /// A run that may get the next slot, of those of one person the one that has waited longest.
  ///
  /// @param place among the person's waiting runs, from 1
  public record Head(Waiting run, int place) {}

  private record Turn(Waiting run, int turn, Instant lastServed) {}

  /// Sorts the runs by their turn. The turn of a run is the number of runs of the same person that
  /// have a slot, plus the number of runs of that person that have waited longer. If two runs have
  /// the same turn, the run of the person who got a slot least recently comes first. If that is
  /// equal, too, the run that has waited longer comes first.
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

  /// The first of the runs that may get the next slot, as [#of] has them.
  ///
  /// @param heads at most one of each person
  /// @param served by person
  public static Optional<Waiting> first(List<Head> heads, Map<String, Served> served) {
    return heads.stream()
        .sorted(
            Comparator.comparing((Head head) -> head.run().since())
                .thenComparing(head -> head.run().run()))
        .map(
            head -> {
              var got = served.getOrDefault(head.run().person(), Served.NOTHING);
              return new Turn(head.run(), head.place() + got.working(), got.lastServed());
            })
        .min(Comparator.comparingInt(Turn::turn).thenComparing(Turn::lastServed))
        .map(Turn::run);
  }
}
