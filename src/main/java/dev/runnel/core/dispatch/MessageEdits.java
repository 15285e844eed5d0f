package dev.runnel.core.dispatch;

import dev.runnel.core.decide.IntentResolver;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store.Inbox.Known;
import dev.runnel.core.port.Store.Work;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Applies edits and deletions of messages to queued deliveries. A message that the agent already
/// has is not changed.
final class MessageEdits {
  private static final Logger log = LoggerFactory.getLogger(MessageEdits.class);

  private final AttemptResults results;

  MessageEdits(AttemptResults results) {
    this.results = results;
  }

  void amend(DeliveryAttempt attempt, Intent.Amend amend) {
    results.complete(
        attempt,
        work ->
            work.inbox()
                .findByMeaning(attempt.conversation().surface(), amend.message())
                .filter(known -> isTheirs(known, attempt))
                .ifPresent(known -> amend(work, attempt, known, amend.now())));
  }

  /// Whether the edit is the sender's own, of a message that was a request: an edit does not turn
  /// another message into a request.
  private static boolean isTheirs(Known known, DeliveryAttempt attempt) {
    var delivery = known.delivery();
    return delivery.actor().id().equals(attempt.delivery().actor().id())
        && delivery.conversation().equals(attempt.conversation())
        && delivery.intent().agentRequest().isPresent();
  }

  private static void amend(
      Work work, DeliveryAttempt attempt, Known known, Optional<Intent> edited) {
    var delivery = known.delivery();
    var now =
        edited.map(
            it ->
                it instanceof Intent.Unclear unclear
                    ? IntentResolver.unclear(work, delivery, unclear)
                    : it);
    if (!isChangeable(work, known)) {
      if (isQueuedForAgent(work, delivery)) {
        attempt.respondOnce(
            work,
            (now.isPresent() ? "edited:" : "deleted:") + delivery.id(),
            now.isPresent()
                ? "Your message is already queued for the agent as it was. Send the change in a new"
                    + " message."
                : "It is too late to take this back: the agent gets it. Write what it should"
                    + " ignore, or `stop`.");
      } else if (now.isPresent() && hasActiveRun(work, attempt.conversation())) {
        attempt.respondOnce(
            work,
            "edited:" + delivery.id(),
            "The agent already has your message as it was before the edit. Send the change in a new"
                + " message.");
      }
      return;
    }
    if (now.isPresent() && now.get().getClass() == delivery.intent().getClass()) {
      work.inbox().replace(delivery.withIntent(now.get()));
      work.outbox().withdraw(AttemptResults.delayNotice(delivery));
      log.info("delivery edited by its sender delivery={}", delivery.id());
      return;
    }
    work.inbox().done(delivery.id());
    StartControl.withdraw(work, delivery, delivery.actor(), attempt.now());
    work.outbox().withdraw(AttemptResults.delayNotice(delivery));
    log.info("delivery withdrawn by its sender delivery={}", delivery.id());
    if (now.isPresent()) {
      attempt.respondOnce(
          work,
          "edited:" + delivery.id(),
          "I withdrew your message, because it is now something else. To give a command, send a new"
              + " message.");
    }
  }

  /// An attempted start may have succeeded, so it cannot be changed.
  private static boolean isChangeable(Work work, Known known) {
    return known.waits()
        && (known.tries() == 0
            || (known.delivery().intent() instanceof Intent.Say
                && work.bindings().of(known.delivery().conversation()).isPresent()));
  }

  /// Whether the run service keeps the message until the agent has finished its step.
  private static boolean isQueuedForAgent(Work work, Delivery delivery) {
    var message = delivery.origin().message();
    return message.isPresent()
        && work.bindings().of(delivery.conversation()).stream()
            .flatMap(binding -> binding.pending().stream())
            .anyMatch(reply -> reply.messages().contains(message.get()));
  }

  private static boolean hasActiveRun(Work work, Conversation conversation) {
    return work.bindings().of(conversation).filter(binding -> binding.isActive()).isPresent();
  }
}
