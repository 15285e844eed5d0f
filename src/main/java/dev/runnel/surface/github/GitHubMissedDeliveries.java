package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.util.List;

/// Finds missed comments and label changes in the repositories of the latest runs, because GitHub
/// never redelivers a webhook by itself. These lists need only read access to issues; where a
/// webhook's delivery list can be read, [GitHubDeliveries] is used.
record GitHubMissedDeliveries(GitHubApi api, GitHubPayloads payloads) {
  private static final int MAX_ISSUES = 30;

  void find(MissedDeliveryCollector missed, List<RepositoryIssue> issues) {
    for (var repository : MissedDeliveryCollector.places(issues, RepositoryIssue::repository)) {
      var changed =
          missed.list(page -> api.issues(repository, missed.from(), page), GitHubApi.PAGE);
      for (var issue :
          missed.first(MAX_ISSUES, changed, each -> Json.instant(each, "updated_at"))) {
        Json.number(issue, "number")
            .flatMap(number -> RepositoryIssue.of(repository, number))
            .ifPresent(key -> find(missed, key, issue));
      }
    }
  }

  private void find(MissedDeliveryCollector missed, RepositoryIssue key, JsonNode issue) {
    var since = missed.since();
    for (var comment : missed.list(page -> api.since(key, since, page), GitHubApi.PAGE)) {
      addComment(missed, CommentKind.ISSUE_COMMENT, key, issue, comment);
    }
    if (Json.isThere(issue, "pull_request")) {
      for (var comment : missed.list(page -> api.lineComments(key, since, page), GitHubApi.PAGE)) {
        addComment(missed, CommentKind.REVIEW_COMMENT, key, issue, comment);
      }
      for (var review : missed.list(page -> api.reviews(key, page), GitHubApi.PAGE)) {
        addComment(missed, CommentKind.REVIEW, key, issue, review);
      }
    }
    for (var event : missed.list(page -> api.events(key, page), GitHubApi.PAGE)) {
      var action = event.path("event").asText();
      var payload = payload(action, key, event.path("actor"), issueAtEvent(issue, event));
      payload.set("label", event.path("label"));
      payload.set("assignee", event.path("assignee"));
      add(missed, "issues", payload, event, "created_at");
    }
  }

  private void addComment(
      MissedDeliveryCollector missed,
      CommentKind kind,
      RepositoryIssue key,
      JsonNode issue,
      JsonNode addComment) {
    var payload = payload(kind.first(), key, addComment.path("user"), issue);
    payload.set(kind.member(), addComment);
    var dated = kind == CommentKind.REVIEW ? "submitted_at" : "created_at";
    add(missed, kind.event(), payload, addComment, dated);
  }

  /// The issue at the time of the event: a label that was added and removed again still started a
  /// run.
  private static JsonNode issueAtEvent(JsonNode issue, JsonNode event) {
    ObjectNode then = issue.deepCopy();
    then.set("updated_at", event.path("created_at"));
    return then;
  }

  private static ObjectNode payload(
      String action, RepositoryIssue key, JsonNode sender, JsonNode issue) {
    var payload = Json.object().put("action", action);
    payload.putObject("repository").put("full_name", key.repository());
    payload.set("sender", sender);
    payload.set("issue", issue);
    return payload;
  }

  /// @param node the event or comment, with its `id`
  /// @param dated the field that has its time
  private void add(
      MissedDeliveryCollector missed,
      String event,
      ObjectNode payload,
      JsonNode node,
      String dated) {
    missed.add(
        Json.instant(node, dated),
        Json.id(node, "id").map(id -> event + "-" + id),
        CommentKind.of(event).isPresent(),
        (id, now) -> payloads.read(event, id, payload, now));
  }
}
