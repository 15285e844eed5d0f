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

/// A tracker's webhook event after which a pull request needs more work: failed checks, a conflict,
/// or a review that requests changes. Pure. Whether a run of Runnel opened the pull request is
/// checked later.
///
/// @param tracker the actor of events that have no person as sender
/// @param pullRequest its conversation, or a name of its branch if the tracker names only that
/// @param itemType what the tracker calls it: `merge request`
/// @param link to the pull request, or to the repository
public record PullRequestEvent(
    DeliveryId id,
    Actor tracker,
    Conversation pullRequest,
    String itemType,
    URI link,
    Instant arrivedAt) {
  private static final int SHORT = 7;

  /// The hash of a commit in a payload.
  public static Optional<String> commit(JsonNode node, String name) {
    return Json.text(node, name).filter(hash -> hash.matches("[0-9a-f]{7,64}"));
  }

  /// Checks failed: one delivery for each commit, however many checks failed.
  public Delivery checksFailed(String commit) {
    return checksFailed(itemType + " " + link, commit, Optional.empty());
  }

  /// The same, if the tracker names only a branch, and the link is that of the repository.
  public Delivery checksFailed(String commit, String branch) {
    return checksFailed(
        "%s `%s` in %s".formatted(itemType, branch, link), commit, Optional.of(branch));
  }

  private Delivery checksFailed(String what, String commit, Optional<String> branch) {
    return fact(
        "checks:" + commit,
        "The checks of the %s failed".formatted(what),
        "They ran on commit %s. Find out why they failed, fix it, and push to the same branch."
            .formatted(commit.substring(0, SHORT)),
        branch);
  }

  /// It cannot be merged, because of a conflict.
  ///
  /// @param commit the newest one of its branch
  public Delivery conflict(String commit) {
    return fact(
        "conflict:" + commit,
        "The %s %s has a conflict".formatted(itemType, link),
        "Update its branch from the branch that it is to be merged into, resolve the"
            + " conflict, and push to the same branch.",
        Optional.empty());
  }

  /// A person's review requests changes and does not mention Runnel.
  ///
  /// @param review identifies it among the reviews of the pull request
  /// @param at the link to the review, or to the pull request
  /// @param text its text, if the event contains that
  public Delivery changesRequested(Actor reviewer, String review, URI at, Optional<String> text) {
    var news = "%s requested changes in a review: %s".formatted(reviewer.name(), at);
    var body =
        text.map(it -> Markdown.text(Markdown.visibleLines(it)))
            .filter(it -> !it.isEmpty())
            .map(it -> "\n\n" + it)
            .orElse("");
    var request =
        news
            + "\n\n"
            + "Read the review and its comments, make the changes, and push to the same branch."
            + body;
    return delivery(
        reviewer,
        new Intent.PullRequestNeeds(link, "review:" + review, news, request, false),
        at,
        Optional.of(new PostRef(pullRequest.key() + "/review-" + review)));
  }

  private Delivery fact(String cause, String news, String task, Optional<String> branch) {
    var request = news + ".\n\n" + task;
    return delivery(
        tracker,
        new Intent.PullRequestNeeds(link, cause, news, request, true, branch),
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
