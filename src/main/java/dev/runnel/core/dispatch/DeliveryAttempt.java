package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.PendingReply;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.text.AnswerFormatter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// One attempt to process a delivery, and the posts it may make. The attempt is already counted.
///
/// @param parts the deliveries that are sent together with it; the delivery then has the text of
///   all
/// @param tries number of earlier attempts
/// @param now when the attempt began
/// @param note the decision, for the command `why`
/// @param ruling how it was decided, for the audit log; empty for what is not audited
record DeliveryAttempt(
    Delivery delivery,
    List<Delivery> parts,
    int tries,
    Instant now,
    String note,
    Optional<AuditTrail.Ruling> ruling) {
  /// Maximum length of the text by which a reply may be listed, and sent again, later.
  private static final int MAX_REPLY = 1_500;

  DeliveryAttempt {
    parts = List.copyOf(parts);
  }

  DeliveryAttempt(Delivery delivery, int tries, Instant now) {
    this(delivery, List.of(), tries, now);
  }

  DeliveryAttempt(Delivery delivery, List<Delivery> parts, int tries, Instant now) {
    this(delivery, parts, tries, now, "", Optional.empty());
  }

  DeliveryAttempt noting(String decided) {
    return new DeliveryAttempt(delivery, parts, tries, now, decided, ruling);
  }

  /// A copy whose message to the run has another text.
  DeliveryAttempt withText(String text) {
    return of(
        delivery.withIntent(
            switch (delivery.intent()) {
              case Intent.SayTo(var run, var request, var answers) ->
                  new Intent.SayTo(run, new Request(text, request.options()), answers);
              case Intent.Say(var request) -> new Intent.Say(new Request(text, request.options()));
              default -> delivery.intent();
            }));
  }

  /// A copy whose message to the run includes the content of its links.
  DeliveryAttempt withLinked(String linked) {
    return of(delivery.withSnapshot(delivery.snapshot().withLinked(Optional.of(linked))));
  }

  /// A copy of the same attempt with another delivery.
  DeliveryAttempt of(Delivery other) {
    return new DeliveryAttempt(other, parts, tries, now, note, ruling);
  }

  DeliveryAttempt ruled(Optional<AuditTrail.Ruling> decided) {
    return new DeliveryAttempt(delivery, parts, tries, now, note, decided);
  }

  /// A copy that a rule permits.
  DeliveryAttempt permittedBy(String rule) {
    return ruled(ruling.map(allowed -> allowed.by(rule)));
  }

  /// A copy that was refused, for the audit log and the command `why`.
  DeliveryAttempt refused(String why) {
    return ruled(ruling.map(allowed -> allowed.refused(why))).noting(Store.Inbox.REFUSED + why);
  }

  /// Whether an earlier attempt may have had its effect.
  boolean isRetry() {
    return tries > 0;
  }

  Conversation conversation() {
    return delivery.conversation();
  }

  /// The request's text; empty if there is none.
  String words() {
    return delivery.intent().agentRequest().map(Request::text).orElse("");
  }

  /// Posts privately to the sender.
  void respond(Work work, String text) {
    add(work, new Update.Message(delivery.actor(), text, true));
  }

  /// Posts a card: to everyone in the thread if it has choices, else privately to the sender.
  void respond(Work work, InfoCard card) {
    add(work, new Update.Answered(delivery.actor(), card));
  }

  /// Posts to everyone in the thread.
  void respondToAll(Work work, String text) {
    add(work, new Update.Message(delivery.actor(), text, false));
  }

  /// Posts to everyone in the thread, once, however often the attempt is repeated.
  void respondToAllOnce(Work work, String kind, String text) {
    addOnce(work, kind + ":" + delivery.id(), new Update.Message(delivery.actor(), text, false));
  }

  /// Posts privately to the sender, unless there is a notice with that id.
  void respondOnce(Work work, String id, String text) {
    addOnce(work, id, new Update.Message(delivery.actor(), text, true));
  }

  /// Adds an update, unless there is a notice with that id.
  void addOnce(Work work, String id, Update update) {
    work.outbox()
        .add(new Notice(new NoticeId(id), placeOf(update), update, delivery.origin(), now, 0));
  }

  /// Sets the reaction for a message that reached the run.
  void reactReceived(Work work) {
    react(work, MessageStatus.DELIVERED);
  }

  /// Sets the reaction on the message, and on those that are sent together with it.
  void react(Work work, MessageStatus messageStatus) {
    messages().forEach(message -> add(work, new Update.Received(message, messageStatus)));
  }

  /// The reply that the run service has queued for the agent.
  ///
  /// @param run the run as read after the service queued the reply
  PendingReply reply(Run run) {
    return new PendingReply(delivery.id(), excerpt(), messages(), run.updatedAt());
  }

  /// The request's text, cut if it is very long.
  String excerpt() {
    return AnswerFormatter.cut(words(), MAX_REPLY);
  }

  /// The message and those that are sent with it.
  List<PostRef> messages() {
    return Stream.concat(Stream.of(delivery), parts.stream())
        .flatMap(each -> each.origin().message().stream())
        .toList();
  }

  void add(Work work, Update update) {
    add(work, placeOf(update), update);
  }

  private Conversation placeOf(Update update) {
    return switch (update) {
      case Update.Message(_, _, var isPrivate) when isPrivate -> delivery.placeOfAnswer();
      case Update.Answered(_, var card) when card.choices().isEmpty() -> delivery.placeOfAnswer();
      case Update _ -> conversation();
    };
  }

  void add(Work work, Conversation conversation, Update update) {
    work.outbox()
        .add(new Notice(NoticeId.random(), conversation, update, delivery.origin(), now, 0));
  }
}
