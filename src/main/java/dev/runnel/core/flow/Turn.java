package dev.runnel.core.flow;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;

/// A delivery whose turn it is, its try counted, and what may be said about it.
///
/// @param tries those before this one
/// @param now when the turn began
/// @param note what was decided about it, for those who ask why
record Turn(Delivery delivery, int tries, Instant now, String note) {
  Turn(Delivery delivery, int tries, Instant now) {
    this(delivery, tries, now, "");
  }

  Turn noting(String decided) {
    return new Turn(delivery, tries, now, decided);
  }

  /// An earlier try may have had its effect.
  boolean again() {
    return tries > 0;
  }

  Conversation conversation() {
    return delivery.conversation();
  }

  /// To the person who asked.
  void tell(Work work, String text) {
    add(work, new Update.Told(delivery.actor(), text, true));
  }

  /// To all in the thread, not only to the person who asked.
  void tellAll(Work work, String text) {
    add(work, new Update.Told(delivery.actor(), text, false));
  }

  /// The sign of receipt on the message.
  void received(Work work) {
    delivery.origin().message().ifPresent(message -> add(work, new Update.Received(message)));
  }

  void add(Work work, Update update) {
    add(work, conversation(), update);
  }

  void add(Work work, Conversation conversation, Update update) {
    work.outbox()
        .add(new Notice(NoticeId.random(), conversation, update, delivery.origin(), now, 0));
  }
}
