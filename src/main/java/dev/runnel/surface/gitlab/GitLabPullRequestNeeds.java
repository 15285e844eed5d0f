package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.surface.gitlab.GitLabIssue.Kind;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.PullRequestEvent;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/// Reads the events after which a merge request needs more work. Pure.
final class GitLabPullRequestNeeds {
  static final String PIPELINE = "pipeline";

  private static final String MERGE_REQUEST = "merge_request";
  private static final String ATTRIBUTES = "object_attributes";
  private static final Actor GITLAB = new Actor("gitlab", "GitLab");

  private GitLabPullRequestNeeds() {}

  /// GitLab names the merge request of a pipeline only if the pipeline runs for a merge request,
  /// not for a branch.
  static Optional<Delivery> failedPipeline(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var pipeline = payload.path(ATTRIBUTES);
    var shown = payload.path(MERGE_REQUEST);
    var commit = PullRequestEvent.commit(pipeline, "sha");
    if (commit.isEmpty() || !Json.text(pipeline, "status").equals(Optional.of("failed"))) {
      return Optional.empty();
    }
    if (!shown.isObject()) {
      return failedBranch(id, payload, commit.get(), arrivedAt);
    }
    return isHere(payload, shown)
        ? event(id, payload, shown, arrivedAt).map(it -> it.checksFailed(commit.get()))
        : Optional.empty();
  }

  /// Runs have no merge request from the default branch.
  private static Optional<Delivery> failedBranch(
      DeliveryId id, JsonNode payload, String commit, Instant arrivedAt) {
    var project = payload.path("project");
    var branch =
        Json.text(payload.path(ATTRIBUTES), "ref")
            .filter(_ -> !payload.path(ATTRIBUTES).path("tag").asBoolean())
            .filter(ref -> !Json.text(project, "default_branch").equals(Optional.of(ref)));
    return branch.flatMap(
        ref ->
            Json.text(project, "path_with_namespace")
                .flatMap(
                    path ->
                        Json.link(project, "web_url")
                            .map(
                                link ->
                                    new PullRequestEvent(
                                            id,
                                            GITLAB,
                                            new Conversation(GitLab.ID, path + "@" + ref),
                                            "branch",
                                            link,
                                            arrivedAt)
                                        .checksFailed(commit, ref))));
  }

  /// Whether the merge request is one of the project that sends the event. A pipeline in a fork
  /// shows the number that the merge request has in another project.
  private static boolean isHere(JsonNode payload, JsonNode shown) {
    var target = Json.id(shown, "target_project_id");
    return target.isPresent() && target.equals(Json.id(payload.path("project"), "id"));
  }

  /// GitLab reports a conflict only with other changes of the merge request.
  static Optional<Delivery> conflict(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var shown = payload.path(ATTRIBUTES);
    return Json.text(shown, "detailed_merge_status").equals(Optional.of("conflict"))
        ? event(id, payload, shown, arrivedAt).flatMap(it -> commit(shown).map(it::conflict))
        : Optional.empty();
  }

  /// The sender requests changes, as a reviewer. Older servers send no event for this.
  ///
  /// @param isOurs whether a user name is that of Runnel's own account
  static Optional<Delivery> review(
      DeliveryId id, JsonNode payload, Actor sender, Instant arrivedAt, Predicate<String> isOurs) {
    var shown = payload.path(ATTRIBUTES);
    var reviewers = payload.path("changes").path("reviewers");
    return requestsChanges(reviewers.path("current"), sender)
            && !requestsChanges(reviewers.path("previous"), sender)
            && !isOurs.test(sender.id())
        ? event(id, payload, shown, arrivedAt)
            .flatMap(
                it ->
                    commit(shown)
                        .map(
                            commit ->
                                it.changesRequested(
                                    sender,
                                    sender.id() + ":" + commit,
                                    it.link(),
                                    Optional.empty())))
        : Optional.empty();
  }

  private static boolean requestsChanges(JsonNode reviewers, Actor person) {
    return Json.elements(reviewers)
        .filter(each -> Json.text(each, "username").equals(Optional.of(person.id())))
        .anyMatch(each -> Json.text(each, "state").equals(Optional.of("requested_changes")));
  }

  /// The newest commit of the merge request.
  private static Optional<String> commit(JsonNode shown) {
    return PullRequestEvent.commit(shown.path("last_commit"), "id");
  }

  private static Optional<PullRequestEvent> event(
      DeliveryId id, JsonNode payload, JsonNode shown, Instant arrivedAt) {
    var key =
        Json.text(payload.path("project"), "path_with_namespace")
            .flatMap(
                project ->
                    Json.number(shown, "iid")
                        .flatMap(
                            number -> GitLabIssue.of(project, Kind.MERGE_REQUEST, number, false)));
    return key.filter(_ -> Json.text(shown, "state").equals(Optional.of("opened")))
        .flatMap(
            it ->
                Json.link(shown, "url")
                    .map(
                        link ->
                            new PullRequestEvent(
                                id,
                                GITLAB,
                                new Conversation(GitLab.ID, it.toString()),
                                it.kind().itemType(),
                                link,
                                arrivedAt)));
  }
}
