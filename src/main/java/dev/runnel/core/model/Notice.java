package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import java.time.Instant;

/// An update addressed to a conversation.
///
/// @param origin the origin of the delivery it answers, for private answers and links
/// @param tries number of earlier attempts to post it; above 0, one of them may have succeeded
public record Notice(
    NoticeId id,
    Conversation conversation,
    Update update,
    Origin origin,
    Instant createdAt,
    int tries) {
  /// A copy with another update.
  public Notice withUpdate(Update now) {
    return new Notice(id, conversation, now, origin, createdAt, tries);
  }
}
