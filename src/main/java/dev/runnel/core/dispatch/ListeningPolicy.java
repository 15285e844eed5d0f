package dev.runnel.core.dispatch;

import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.ConversationPolicy.Audience;
import dev.runnel.core.model.conversation.NoticeId;
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
final class ListeningPolicy {
  private static final String LISTEN = "listen";

  private final Surfaces surfaces;
  private final Store store;

  ListeningPolicy(Surfaces surfaces, Store store) {
    this.surfaces = surfaces;
    this.store = store;
  }

  /// Stores whom the thread listens to from now on.
  static void set(Work work, DeliveryAttempt attempt, Question.Listen listen) {
    var delivery = attempt.delivery();
    if (work.bindings().of(delivery.conversation()).isEmpty()) {
      // People also say the word to each other.
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

  /// Whom the thread listens to, if somebody said so there.
  private Optional<Audience> chosen(Conversation conversation) {
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
        chosen(delivery.conversation())
            .orElseGet(() -> conversationPolicy(delivery.conversation()).audience());
    return switch (audience) {
      case EVERYONE -> true;
      case OWNER -> delivery.actor().id().equals(binding.requester().id());
      case MENTION -> false;
    };
  }

  /// Until when a message waits for the next one of its sender; empty if it has waited long enough.
  Optional<Instant> gathersUntil(Work work, Pending<Delivery> waiting, Instant now) {
    var delivery = waiting.item();
    if (waiting.tries() > 0 || !(delivery.intent() instanceof Intent.Say)) {
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

  /// Explains that a reply waits for the agent, where that disturbs nobody: once per thread if the
  /// agent reads it at its next step, and otherwise with each reply, to offer that the agent is
  /// interrupted.
  ///
  /// @param isOffered whether the working agent reads it at its next step
  void explainWait(Work work, DeliveryAttempt attempt, boolean isOffered) {
    var delivery = attempt.delivery();
    if (conversationPolicy(delivery.conversation()).answersPrivately()) {
      work.outbox()
          .add(
              new Notice(
                  new NoticeId(
                      "waits:" + (isOffered ? delivery.conversation().id() : delivery.id())),
                  delivery.conversation(),
                  isOffered
                      ? new Update.Message(
                          delivery.actor(), "The agent gets it at its next step.", true)
                      : new Update.Answered(delivery.actor(), AnswerFormatter.waits()),
                  delivery.origin(),
                  attempt.now(),
                  0));
    }
  }

  /// Explains once per thread and sender why a message was ignored, and how to address the bot.
  void hint(Work work, DeliveryAttempt attempt, Binding binding) {
    var delivery = attempt.delivery();
    if (delivery.intent().agentRequest().isEmpty()) {
      return;
    }
    if (chosen(delivery.conversation()).isPresent()) {
      hintInMuted(work, attempt, binding);
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
                new Update.Message(delivery.actor(), text, true),
                delivery.origin(),
                attempt.now(),
                0));
  }

  /// Who muted the thread wants to hear nothing more, unless the agent waits: people then take
  /// their reply for an answer.
  private static void hintInMuted(Work work, DeliveryAttempt attempt, Binding binding) {
    var delivery = attempt.delivery();
    AskedQuestion.of(binding.run())
        .filter(_ -> !binding.reopened())
        .ifPresent(
            asked ->
                work.outbox()
                    .add(
                        new Notice(
                            new NoticeId("unheard:" + asked.value() + ":" + delivery.actor().id()),
                            delivery.conversation(),
                            new Update.Message(
                                delivery.actor(),
                                "This thread is muted, so your reply did not go to the agent, which"
                                    + " waits for an answer. Mention me to answer.",
                                true),
                            delivery.origin(),
                            attempt.now(),
                            0)));
  }
}
