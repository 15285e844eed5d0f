package dev.runnel.core.model;

import java.time.Instant;

/// An update, addressed.
///
/// @param origin of the delivery it answers, for private answers and links
/// @param tries how often posting it was begun before; above 0, an earlier try may have succeeded
public record Notice(
    NoticeId id,
    Conversation conversation,
    Update update,
    Origin origin,
    Instant createdAt,
    int tries) {
  /// The same with another update.
  public Notice saying(Update now) {
    return new Notice(id, conversation, now, origin, createdAt, tries);
  }
}
