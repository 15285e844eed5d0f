package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.markdown.Markdown;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/// A tracker's webhook event that says that a pull request needs work again: failed checks, a
/// conflict, a review that requests changes. Pure. Whether a run of Runnel's opened the pull
/// request is decided later.
///
/// @param tracker in whose name Runnel passes on what nobody said
/// @param pullRequest its conversation
/// @param thing what the tracker calls it: `merge request`
/// @param link to the pull request
public record PullRequestEvent(
    DeliveryId id,
    Actor tracker,
    Conversation pullRequest,
    String thing,
    URI link,
    Instant arrivedAt) {
  private static final int SHORT = 7;

  /// The hash of a commit in a payload.
  public static Optional<String> commit(JsonNode node, String name) {
    return Json.text(node, name).filter(hash -> hash.matches("[0-9a-f]{7,64}"));
  }

  /// Checks failed. However many there are, this counts once for each commit.
  public Delivery checksFailed(String commit) {
    return fact(
        "checks:" + commit,
        "The checks of the %s %s failed".formatted(thing, link),
        "They ran on commit %s. Find out why they failed, fix it, and push to the same branch."
            .formatted(commit.substring(0, SHORT)));
  }

  /// It cannot be merged, because of a conflict.
  ///
  /// @param commit the newest one of its branch
  public Delivery conflict(String commit) {
    return fact(
        "conflict:" + commit,
        "The %s %s has a conflict".formatted(thing, link),
        "Bring its branch up to date with the branch that it is to be merged into, resolve the"
            + " conflict, and push to the same branch.");
  }

  /// A person's review requests changes and does not mention Runnel.
  ///
  /// @param review identifies it among the reviews of the pull request
  /// @param at the link to the review, or to the pull request
  /// @param text what it says, if the event contains that
  public Delivery changesRequested(Actor reviewer, String review, URI at, Optional<String> text) {
    var news = "%s requested changes in a review: %s".formatted(reviewer.name(), at);
    var words =
        text.map(it -> Markdown.text(Markdown.seen(it)))
            .filter(it -> !it.isEmpty())
            .map(it -> "\n\n" + it)
            .orElse("");
    var request =
        news
            + "\n\n"
            + "Read the review and its comments, make the changes, and push to the same branch."
            + words;
    return delivery(
        reviewer,
        new Intent.PullRequestNeeds(link, "review:" + review, news, request, false),
        at,
        Optional.of(new PostRef(pullRequest.key() + "/review-" + review)));
  }

  private Delivery fact(String cause, String news, String task) {
    var request = news + ".\n\n" + task;
    return delivery(
        tracker,
        new Intent.PullRequestNeeds(link, cause, news, request, true),
        link,
        Optional.empty());
  }

  private Delivery delivery(
      Actor actor, Intent.PullRequestNeeds needs, URI at, Optional<PostRef> message) {
    return new Delivery(
        id,
        "needs:" + pullRequest.key() + ":" + needs.cause(),
        pullRequest,
        actor,
        needs,
        true,
        new Origin(Optional.of(at), Optional.empty(), message, false),
        arrivedAt);
  }
}
