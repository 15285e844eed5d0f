package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.PullRequestEvent;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Reads the events after which a pull request needs more work. Pure.
final class GitHubPullRequestNeeds {
  static final String CHECK_SUITE = "check_suite";

  private static final Set<String> FAILED = Set.of("failure", "timed_out", "startup_failure");
  private static final Actor GITHUB = new Actor("github", "GitHub");

  private GitHubPullRequestNeeds() {}

  /// All checks of an app on a commit are done, and some failed.
  static Optional<Delivery> failedChecks(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var suite = payload.path("check_suite");
    return Json.text(payload, "action").equals(Optional.of("completed"))
            && Json.text(suite, "conclusion").filter(FAILED::contains).isPresent()
        ? event(id, payload, suite.path("pull_requests").path(0), arrivedAt)
            .flatMap(it -> PullRequestEvent.commit(suite, "head_sha").map(it::checksFailed))
        : Optional.empty();
  }

  /// GitHub reports a conflict only with other changes of the pull request.
  static Optional<Delivery> conflict(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var shown = payload.path("pull_request");
    return Json.text(shown, "mergeable_state").equals(Optional.of("dirty"))
        ? event(id, payload, shown, arrivedAt)
            .flatMap(it -> PullRequestEvent.commit(shown.path("head"), "sha").map(it::conflict))
        : Optional.empty();
  }

  /// @param isOurs whether a login is Runnel's own account
  static Optional<Delivery> review(
      String event, DeliveryId id, JsonNode payload, Instant arrivedAt, Predicate<String> isOurs) {
    var review = payload.path("review");
    var number = Json.id(review, "id");
    var author = AuthorPolicy.person(review.path("user")).filter(it -> !isOurs.test(it.id()));
    if (!event.equals(CommentKind.REVIEW.event())
        || !Json.text(payload, "action").equals(Optional.of("submitted"))
        || Json.text(review, "state").filter("changes_requested"::equalsIgnoreCase).isEmpty()
        || !AuthorPolicy.mayBelong(review)
        || number.isEmpty()
        || author.isEmpty()) {
      return Optional.empty();
    }
    return event(id, payload, payload.path("pull_request"), arrivedAt)
        .map(
            it ->
                it.changesRequested(
                    author.get(),
                    number.get().toString(),
                    Json.link(review, "html_url").orElse(it.link()),
                    Json.text(review, "body")));
  }

  private static Optional<PullRequestEvent> event(
      DeliveryId id, JsonNode payload, JsonNode shown, Instant arrivedAt) {
    var repository = payload.path("repository");
    var key =
        Json.text(repository, "full_name")
            .flatMap(
                name ->
                    Json.number(shown, "number")
                        .flatMap(number -> RepositoryIssue.of(name, number)));
    return key.flatMap(
        it ->
            Json.link(repository, "html_url")
                .map(
                    link ->
                        new PullRequestEvent(
                            id,
                            GITHUB,
                            new Conversation(GitHub.ID, it.toString()),
                            "pull request",
                            URI.create(link + "/pull/" + it.number()),
                            arrivedAt)));
  }
}
