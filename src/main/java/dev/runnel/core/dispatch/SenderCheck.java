package dev.runnel.core.dispatch;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.port.Store.Work;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finishes a delivery whose sender lacks permission. If the platform can answer privately, the
/// answer says who has the permission. Elsewhere a member gets a reaction and a stranger nothing,
/// because an answer would let strangers trigger posts.
record SenderCheck(AccessCheck accessCheck, AttemptResults results) {
  private static final Logger log = LoggerFactory.getLogger(SenderCheck.class);

  /// @param own the run of the delivery's thread; if present, a sender who did not address the bot
  ///   also gets an explanation
  /// @param target the run that the delivery concerns
  /// @return the rule that permits it; empty if the attempt is finished
  Optional<String> permittingRule(
      DeliveryAttempt attempt, Optional<Binding> own, Optional<Binding> target) {
    return switch (decision(attempt.delivery(), own, target)) {
      case AccessCheck.Decision.Permitted(var rule) -> Optional.of(rule);
      case AccessCheck.Decision.Refused(var rule, var words, var isMember) -> {
        log.info("delivery refused delivery={} rule={}", attempt.delivery().id(), rule);
        var isPrivate =
            accessCheck
                .surface(attempt.delivery())
                .map(it -> it.conversationPolicy(attempt.conversation()))
                .filter(ConversationPolicy::answersPrivately)
                .isPresent();
        results.complete(
            attempt.refused(rule),
            work -> {
              if (words.isPresent() && isPrivate) {
                tell(work, attempt, words.get(), own.isPresent());
              } else if (isMember && attempt.delivery().addressed()) {
                attempt.react(work, MessageStatus.REFUSED);
              }
            });
        yield Optional.empty();
      }
      case AccessCheck.Decision.Unknown(var after, var why) -> {
        results.retrySilently(attempt, after, why);
        yield Optional.empty();
      }
    };
  }

  /// A sender on a run's pull request must also have permission in the run's own conversation, as
  /// far as that surface knows the person.
  private AccessCheck.Decision decision(
      Delivery delivery, Optional<Binding> own, Optional<Binding> target) {
    var decision = accessCheck.check(delivery, target);
    var there =
        own.map(Binding::conversation)
            .filter(it -> !it.equals(delivery.conversation()))
            .filter(it -> it.surface().equals(delivery.conversation().surface()));
    return decision instanceof AccessCheck.Decision.Permitted && there.isPresent()
        ? accessCheck.check(delivery.movedTo(there.get()), target)
        : decision;
  }

  /// A message that is not addressed to the bot may be for people, so its sender gets this answer
  /// once per thread.
  private static void tell(Work work, DeliveryAttempt attempt, String words, boolean hasRun) {
    var delivery = attempt.delivery();
    if (delivery.addressed()) {
      attempt.respond(work, words);
    } else if (hasRun) {
      attempt.respondOnce(
          work, "refused:" + delivery.conversation().id() + ":" + delivery.actor().id(), words);
    }
  }
}
