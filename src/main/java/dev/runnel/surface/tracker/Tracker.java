package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Background;
import dev.runnel.json.Projection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The part of a surface that differs between issue trackers; [TrackerSurface] is the common part.
/// Methods that call the tracker may throw [dev.runnel.surface.kit.TrackerUnavailable], except
/// [#post].
///
/// @param <I> the key of an issue
public interface Tracker<I> {
  int EDITS_PER_MINUTE = 25;

  /// Why the settings let nobody use Runnel yet, for the operator; empty if somebody may.
  default Optional<String> setupProblem() {
    return Optional.empty();
  }

  /// Verifies who sent the request. Makes no calls.
  ///
  /// @return why it is not authentic, for the log; empty if it is
  Optional<String> authenticationProblem(RawRequest request);

  /// Whether the headers of an authentic request say that it does not concern Runnel, so that its
  /// body is not read.
  default boolean ignores(RawRequest request) {
    return false;
  }

  /// All that [#parse] reads of a payload.
  Projection projection();

  /// Parses an authentic request. Makes no calls.
  ///
  /// @param payload what the [#projection] reads of it
  WebhookResult parse(RawRequest request, JsonNode payload);

  /// The issue that a conversation is about; empty if its key has another form.
  Optional<I> issue(Conversation conversation);

  /// Checks the sender's permission, and facts that the payload does not contain.
  Admission admit(I issue, Delivery delivery);

  /// See [dev.runnel.core.port.SenderLookup#groups]. Empty for a tracker without groups.
  default Set<String> groups(I issue, Delivery delivery, Set<String> names) {
    return Set.of();
  }

  /// The email address of the delivery's sender for commits; empty if the tracker does not provide
  /// one.
  default Optional<String> email(I issue, Delivery delivery) {
    return Optional.empty();
  }

  /// Reads the issue and the comments before the request.
  Background background(I issue, Delivery delivery);

  /// Adds what happened since [MissedDeliveryCollector#since].
  ///
  /// @param issues those of the latest runs
  void findMissed(MissedDeliveryCollector missed, List<I> issues);

  Posting post(I issue, Notice notice, @Nullable PostRef status);

  /// The installation of our app whose rate limit applies to the issue; empty if all issues share
  /// one limit.
  default Optional<String> installation(I issue) {
    return Optional.empty();
  }

  /// The maximum number of edits in a minute that show the progress of runs, of all issues that
  /// share a rate limit.
  default int editsPerMinute() {
    return EDITS_PER_MINUTE;
  }

  /// See [dev.runnel.core.port.PostingLimits#statusLifetime].
  default Optional<Duration> statusLifetime() {
    return Optional.empty();
  }

  /// See [dev.runnel.core.port.Surface#conversationPolicy].
  default ConversationPolicy policy() {
    return ConversationPolicy.PLAIN;
  }

  /// The target of a link to this tracker; empty for other links. Makes no calls.
  default Optional<LinkTarget> target(URI link) {
    return Optional.empty();
  }
}
