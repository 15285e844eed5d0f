package dev.runnel.surface.gitea;

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
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Reads the events after which a pull request needs more work: failed workflows and reviews. Pure.
///
/// Gitea reports the statuses of other systems without the pull request, and whether a pull request
/// can be merged without the reason.
final class GiteaPullRequestNeeds {
  /// The event of Gitea's workflows.
  static final String WORKFLOW = "workflow_run";

  /// The event of Forgejo's workflows.
  static final String FAILED_ACTION = "action_run_failure";

  static final String REJECTED = "pull_request_rejected";

  private static final String FAILURE = "failure";
  private static final String PULL_REQUEST = "pull_request";
  private static final Actor GITEA = new Actor("gitea", "Gitea");

  // The file of the workflow, and the ref that it ran on. A branch may end like the ref of a pull
  // request.
  private static final Pattern PATH =
      Pattern.compile("^[^@/]+@refs/pull/(?<number>[0-9]{1,9})/head");
  private static final Pattern PRETTY_REF = Pattern.compile("#(?<number>[0-9]{1,9})");

  private GiteaPullRequestNeeds() {}

  static Optional<Delivery> failedWorkflow(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var run = payload.path("workflow_run");
    var repository = payload.path("repository");
    return Json.text(payload, "action").equals(Optional.of("completed"))
            && Json.text(run, "conclusion").equals(Optional.of(FAILURE))
        ? number(PATH, Json.text(run, "path"))
            .or(() -> shown(run, repository))
            .flatMap(number -> event(id, repository, number, arrivedAt))
            .flatMap(it -> PullRequestEvent.commit(run, "head_sha").map(it::checksFailed))
        : Optional.empty();
  }

  /// Newer servers list the pull requests of a run, also of a run for a pushed branch. One into
  /// another repository has its number there.
  private static Optional<Integer> shown(JsonNode run, JsonNode repository) {
    var here = Json.id(repository, "id");
    return Json.elements(run.path("pull_requests"))
        .filter(_ -> here.isPresent())
        .filter(each -> Json.id(each.path("base").path("repo"), "id").equals(here))
        .flatMap(each -> Json.number(each, "number").stream())
        .findFirst();
  }

  /// Forgejo also sends this for runs that were cancelled or skipped.
  static Optional<Delivery> failedAction(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var run = payload.path("run");
    return Json.text(run, "status").equals(Optional.of(FAILURE))
            && Json.text(run, "trigger_event").equals(Optional.of(PULL_REQUEST))
        ? number(PRETTY_REF, Json.text(run, "prettyref"))
            .flatMap(number -> event(id, run.path("repository"), number, arrivedAt))
            .flatMap(it -> PullRequestEvent.commit(run, "commit_sha").map(it::checksFailed))
        : Optional.empty();
  }

  private static Optional<Integer> number(Pattern form, Optional<String> text) {
    return text.map(form::matcher)
        .filter(matcher -> matcher.matches())
        .map(matcher -> Integer.parseInt(matcher.group("number")));
  }

  /// @param isOurs whether a login is Runnel's own account
  static Optional<Delivery> review(
      DeliveryId id, JsonNode payload, Instant arrivedAt, Predicate<String> isOurs) {
    var review = payload.path("review");
    var shown = payload.path(PULL_REQUEST);
    var reviewer = GiteaPayloads.person(payload.path("sender")).filter(it -> !isOurs.test(it.id()));
    var commit = PullRequestEvent.commit(shown.path("head"), "sha");
    if (!Json.text(review, "type").equals(Optional.of("pull_request_review_rejected"))
        || !Json.text(payload, "action").equals(Optional.of("reviewed"))
        || reviewer.isEmpty()
        || commit.isEmpty()) {
      return Optional.empty();
    }
    // The event does not contain the number of the review.
    var identity =
        "%s:%s:%08x"
            .formatted(reviewer.get().id(), commit.get(), Json.text(review, "content").hashCode());
    return Json.number(shown, "number")
        .flatMap(number -> event(id, payload.path("repository"), number, arrivedAt))
        .map(
            it ->
                it.changesRequested(
                    reviewer.get(), identity, it.link(), Json.text(review, "content")));
  }

  private static Optional<PullRequestEvent> event(
      DeliveryId id, JsonNode repository, int number, Instant arrivedAt) {
    return Json.text(repository, "full_name")
        .flatMap(name -> RepositoryIssue.of(name, number))
        .flatMap(
            key ->
                Json.link(repository, "html_url")
                    .map(
                        link ->
                            new PullRequestEvent(
                                id,
                                GITEA,
                                new Conversation(Gitea.ID, key.toString()),
                                "pull request",
                                URI.create(link + "/pulls/" + number),
                                arrivedAt)));
  }
}
