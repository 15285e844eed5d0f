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

/// Checks a delivery's sender with the surface that received it, because the surface of the thread,
/// if it is another, does not know the sender. A delivery that fails the check is finished. If the
/// surface can answer privately, it returns `Refused` and the sender is told who has permission;
/// otherwise nobody is told, because an answer would let strangers trigger posts.
final class SenderCheck {
  private static final Logger log = LoggerFactory.getLogger(SenderCheck.class);

  private final Surfaces surfaces;
  private final AttemptResults results;

  SenderCheck(Surfaces surfaces, AttemptResults results) {
    this.surfaces = surfaces;
    this.results = results;
  }

  /// @param own the run that the message would reach; if present, a sender who did not address the
  ///   bot also gets an explanation
  /// @return false if the attempt is finished
  boolean admits(DeliveryAttempt attempt, Optional<Binding> own) {
    return switch (admission(attempt.delivery(), own.map(Binding::conversation))) {
      case Admission.Admitted _ -> true;
      case Admission.TurnedAway(var why) -> {
        log.info("delivery not admitted delivery={} why={}", attempt.delivery().id(), why);
        results.complete(attempt.refused(why), _ -> {});
        yield false;
      }
      case Admission.Refused(var why, var words) -> {
        log.info("delivery refused delivery={} why={}", attempt.delivery().id(), why);
        results.complete(
            attempt.refused(why).noting("to refuse it: " + why),
            work -> tell(work, attempt, words, own.isPresent()));
        yield false;
      }
      case Admission.Unknown(var after, var why) -> {
        results.retrySilently(attempt, after, why);
        yield false;
      }
    };
  }

  /// A sender on a run's pull request must also have permission in the run's own conversation, as
  /// far as that surface knows the person.
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

  /// A message that is not addressed to the bot may be meant for people, so its sender is told once
  /// per thread.
  private static void tell(Work work, DeliveryAttempt attempt, String words, boolean hasRun) {
    var delivery = attempt.delivery();
    if (delivery.addressed()) {
      attempt.respond(work, words);
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
