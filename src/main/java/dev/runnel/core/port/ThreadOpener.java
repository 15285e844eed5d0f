package dev.runnel.core.port;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;

/// Opens threads on a platform that has them.
public interface ThreadOpener {
  /// Every delivery belongs to a conversation already.
  ThreadOpener NONE = (_, _) -> new Posting.Undeliverable("No thread can be opened there.");

  /// Opens the thread of a delivery that came from a place without one, with a first post that
  /// shows the request and who made it.
  ///
  /// @param again whether an earlier attempt may have succeeded: look for its post first
  /// @return `Posted` with the thread as conversation
  Posting open(Delivery delivery, boolean again);

  /// Whether the first post of a thread that [#open] opened becomes the run's status post.
  ///
  /// @param thread the conversation that the post opened
  default boolean isStatusPost(PostRef first, Conversation thread) {
    return false;
  }
}
