package dev.runnel.core.flow;

import dev.runnel.core.model.Admission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets pass what its surface admits. What is turned away is done, and nobody hears of it: an
/// answer would let strangers make us talk.
final class Gate {
  private static final Logger log = LoggerFactory.getLogger(Gate.class);

  private final Surfaces surfaces;
  private final Turns turns;

  Gate(Surfaces surfaces, Turns turns) {
    this.surfaces = surfaces;
    this.turns = turns;
  }

  /// @return false when the turn is over
  boolean admits(Turn turn) {
    var admission =
        surfaces
            .find(turn.delivery().id().surface())
            .or(() -> surfaces.find(turn.conversation().surface()))
            .map(surface -> surface.admit(turn.delivery()))
            .orElse(Admission.ADMITTED);
    return switch (admission) {
      case Admission.Admitted _ -> true;
      case Admission.TurnedAway(var why) -> {
        log.info("delivery turned away delivery={} why={}", turn.delivery().id(), why);
        turns.finish(turn, _ -> {});
        yield false;
      }
      case Admission.Unknown(var after, var why) -> {
        turns.silentlyLater(turn, after, why);
        yield false;
      }
    };
  }
}
