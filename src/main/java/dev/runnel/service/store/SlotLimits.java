package dev.runnel.service.store;

import java.util.OptionalInt;

/// How many executions work at the same time at each depth, besides the slots of each node. Pure.
///
/// @param ofAll the most of all nodes together; empty for no limit
/// @param perPerson the most of one person's on all nodes; empty for all slots but one, where there
///   are three or more
public record SlotLimits(OptionalInt ofAll, OptionalInt perPerson) {
  private static final int ENOUGH_TO_KEEP_ONE = 3;

  public static final SlotLimits USUAL = new SlotLimits(OptionalInt.empty(), OptionalInt.empty());

  /// One person may have all slots.
  public static final SlotLimits NONE =
      new SlotLimits(OptionalInt.empty(), OptionalInt.of(Integer.MAX_VALUE));

  /// What the runs of one person may have, for [RunQueries].
  public RunQueries.Share share(NodeMembership membership) {
    return rows -> ofPerson(membership.slots(rows));
  }

  /// @param slots those of all nodes
  /// @return how many of them are used
  int used(int slots) {
    return Math.min(slots, ofAll.orElse(slots));
  }

  /// How many slots the runs of one person may have.
  ///
  /// @param slots those of all nodes
  int ofPerson(int slots) {
    var used = used(slots);
    return perPerson.orElse(used >= ENOUGH_TO_KEEP_ONE ? used - 1 : used);
  }
}
