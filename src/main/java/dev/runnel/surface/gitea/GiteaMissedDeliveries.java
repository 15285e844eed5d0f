package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.util.List;
import java.util.Optional;

/// Finds missed comments, label changes and state changes in the repositories of the latest runs,
/// because Gitea never redelivers a webhook.
record GiteaMissedDeliveries(GiteaApi api, GiteaPayloads payloads) {
  private static final int MAX_ISSUES = 30;

  void find(MissedDeliveryCollector missed, List<RepositoryIssue> issues) {
    for (var repository : MissedDeliveryCollector.places(issues, RepositoryIssue::repository)) {
      var changed = missed.list(page -> api.issues(repository, missed.from(), page), GiteaApi.PAGE);
      for (var issue :
          missed.first(MAX_ISSUES, changed, each -> Json.instant(each, "updated_at"))) {
        Json.number(issue, "number")
            .flatMap(number -> RepositoryIssue.of(repository, number))
            .ifPresent(key -> find(missed, key, issue));
      }
    }
  }

  private void find(MissedDeliveryCollector missed, RepositoryIssue key, JsonNode issue) {
    for (var comment : missed.list(api.since(key, missed.since(), 1))) {
      var payload = payload("created", key, comment, issue);
      payload.set("comment", comment);
      add(missed, "issue_comment", payload, comment);
    }
    for (var event : missed.list(page -> api.timeline(key, missed.since(), page), GiteaApi.PAGE)) {
      payload(key, issue, event).ifPresent(payload -> add(missed, "issues", payload, event));
    }
  }

  /// The payload that the missed event would have had.
  private static Optional<ObjectNode> payload(RepositoryIssue key, JsonNode issue, JsonNode event) {
    ObjectNode then = issue.deepCopy();
    then.set("updated_at", event.path("created_at"));
    return switch (Json.text(event, "type").orElse("")) {
      case "label" -> {
        var payload = payload("label_updated", key, event, then);
        var isAdded = Json.text(event, "body").equals(Optional.of("1"));
        var changed = isAdded ? "added_labels" : "removed_labels";
        payload.putObject("changes").putArray(changed).add(event.path("label"));
        if (isAdded) {
          then.withArray("labels").add(event.path("label"));
        }
        yield Optional.of(payload);
      }
      case "assignees" -> {
        var isRemoved = event.path("removed_assignee").asBoolean();
        if (!isRemoved) {
          then.withArray("assignees").add(event.path("assignee"));
        }
        yield Optional.of(payload(isRemoved ? "unassigned" : "assigned", key, event, then));
      }
      case "close", "merge_pull" -> Optional.of(payload("closed", key, event, then));
      case "reopen" -> Optional.of(payload("reopened", key, event, then));
      default -> Optional.empty();
    };
  }

  private static ObjectNode payload(
      String action, RepositoryIssue key, JsonNode event, JsonNode issue) {
    var payload = Json.object().put("action", action);
    payload.putObject("repository").put("full_name", key.repository());
    payload.set("sender", event.path("user"));
    payload.set("issue", issue);
    payload.put("is_pull", Json.isThere(issue, "pull_request"));
    return payload;
  }

  /// @param event the event or comment, with its `id`, `created_at` and `user`
  private void add(
      MissedDeliveryCollector missed, String kind, ObjectNode payload, JsonNode event) {
    missed.add(
        Json.instant(event, "created_at"),
        Json.id(event, "id").map(id -> kind + "-" + id),
        payload.has("comment"),
        (id, now) -> payloads.read(kind, id, payload, now));
  }
}
