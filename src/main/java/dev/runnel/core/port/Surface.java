package dev.runnel.core.port;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.ConversationPolicy;
import dev.runnel.core.model.Delivery;
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
import org.jspecify.annotations.Nullable;

/// A place where people talk to Runnel: Slack, an issue tracker.
///
/// Methods other than [#receive] may call out and take seconds. None throws for what happens by
/// nature: a platform that is down or refuses is a [Posting]. But all that call out throw
/// [CredentialRefused] when the platform does not accept our credential.
public interface Surface {
  SurfaceId id();

  /// Verifies, then parses. Quick and pure: no I/O, because a sender waits for the answer.
  WebhookResult receive(RawRequest request);

  /// The largest body of a request that is read at all; its sender has proved nothing yet. The
  /// default is more than any tracker sends for an issue.
  default int maxBodyBytes() {
    return 5 * 1024 * 1024;
  }

  /// Whether the delivery counts, as far as [#receive] could not know without calling out: who
  /// said it may, and it is what it looks like. Asked before anything is planned, of the surface
  /// that received it; its thread may be another's.
  default Admission admit(Delivery delivery) {
    return Admission.ADMITTED;
  }

  /// Whether the platform answers and accepts our credential, asked just now.
  ///
  /// @throws CredentialRefused when it answers, and does not accept it
  default boolean isAvailable() {
    return false;
  }

  /// What was said before the delivery, for the agent to know.
  ///
  /// @throws BackgroundUnavailable when the platform cannot be asked now
  Background background(Delivery delivery);

  /// Opens the thread of a delivery that came from a place without one, by a first post that shows
  /// who asked for what.
  ///
  /// @param again an earlier try may have succeeded: look for its post first
  /// @return `Posted` with the thread as conversation
  Posting open(Delivery delivery, boolean again);

  /// Renders and sends; edits the status post where there is one.
  Posting post(Notice notice, @Nullable PostRef status);

  /// How people talk in the conversation.
  default ConversationPolicy manners(Conversation conversation) {
    return ConversationPolicy.PLAIN;
  }

  /// What shares the platform's patience with posts to the conversation: when the platform asks
  /// for a pause, all posts with the same limit wait.
  default String limit(Conversation conversation) {
    return id().value();
  }

  /// What a link of this platform shows; empty for a link of another. Pure.
  ///
  /// @param from where the link was said, for what it does not say itself
  default Optional<LinkTarget> shown(URI link, Conversation from) {
    return Optional.empty();
  }

  /// Whether nobody reads there what is posted: a run from there may be taken along to a thread.
  default boolean isSilent() {
    return false;
  }

  /// After what time something that the surface shows of a run in the conversation fades by itself;
  /// empty where nothing does. Asked after each status.
  default Optional<Duration> fading(Conversation conversation) {
    return Optional.empty();
  }

  /// What people said since, as the platform lists it, delivered or not. Bounded: what a very long
  /// list leaves out stays out.
  ///
  /// @param conversations those of the latest runs: where to look
  default MissedDeliveries missed(Instant since, List<Conversation> conversations) {
    return MissedDeliveries.Said.NOTHING;
  }
}
