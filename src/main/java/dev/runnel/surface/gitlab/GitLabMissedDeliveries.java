package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.gitlab.GitLabIssue.Kind;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import java.util.List;

/// Finds missed notes, label changes and state changes in the projects of the latest runs, because
/// GitLab retries a webhook only for a short time.
record GitLabMissedDeliveries(GitLabApi api, GitLabPayloads payloads) {
  private static final int MAX_ISSUES = 30;

  void find(MissedDeliveryCollector missed, List<GitLabIssue> issues) {
    for (var project : MissedDeliveryCollector.places(issues, GitLabIssue::project)) {
      for (var kind : Kind.values()) {
        var changed =
            missed.list(page -> api.changed(project, kind, missed.from(), page), GitLabApi.PAGE);
        for (var issue :
            missed.first(MAX_ISSUES, changed, each -> Json.instant(each, "updated_at"))) {
          Json.number(issue, "iid")
              .flatMap(number -> GitLabIssue.of(project, kind, number, false))
              .ifPresent(key -> find(missed, key, issue));
        }
      }
    }
  }

  private void find(MissedDeliveryCollector missed, GitLabIssue key, JsonNode issue) {
    for (var note :
        missed.list(
            page -> api.notes(key, page),
            GitLabApi.PAGE,
            each -> missed.isBefore(Json.instant(each, "created_at")))) {
      add(missed, noted(key, issue, note), note, true);
    }
    for (var event : missed.list(page -> api.labelEvents(key, page), GitLabApi.PAGE)) {
      add(missed, labelled(key, issue, event), event, false);
    }
    for (var event : missed.list(page -> api.stateEvents(key, page), GitLabApi.PAGE)) {
      add(missed, stateChanged(key, issue, event), event, false);
    }
  }

  /// @param event the event or note, with its `id` and creation time
  private void add(
      MissedDeliveryCollector missed, ObjectNode payload, JsonNode event, boolean sameMeaning) {
    var action = Json.text(payload.path("object_attributes"), "action").orElse("");
    missed.add(
        Json.instant(event, "created_at"),
        Json.id(event, "id").map(id -> action + "-" + id),
        sameMeaning,
        (id, now) -> payloads.read(id, payload, now));
  }

  private static ObjectNode noted(GitLabIssue key, JsonNode issue, JsonNode note) {
    var payload = payload("note", key, note.path("author"));
    var attributes = payload.putObject("object_attributes");
    attributes.put("action", "create");
    attributes.put("noteable_type", key.kind() == Kind.ISSUE ? "Issue" : "MergeRequest");
    attributes.set("id", note.path("id"));
    attributes.set("note", note.path("body"));
    attributes.set("created_at", note.path("created_at"));
    attributes.set("system", note.path("system"));
    attributes.put(
        "internal", note.path("internal").asBoolean() || note.path("confidential").asBoolean());
    payload.set(key.kind().event(), issue);
    return payload;
  }

  private static ObjectNode labelled(GitLabIssue key, JsonNode issue, JsonNode event) {
    var payload = happened(key, issue, event, "update");
    var isAdded = Json.text(event, "action").orElse("").equals("add");
    var labels = payload.putObject("changes").putObject("labels");
    var previous = labels.putArray("previous");
    var current = labels.putArray("current");
    var name = Json.text(event.path("label"), "name").orElse("");
    (isAdded ? current : previous).addObject().put("title", name);
    if (!isAdded) {
      Json.strings(issue.path("labels")).stream()
          .filter(each -> !each.equals(name))
          .forEach(each -> current.addObject().put("title", each));
    }
    return payload;
  }

  private static ObjectNode stateChanged(GitLabIssue key, JsonNode issue, JsonNode event) {
    var action =
        switch (Json.text(event, "state").orElse("")) {
          case "closed" -> "close";
          case "merged" -> "merge";
          case "reopened" -> "reopen";
          default -> "other";
        };
    return happened(key, issue, event, action);
  }

  private static ObjectNode happened(
      GitLabIssue key, JsonNode issue, JsonNode event, String action) {
    var payload = payload(key.kind().event(), key, event.path("user"));
    var attributes = payload.putObject("object_attributes").put("action", action);
    attributes.set("iid", issue.path("iid"));
    attributes.set("title", issue.path("title"));
    attributes.set("state", issue.path("state"));
    attributes.set("draft", issue.path("draft"));
    attributes.set("updated_at", event.path("created_at"));
    attributes.set("url", issue.path("web_url"));
    return payload;
  }

  private static ObjectNode payload(String objectKind, GitLabIssue key, JsonNode user) {
    var payload = Json.object().put("object_kind", objectKind);
    payload.putObject("project").put("path_with_namespace", key.project());
    payload.set("user", user);
    return payload;
  }
}
