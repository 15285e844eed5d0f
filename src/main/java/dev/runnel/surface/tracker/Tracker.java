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
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What differs between issue trackers; [TrackerSurface] adds what is the same. Methods that call
/// out may throw [dev.runnel.surface.kit.TrackerUnavailable], except [#post].
///
/// @param <I> the key of an issue
public interface Tracker<I> {
  /// Why nobody is served yet, for the operator; empty if somebody is.
  default Optional<String> note() {
    return Optional.empty();
  }

  /// Verifies who sent the request. Makes no calls.
  ///
  /// @return why it is not authentic, for the log; empty if it is
  Optional<String> forgery(RawRequest request);

  /// Parses an authentic request. Makes no calls.
  WebhookResult parse(RawRequest request, JsonNode payload);

  /// The issue that a conversation is about; empty if its key has another form.
  Optional<I> issue(Conversation conversation);

  /// Checks the sender's permission, and what the payload did not say.
  Admission admit(I issue, Delivery delivery);

  /// See [dev.runnel.core.port.Surface#groups]. Without groups on the tracker it finds none.
  default Set<String> groups(I issue, Delivery delivery, Set<String> names) {
    return Set.of();
  }

  /// The address of the delivery's sender for commits; empty where the tracker has none.
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

  /// See [dev.runnel.core.port.Surface#conversationPolicy].
  default ConversationPolicy policy() {
    return ConversationPolicy.PLAIN;
  }

  /// What a link of this tracker shows; empty for other links. Makes no calls.
  default Optional<LinkTarget> target(URI link) {
    return Optional.empty();
  }
}
