package dev.runnel.core.port;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.ConversationPolicy;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.GroupLookup;
import dev.runnel.core.model.LinkTarget;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.model.WebhookResult;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A platform where people talk to Runnel: Slack, an issue tracker.
///
/// Methods other than [#receive], [#linkTarget] and [#issue] may make network calls and take
/// seconds. None throws for an expected failure: a platform that is down or refuses is a [Posting].
/// Only [CredentialRefused] is thrown, by any method that calls out, when the platform does not
/// accept our credential.
public interface Surface {
  SurfaceId id();

  /// Verifies the request, then parses it. Must be quick and do no I/O, because the sender waits
  /// for the response.
  WebhookResult receive(RawRequest request);

  /// The maximum body size to read from a request, whose sender is not verified yet. The default
  /// exceeds what any tracker sends for an issue.
  default int maxBodyBytes() {
    return 5 * 1024 * 1024;
  }

  /// Checks what [#receive] could not check without calling out: that the sender has permission,
  /// and that the delivery is what it seems to be. Called before planning, on the surface that
  /// received the delivery; its conversation may belong to another surface.
  default Admission admit(Delivery delivery) {
    return Admission.ADMITTED;
  }

  /// Which groups of the platform contain the delivery's sender.
  ///
  /// @param names what a policy names on this platform, without the platform's name:
  ///   `group:S0PLAT`, `team:acme/platform`. Names of people and unknown groups may be among them
  default GroupLookup groups(Delivery delivery, Set<String> names) {
    return GroupLookup.NONE;
  }

  /// Whether one of those who run Runnel sent the delivery, so that no policy restricts it.
  default boolean isByOperator(Delivery delivery) {
    return false;
  }

  /// The names by which rules know the delivery's sender, on whatever platform; empty if the sender
  /// has an account of this platform, whose names are known.
  default Optional<Set<String>> names(Delivery delivery) {
    return Optional.empty();
  }

  /// Whether the platform currently responds and accepts our credential.
  ///
  /// @throws CredentialRefused if it responds but does not accept the credential
  default boolean isAvailable() {
    return false;
  }

  /// The conversation before the delivery, as context for the agent.
  ///
  /// @throws BackgroundUnavailable if the platform cannot be read now
  Background background(Delivery delivery);

  /// Opens the thread of a delivery that came from a place without one, with a first post that
  /// shows the request and who made it.
  ///
  /// @param again whether an earlier attempt may have succeeded: look for its post first
  /// @return `Posted` with the thread as conversation
  Posting openThread(Delivery delivery, boolean again);

  /// Whether a thread's first post, as [#openThread] made it, becomes the status post of the run.
  ///
  /// @param thread the conversation that the post opened
  default boolean isStatusPost(PostRef first, Conversation thread) {
    return false;
  }

  /// Renders and sends; edits the status post where there is one.
  ///
  /// @param status the post to edit: the run's status post, or the question that is closed
  Posting post(Notice notice, @Nullable PostRef status);

  /// Whether files can be uploaded to the conversation, by [#upload].
  default boolean takesFiles(Conversation conversation) {
    return false;
  }

  /// Uploads a file, once.
  ///
  /// @param notice with an [dev.runnel.core.model.Update.FileMade]
  default Posting upload(Notice notice, byte[] content) {
    throw new IllegalStateException(id() + " takes no files");
  }

  /// Which messages in the conversation go to the agent, and how long to batch them.
  default ConversationPolicy conversationPolicy(Conversation conversation) {
    return ConversationPolicy.PLAIN;
  }

  /// The name of the rate limit for posts to the conversation: when the platform asks for a pause,
  /// all posts with the same limit wait.
  default String rateLimit(Conversation conversation) {
    return id().value();
  }

  /// The name of the budget that limits how often status posts in the conversation are edited to
  /// show progress; all conversations with the same budget share it. Empty if they are not limited.
  default Optional<String> editBudget(Conversation conversation) {
    return Optional.empty();
  }

  /// Resolves a link of this platform; empty for a link of another. Does no I/O.
  ///
  /// @param from the conversation that contains the link, for parts that the link omits
  default Optional<LinkTarget> linkTarget(URI link, Conversation from) {
    return Optional.empty();
  }

  /// The conversation of the issue or pull request that a link shows; empty for a link to anything
  /// else. Makes no network calls.
  default Optional<Conversation> issue(URI link) {
    return Optional.empty();
  }

  /// Whether nobody reads the surface's posts: a run of such a surface may be moved to a thread of
  /// another.
  default boolean isSilent() {
    return false;
  }

  /// The time after which the platform removes, by itself, something that the surface shows of a
  /// run in the conversation; empty if it removes nothing. Called after each status.
  default Optional<Duration> statusLifetime(Conversation conversation) {
    return Optional.empty();
  }

  /// Messages since an instant, as the platform lists them, delivered or not. Bounded: what a very
  /// long list omits is not recovered.
  ///
  /// @param conversations the conversations of the latest runs, to check
  default MissedDeliveries missedDeliveries(Instant since, List<Conversation> conversations) {
    return MissedDeliveries.Said.NOTHING;
  }
}
