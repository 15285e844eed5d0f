package dev.runnel.core.dispatch;

import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.ConversationPolicy;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.Surfaces;
import java.time.Instant;
import java.util.Optional;

/// Decides which messages in a thread with a run are for the agent, and how long to wait for
/// further ones, because people split one request into several short messages.
final class ListeningPolicy {
  private final Surfaces surfaces;

  ListeningPolicy(Surfaces surfaces) {
    this.surfaces = surfaces;
  }

  private ConversationPolicy conversationPolicy(Conversation conversation) {
    return surfaces
        .find(conversation.surface())
        .map(surface -> surface.conversationPolicy(conversation))
        .orElse(ConversationPolicy.PLAIN);
  }

  /// Whether the message is for the agent. Addressed messages and stops always are.
  boolean hears(Delivery delivery, Binding binding) {
    if (delivery.addressed() || delivery.intent() instanceof Intent.Cancel) {
      return true;
    }
    return switch (conversationPolicy(delivery.conversation()).audience()) {
      case EVERYONE -> true;
      case OWNER -> delivery.actor().id().equals(binding.requester().id());
      case MENTION -> false;
    };
  }

  /// Until when a message waits for the next one of its sender; empty if it has waited long enough.
  Optional<Instant> gathersUntil(Work work, Pending<Delivery> said, Instant now) {
    var delivery = said.item();
    if (said.tries() > 0 || !(delivery.intent() instanceof Intent.Say)) {
      return Optional.empty();
    }
    var gathering = conversationPolicy(delivery.conversation()).batchWindow();
    return Optional.of(delivery.arrivedAt().plus(gathering))
        .filter(until -> until.isAfter(now))
        .filter(_ -> hasRun(work, delivery))
        .map(until -> until.isAfter(now.plus(gathering)) ? now.plus(gathering) : until);
  }

  private static boolean hasRun(Work work, Delivery delivery) {
    return work.bindings().of(delivery.conversation()).isPresent()
        || RunSubscribers.steeredRun(work, delivery).isPresent();
  }

  /// Explains once per thread that a reply waits for the agent, where that disturbs nobody.
  void explainWait(Work work, DeliveryAttempt attempt) {
    var delivery = attempt.delivery();
    if (conversationPolicy(delivery.conversation()).answersPrivately()) {
      work.outbox()
          .add(
              new Notice(
                  new NoticeId("waits:" + delivery.conversation().id()),
                  delivery.conversation(),
                  new Update.Told(
                      delivery.actor(), "It reaches the agent when it finishes this step.", true),
                  delivery.origin(),
                  attempt.now(),
                  0));
    }
  }

  /// Explains once per thread and sender why a message was ignored, and how to address the bot.
  void hint(Work work, DeliveryAttempt attempt, Binding binding) {
    var delivery = attempt.delivery();
    if (delivery.intent().words().isEmpty()) {
      return;
    }
    var text =
        switch (conversationPolicy(delivery.conversation()).audience()) {
          case OWNER ->
              "I only take replies from %s here. Mention me to be included."
                  .formatted(binding.requester().name());
          case MENTION, EVERYONE ->
              "I only take replies that mention me here. Mention me to be included.";
        };
    work.outbox()
        .add(
            new Notice(
                new NoticeId(
                    "unheard:" + delivery.conversation().id() + ":" + delivery.actor().id()),
                delivery.conversation(),
                new Update.Told(delivery.actor(), text, true),
                delivery.origin(),
                attempt.now(),
                0));
  }
}
