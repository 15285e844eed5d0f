package dev.runnel.surface.tracker;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Snapshot;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/// A tracker's webhook event about an issue, from which deliveries are made. Pure.
///
/// @param issue its conversation
/// @param link to the issue, or to the comment
/// @param snapshot the issue as the event contains it
public record IssueEvent(
    DeliveryId id,
    Conversation issue,
    Actor actor,
    Optional<URI> link,
    Instant arrivedAt,
    Snapshot snapshot) {
  /// The issue was changed. Only a start is addressed to Runnel: without an active run, a stop that
  /// nobody asked for does nothing.
  ///
  /// @param meaning the semantic key
  public Delivery changed(String meaning, Intent intent) {
    return delivery(meaning, intent, intent instanceof Intent.Start, Optional.empty());
  }

  /// A pull request was opened, made a draft or ready, merged or closed. This concerns the run that
  /// opened it, wherever that run was started.
  ///
  /// @param meaning the semantic key, unless `also` has one
  /// @param at when, by the tracker's clock
  /// @param also the delivery for the other meaning of the event
  /// @return `also` if the event does not link to the pull request
  public Optional<Delivery> pullRequestChanged(
      String meaning, PullRequestState state, Optional<Instant> at, Optional<Delivery> also) {
    if (link.isEmpty()) {
      return also;
    }
    var changed =
        new Intent.PullRequestChanged(
            link.get(), state, at.orElse(arrivedAt), also.map(Delivery::intent));
    return Optional.of(
        also.orElseGet(() -> changed(meaning, changed)).withIntent(changed).withAddressed(true));
  }

  /// Somebody addressed Runnel.
  ///
  /// @param meaning the semantic key
  /// @param message the comment, or another post that contains the text
  public Delivery comment(String meaning, Intent intent, PostRef message) {
    return delivery(meaning, intent, true, Optional.of(message));
  }

  private Delivery delivery(
      String meaning, Intent intent, boolean addressed, Optional<PostRef> message) {
    var origin = new Origin(link, Optional.empty(), message, false);
    return new Delivery(id, meaning, issue, actor, intent, addressed, origin, arrivedAt, snapshot);
  }
}
