package dev.runnel.core.dispatch;

import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.ConversationPolicy.Audience;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.AnswerFormatter;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Decides which messages in a thread with a run are for the agent, and how long to wait for
/// further ones, because people split one request into several short messages.
record ListeningPolicy(Surfaces surfaces, Store store) {
  private static final String LISTEN = "listen";

  /// Stores which messages of the thread go to the agent from now on.
  static void set(Work work, DeliveryAttempt attempt, Question.Listen listen) {
    var delivery = attempt.delivery();
    if (work.bindings().of(delivery.conversation()).isEmpty()) {
      // People may also write the word to each other.
      if (delivery.addressed()) {
        attempt.respond(work, "There is no run here. Write it in the thread of a run.");
      }
      return;
    }
    var audience = listen.all() ? Audience.EVERYONE : Audience.MENTION;
    work.preferences()
        .set(
            new Store.Preferences.Preference(
                place(delivery.conversation()),
                LISTEN,
                audience.name(),
                delivery.actor().id(),
                attempt.now()));
    attempt.respondToAll(
        work,
        listen.all()
            ? "From now on all replies here go to the agent. `mute` undoes this."
            : "From now on only messages that mention me go to the agent. `listen` undoes this.");
  }

  private static String place(Conversation conversation) {
    return "thread:" + conversation.id();
  }

  /// Whether somebody muted the conversation.
  static boolean isMuted(Work work, Conversation conversation) {
    return work.preferences().of(Set.of(place(conversation))).stream()
        .anyMatch(
            each -> each.key().equals(LISTEN) && each.value().equals(Audience.MENTION.name()));
  }

  /// The audience that somebody chose in the thread.
  private Optional<Audience> chosenAudience(Conversation conversation) {
    var place = place(conversation);
    return store.preferences(Set.of(place)).stream()
        .filter(each -> each.place().equals(place) && each.key().equals(LISTEN))
        .flatMap(each -> Stream.of(Audience.values()).filter(it -> it.name().equals(each.value())))
        .findFirst();
  }

  private ConversationPolicy conversationPolicy(Conversation conversation) {
    return surfaces
        .find(conversation.surface())
        .map(surface -> surface.conversationPolicy(conversation))
        .orElse(ConversationPolicy.PLAIN);
  }

  /// Whether the message is for the agent. Addressed messages and stops always are.
  boolean accepts(Delivery delivery, Binding binding) {
    if (delivery.addressed()
        || delivery.intent() instanceof Intent.Cancel
        || delivery.intent() instanceof Intent.Ask(Question.Listen _)) {
      return true;
    }
    var audience =
        chosenAudience(delivery.conversation())
            .orElseGet(() -> conversationPolicy(delivery.conversation()).audience());
    return switch (audience) {
      case EVERYONE -> true;
      case OWNER -> delivery.actor().id().equals(binding.requester().id());
      case MENTION -> false;
    };
  }

  /// The end of a message's batch window; empty if it is over.
  Optional<Instant> batchUntil(Work work, Pending<Delivery> waiting, Instant now) {
    var delivery = waiting.item();
    if (waiting.tries() > 0 || !(delivery.intent() instanceof Intent.Say)) {
      return Optional.empty();
    }
    var batchWindow = conversationPolicy(delivery.conversation()).batchWindow();
    return Optional.of(delivery.arrivedAt().plus(batchWindow))
        .filter(until -> until.isAfter(now))
        .filter(_ -> RunSubscribers.runOf(work, delivery).isPresent())
        .map(until -> until.isAfter(now.plus(batchWindow)) ? now.plus(batchWindow) : until);
  }

  /// Explains that a reply is queued, where answers are private: once per thread if the agent reads
  /// it at its next step, and otherwise for each reply, with the offer to interrupt the agent.
  ///
  /// @param isOffered whether the working agent reads it at its next step
  void explainQueued(Work work, DeliveryAttempt attempt, boolean isOffered) {
    var delivery = attempt.delivery();
    if (conversationPolicy(delivery.conversation()).answersPrivately()) {
      attempt.addOnce(
          work,
          "waits:" + (isOffered ? delivery.conversation().id() : delivery.id()),
          isOffered
              ? new Update.Message(delivery.actor(), "The agent gets it at its next step.", true)
              : new Update.Answered(delivery.actor(), AnswerFormatter.queued()));
    }
  }

  /// Explains once per thread and sender why a message was ignored, and how to address the bot.
  void explainIgnored(Work work, DeliveryAttempt attempt, Binding binding) {
    var delivery = attempt.delivery();
    if (delivery.intent().agentRequest().isEmpty()) {
      return;
    }
    if (chosenAudience(delivery.conversation()).isPresent()) {
      explainMuted(work, attempt, binding);
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
    attempt.respondOnce(
        work, "unheard:" + delivery.conversation().id() + ":" + delivery.actor().id(), text);
  }

  /// In a muted thread, explains only an ignored reply to an open question, because its sender
  /// probably believes to have answered it.
  private static void explainMuted(Work work, DeliveryAttempt attempt, Binding binding) {
    var delivery = attempt.delivery();
    AskedQuestion.of(binding.run())
        .filter(_ -> !binding.reopened())
        .ifPresent(
            asked ->
                attempt.respondOnce(
                    work,
                    "unheard:" + asked.value() + ":" + delivery.actor().id(),
                    "This thread is muted, so your reply did not go to the agent, which waits for"
                        + " an answer. Mention me to answer."));
  }
}
