package dev.runnel.core.dispatch;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.MessageStatus;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.PendingReply;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.text.AnswerFormatter;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/// A delivery whose turn it is, its try counted, and what may be said about it.
///
/// @param parts what is said together with it; its own words are those of all then
/// @param tries those before this one
/// @param now when the turn began
/// @param note what was decided about it, for those who ask why
record DeliveryAttempt(
    Delivery delivery, List<Delivery> parts, int tries, Instant now, String note) {
  /// Of a reply that may have to be named later.
  private static final int MAX_REPLY = 120;

  DeliveryAttempt {
    parts = List.copyOf(parts);
  }

  DeliveryAttempt(Delivery delivery, int tries, Instant now) {
    this(delivery, List.of(), tries, now);
  }

  DeliveryAttempt(Delivery delivery, List<Delivery> parts, int tries, Instant now) {
    this(delivery, parts, tries, now, "");
  }

  DeliveryAttempt noting(String decided) {
    return new DeliveryAttempt(delivery, parts, tries, now, decided);
  }

  /// An earlier try may have had its effect.
  boolean again() {
    return tries > 0;
  }

  Conversation conversation() {
    return delivery.conversation();
  }

  /// What is said, in words.
  String words() {
    return delivery.intent().words().map(Request::text).orElse("");
  }

  /// To the person who asked.
  void tell(Work work, String text) {
    add(work, new Update.Told(delivery.actor(), text, true));
  }

  /// To all in the thread, not only to the person who asked.
  void tellAll(Work work, String text) {
    add(work, new Update.Told(delivery.actor(), text, false));
  }

  /// To all in the thread, once, however often the turn is repeated.
  void tellAllOnce(Work work, String kind, String text) {
    work.outbox()
        .add(
            new Notice(
                new NoticeId(kind + ":" + delivery.id()),
                conversation(),
                new Update.Told(delivery.actor(), text, false),
                delivery.origin(),
                now,
                0));
  }

  /// The sign on the message that its words arrived.
  void received(Work work) {
    sign(work, MessageStatus.DELIVERED);
  }

  /// The sign on the message, and on those that are said with it.
  void sign(Work work, MessageStatus messageStatus) {
    messages().forEach(message -> add(work, new Update.Received(message, messageStatus)));
  }

  /// The words, as the run service keeps them for the agent.
  ///
  /// @param run as it was when it had them
  PendingReply reply(Run run) {
    return new PendingReply(
        delivery.id(),
        AnswerFormatter.cut(AnswerFormatter.line(words()), MAX_REPLY),
        messages(),
        run.updatedAt());
  }

  /// The message, and those that are said with it.
  List<PostRef> messages() {
    return Stream.concat(Stream.of(delivery), parts.stream())
        .flatMap(each -> each.origin().message().stream())
        .toList();
  }

  void add(Work work, Update update) {
    add(work, conversation(), update);
  }

  void add(Work work, Conversation conversation, Update update) {
    work.outbox()
        .add(new Notice(NoticeId.random(), conversation, update, delivery.origin(), now, 0));
  }
}
