package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Reads what says that a pull request needs work again: failed checks, a conflict, a review that
/// wants changes. Pure. Whether a run of Runnel's opened the pull request is decided later.
final class GitHubPullRequestNeeds {
  static final String CHECK_SUITE = "check_suite";

  private static final Set<String> FAILED = Set.of("failure", "timed_out", "startup_failure");
  private static final int SHORT = 7;
  private static final Actor GITHUB = new Actor("github", "GitHub");

  private GitHubPullRequestNeeds() {}

  /// All checks of an app on a commit are done, and some failed. One event for each commit counts.
  static Optional<Delivery> failedChecks(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var suite = payload.path("check_suite");
    var commit = Json.text(suite, "head_sha").filter(sha -> sha.matches("[0-9a-f]{7,64}"));
    var pullRequest = pullRequest(payload, suite.path("pull_requests").path(0));
    if (!Json.text(payload, "action").equals(Optional.of("completed"))
        || Json.text(suite, "conclusion").filter(FAILED::contains).isEmpty()
        || commit.isEmpty()) {
      return Optional.empty();
    }
    return pullRequest.map(
        it -> {
          var news = "The checks of the pull request %s failed".formatted(it.link());
          return fact(
              id,
              it,
              "checks:" + commit.get(),
              news,
              news
                  + ".\n\nThey ran on commit %s. Find out why they failed, fix it, and push to the same branch."
                      .formatted(commit.get().substring(0, SHORT)),
              arrivedAt);
        });
  }

  /// GitHub reports a conflict only with other changes of the pull request.
  static Optional<Delivery> conflict(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var shown = payload.path("pull_request");
    var commit = Json.text(shown.path("head"), "sha");
    if (!Json.text(shown, "mergeable_state").equals(Optional.of("dirty")) || commit.isEmpty()) {
      return Optional.empty();
    }
    return pullRequest(payload, shown)
        .map(
            it -> {
              var news = "The pull request %s has a conflict".formatted(it.link());
              return fact(
                  id,
                  it,
                  "conflict:" + commit.get(),
                  news,
                  news
                      + ".\n\n"
                      + "Bring its branch up to date with the branch that it is to be merged into,"
                      + " resolve the conflict, and push to the same branch.",
                  arrivedAt);
            });
  }

  /// A person's review that requests changes and does not mention Runnel.
  ///
  /// @param isOurs whether a login is Runnel's own account
  static Optional<Delivery> review(
      String event, DeliveryId id, JsonNode payload, Instant arrivedAt, Predicate<String> isOurs) {
    var review = payload.path("review");
    var number = Json.id(review, "id");
    var author = AuthorPolicy.person(review.path("user")).filter(it -> !isOurs.test(it.id()));
    if (!event.equals(CommentKind.IN_A_REVIEW.event())
        || !Json.text(payload, "action").equals(Optional.of("submitted"))
        || Json.text(review, "state").filter("changes_requested"::equalsIgnoreCase).isEmpty()
        || !AuthorPolicy.mayBelong(review)
        || number.isEmpty()
        || author.isEmpty()) {
      return Optional.empty();
    }
    return pullRequest(payload, payload.path("pull_request"))
        .map(
            it -> {
              var link = Json.link(review, "html_url").orElse(it.link());
              var news =
                  "%s requested changes in a review: %s".formatted(author.get().name(), link);
              var body = Json.text(review, "body").map(text -> "\n\n" + text).orElse("");
              var cause = "review:" + number.get();
              return delivery(
                  id,
                  it,
                  author.get(),
                  new Intent.PullRequestNeeds(
                      it.link(),
                      cause,
                      news,
                      news
                          + "\n\n"
                          + "Read the review and its comments, make the changes, and push to the"
                          + " same branch."
                          + body,
                      false),
                  new Origin(
                      Optional.of(link),
                      Optional.empty(),
                      Optional.of(CommentKind.IN_A_REVIEW.ref(it.issue(), number.get())),
                      false),
                  cause,
                  arrivedAt);
            });
  }

  private record Shown(RepositoryIssue issue, URI link) {}

  private static Optional<Shown> pullRequest(JsonNode payload, JsonNode shown) {
    var repository = payload.path("repository");
    var issue =
        Json.text(repository, "full_name")
            .flatMap(
                name ->
                    Json.number(shown, "number")
                        .flatMap(number -> RepositoryIssue.of(name, number)));
    return issue.flatMap(
        it ->
            Json.link(repository, "html_url")
                .map(link -> new Shown(it, URI.create(link + "/pull/" + it.number()))));
  }

  private static Delivery fact(
      DeliveryId id, Shown shown, String cause, String news, String request, Instant arrivedAt) {
    return delivery(
        id,
        shown,
        GITHUB,
        new Intent.PullRequestNeeds(shown.link(), cause, news, request, true),
        new Origin(Optional.of(shown.link()), Optional.empty(), Optional.empty(), false),
        cause,
        arrivedAt);
  }

  private static Delivery delivery(
      DeliveryId id,
      Shown shown,
      Actor actor,
      Intent intent,
      Origin origin,
      String cause,
      Instant arrivedAt) {
    return new Delivery(
        id,
        "needs:" + shown.issue() + ":" + cause,
        new Conversation(GitHub.ID, shown.issue().toString()),
        actor,
        intent,
        true,
        origin,
        arrivedAt);
  }
}
