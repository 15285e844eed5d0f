package dev.runnel.core.port;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import org.jspecify.annotations.Nullable;

/// A platform where people talk to Runnel: Slack, an issue tracker. Capabilities that only some
/// platforms have are ports of their own, whose defaults do nothing.
///
/// [#post] and the methods of those ports, other than [LinkParser] and [PostingLimits], may make
/// network calls and take seconds. None throws for an expected failure: a platform that is down or
/// refuses is a [Posting]. Only [CredentialRefused] is thrown, by any method that calls out, when
/// the platform does not accept our credential.
public interface Surface {
  SurfaceId id();

  /// Verifies the request, then parses it. Must be quick and do no I/O, because the sender waits
  /// for the response.
  WebhookResult receive(RawRequest request);

  /// Renders and sends; edits the status post where there is one.
  ///
  /// @param status the post to edit: the run's status post, or the question that is closed
  Posting post(Notice notice, @Nullable PostRef status);

  /// The maximum body size to read from a request, whose sender is not verified yet. The default
  /// exceeds what any tracker sends for an issue.
  default int maxBodyBytes() {
    return 5 * 1024 * 1024;
  }

  /// Whether the platform currently responds and accepts our credential.
  ///
  /// @throws CredentialRefused if it responds but does not accept the credential
  default boolean isAvailable() {
    return false;
  }

  /// Whether nobody reads the surface's posts: a run of such a surface may be moved to a thread of
  /// another.
  default boolean isSilent() {
    return false;
  }

  /// Which messages in the conversation go to the agent, and how long to batch them.
  default ConversationPolicy conversationPolicy(Conversation conversation) {
    return ConversationPolicy.PLAIN;
  }

  default SenderLookup senders() {
    return SenderLookup.NONE;
  }

  default ThreadOpener threads() {
    return ThreadOpener.NONE;
  }

  default BackgroundReader background() {
    return BackgroundReader.NONE;
  }

  default FileUploader files() {
    return FileUploader.NONE;
  }

  default LinkParser links() {
    return LinkParser.NONE;
  }

  /// By default all posts of the surface share one rate limit, and edits have no budget.
  default PostingLimits limits() {
    return _ -> id().value();
  }

  default MissedDeliverySource missed() {
    return MissedDeliverySource.NONE;
  }
}
