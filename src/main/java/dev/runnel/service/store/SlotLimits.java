package dev.runnel.service.store;

import java.util.OptionalInt;

/// Limits of concurrent executions at each depth, in addition to the slots of each node. Pure.
///
/// @param ofAll the limit for all nodes together; empty for no limit
/// @param perPerson the limit for one person on all nodes; empty for all slots, less one if there
///   are three or more
public record SlotLimits(OptionalInt ofAll, OptionalInt perPerson) {
  private static final int MIN_SLOTS_TO_RESERVE_ONE = 3;

  public static final SlotLimits DEFAULT = new SlotLimits(OptionalInt.empty(), OptionalInt.empty());

  /// Without a limit per person.
  public static final SlotLimits NONE =
      new SlotLimits(OptionalInt.empty(), OptionalInt.of(Integer.MAX_VALUE));

  /// The limit per person, for [RunQueries].
  public RunQueries.PersonLimit personLimit(NodeMembership membership) {
    return rows -> ofPerson(membership.slots(rows));
  }

  /// @param slots the slots of all nodes
  /// @return how many of them may be used
  int usable(int slots) {
    return Math.min(slots, ofAll.orElse(slots));
  }

  /// The maximum number of slots for the runs of one person.
  ///
  /// @param slots the slots of all nodes
  int ofPerson(int slots) {
    var usable = usable(slots);
    return perPerson.orElse(usable >= MIN_SLOTS_TO_RESERVE_ONE ? usable - 1 : usable);
  }
}
