package dev.runnel.core.dispatch;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.Surfaces;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets pass what is admitted by the surface it came in at: that one knows who said it, and the
/// surface of the thread, where that is another, does not. What is turned away is done. Where the
/// surface can answer privately, it refuses, and who said it is told who may; elsewhere
/// nobody hears of it, because an answer would let strangers make us talk.
final class Gate {
  private static final Logger log = LoggerFactory.getLogger(Gate.class);

  private final Surfaces surfaces;
  private final Turns turns;

  Gate(Surfaces surfaces, Turns turns) {
    this.surfaces = surfaces;
    this.turns = turns;
  }

  /// @param own the run that the words would reach: then also who did not address us is told
  /// @return false when the turn is over
  boolean admits(Turn turn, Optional<Binding> own) {
    return switch (admission(turn.delivery(), own.map(Binding::conversation))) {
      case Admission.Admitted _ -> true;
      case Admission.TurnedAway(var why) -> {
        log.info("delivery turned away delivery={} why={}", turn.delivery().id(), why);
        turns.finish(turn, _ -> {});
        yield false;
      }
      case Admission.Refused(var why, var words) -> {
        log.info("delivery refused delivery={} why={}", turn.delivery().id(), why);
        turns.finish(
            turn.noting("to refuse it: " + why), work -> tell(work, turn, words, own.isPresent()));
        yield false;
      }
      case Admission.Unknown(var after, var why) -> {
        turns.silentlyLater(turn, after, why);
        yield false;
      }
    };
  }

  /// Who speaks to a run on its pull request must also be somebody who may where the run is, as far
  /// as that surface knows the person.
  private Admission admission(Delivery delivery, Optional<Conversation> ofItsRun) {
    var admission = ask(delivery);
    var there =
        ofItsRun
            .filter(it -> !it.equals(delivery.conversation()))
            .filter(it -> it.surface().equals(delivery.conversation().surface()));
    return admission instanceof Admission.Admitted && there.isPresent()
        ? ask(delivery.movedTo(there.get()))
        : admission;
  }

  private Admission ask(Delivery delivery) {
    return surfaces
        .find(delivery.id().surface())
        .or(() -> surfaces.find(delivery.conversation().surface()))
        .map(surface -> surface.admit(delivery))
        .orElse(Admission.ADMITTED);
  }

  /// Words that are not addressed to us may be meant for people; who goes on with them is told once
  /// in a thread.
  private static void tell(Work work, Turn turn, String words, boolean hasRun) {
    var delivery = turn.delivery();
    if (delivery.addressed()) {
      turn.tell(work, words);
    } else if (hasRun) {
      work.outbox()
          .add(
              new Notice(
                  new NoticeId(
                      "refused:" + delivery.conversation().id() + ":" + delivery.actor().id()),
                  delivery.conversation(),
                  new Update.Told(delivery.actor(), words, true),
                  delivery.origin(),
                  turn.now(),
                  0));
    }
  }
}
