package dev.runnel.service.run.limit;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The order in which queued runs get slots. It is fair among people: many runs of one person do
/// not delay the runs of others. A pure function.
public final class QueueOrder {
  private QueueOrder() {}

  /// A run that waits for a slot.
  ///
  /// @param person who requested it: a person, or the account of a program; empty if unknown
  /// @param isOfPerson whether the requester is a person
  public record Waiting(String run, String person, boolean isOfPerson, Instant since) {}

  /// The slots of a person, now and earlier.
  ///
  /// @param working number of the person's runs that have a slot
  /// @param lastServed when a run of the person last got a slot, for its start or for a follow-up;
  ///   the epoch if none did
  public record Served(int working, Instant lastServed) {
    static final Served NOTHING = new Served(0, Instant.EPOCH);
  }

  /// A candidate for the next slot: of the runs of one person, the one that has waited longest.
  ///
  /// @param position 1-based position among the person's waiting runs
  public record Head(Waiting run, int position) {}

  private record Ranked(Waiting run, int rank, Instant lastServed) {}

  /// Sorts the runs by rank. The rank of a run is the number of runs of the same person that have a
  /// slot, plus its position among the waiting runs of that person. If two runs have the same rank,
  /// the run of the person who got a slot least recently comes first. If that is equal, too, the
  /// run that has waited longer comes first.
  ///
  /// @param served by person
  public static List<Waiting> of(List<Waiting> waiting, Map<String, Served> served) {
    var ranks = new HashMap<String, Integer>();
    return waiting.stream()
        .sorted(Comparator.comparing(Waiting::since).thenComparing(Waiting::run))
        .map(
            run -> {
              var slots = served.getOrDefault(run.person(), Served.NOTHING);
              var rank = ranks.merge(run.person(), 1, Integer::sum) + slots.working();
              return new Ranked(run, rank, slots.lastServed());
            })
        .toList()
        .stream()
        .sorted(Comparator.comparingInt(Ranked::rank).thenComparing(Ranked::lastServed))
        .map(Ranked::run)
        .toList();
  }

  /// The first of the candidates in the order of [#of].
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
              var slots = served.getOrDefault(head.run().person(), Served.NOTHING);
              return new Ranked(head.run(), head.position() + slots.working(), slots.lastServed());
            })
        .min(Comparator.comparingInt(Ranked::rank).thenComparing(Ranked::lastServed))
        .map(Ranked::run);
  }
}
