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
final class SenderCheck {
  private static final Logger log = LoggerFactory.getLogger(SenderCheck.class);

  private final Surfaces surfaces;
  private final AttemptResults results;

  SenderCheck(Surfaces surfaces, AttemptResults results) {
    this.surfaces = surfaces;
    this.results = results;
  }

  /// @param own the run that the words would reach: then also who did not address us is told
  /// @return false when the turn is over
  boolean admits(DeliveryAttempt attempt, Optional<Binding> own) {
    return switch (admission(attempt.delivery(), own.map(Binding::conversation))) {
      case Admission.Admitted _ -> true;
      case Admission.TurnedAway(var why) -> {
        log.info("delivery turned away delivery={} why={}", attempt.delivery().id(), why);
        results.complete(attempt, _ -> {});
        yield false;
      }
      case Admission.Refused(var why, var words) -> {
        log.info("delivery refused delivery={} why={}", attempt.delivery().id(), why);
        results.complete(
            attempt.noting("to refuse it: " + why),
            work -> tell(work, attempt, words, own.isPresent()));
        yield false;
      }
      case Admission.Unknown(var after, var why) -> {
        results.silentlyLater(attempt, after, why);
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
  private static void tell(Work work, DeliveryAttempt attempt, String words, boolean hasRun) {
    var delivery = attempt.delivery();
    if (delivery.addressed()) {
      attempt.tell(work, words);
    } else if (hasRun) {
      work.outbox()
          .add(
              new Notice(
                  new NoticeId(
                      "refused:" + delivery.conversation().id() + ":" + delivery.actor().id()),
                  delivery.conversation(),
                  new Update.Told(delivery.actor(), words, true),
                  delivery.origin(),
                  attempt.now(),
                  0));
    }
  }
}
