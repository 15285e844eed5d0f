package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Finds missed comments and changes in the projects of the latest runs, and on all issues with the
/// trigger label, because Jira stops retrying a webhook after some attempts.
///
/// @param label the trigger label
record JiraMissedDeliveries(JiraApi api, JiraPayloads payloads, String label) {
  private static final int MAX_ISSUES = 50;

  void find(MissedDeliveryCollector missed, List<JiraIssue> issues) {
    var changed = missed.list(api.search(query(missed, issues)), JiraApi.PAGE);
    for (var found :
        missed.first(MAX_ISSUES, changed, each -> JiraSite.time(each.path("fields"), "updated"))) {
      Json.text(found, "key")
          .flatMap(JiraIssue::of)
          .ifPresent(
              key -> missed.one(api.history(key)).ifPresent(issue -> find(missed, key, issue)));
    }
  }

  /// Gives the time in minutes ago, because JQL reads a time of day in the account's time zone.
  private String query(MissedDeliveryCollector missed, List<JiraIssue> issues) {
    var projects =
        MissedDeliveryCollector.places(issues, JiraIssue::project).stream()
            .map(JiraMissedDeliveries::quoted)
            .collect(Collectors.joining(", "));
    var minutes = Math.max(1, Duration.between(missed.from(), missed.now()).toMinutes() + 1);
    return "updated >= \"-%dm\" AND (labels = %s%s) ORDER BY updated ASC"
        .formatted(
            minutes, quoted(label), projects.isEmpty() ? "" : " OR project IN (" + projects + ")");
  }

  /// Quotes text that may contain spaces, quotes and JQL keywords.
  static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private void find(MissedDeliveryCollector missed, JiraIssue key, JsonNode issue) {
    var fields = issue.path("fields");
    if (JiraSite.time(fields, "created").filter(missed.since()::isBefore).isPresent()) {
      add(missed, created(issue), fields, "issue-" + key);
    }
    for (var change : issue.path("changelog").path("histories")) {
      var id = Json.text(change, "id").orElse("");
      add(missed, changed(issue, change), change, "change-" + id);
    }
    for (var comment :
        missed.list(
            page -> api.comments(key, page),
            JiraApi.PAGE,
            each -> missed.isBefore(JiraSite.time(each, "created")))) {
      var id = JiraComments.id(comment).orElse(0L);
      add(missed, commented(issue, comment), comment, "comment-" + id);
    }
  }

  private void add(MissedDeliveryCollector missed, ObjectNode payload, JsonNode dated, String id) {
    missed.add(
        JiraSite.time(dated, "created"),
        Optional.of(id),
        true,
        (it, now) -> payloads.read(it, payload, now));
  }

  private static ObjectNode payload(String event, JsonNode issue, JsonNode user) {
    var payload = Json.object().put("webhookEvent", event);
    payload.set("issue", issue);
    payload.set("user", user);
    return payload;
  }

  /// The issue's creation with its current fields: later changes have entries of their own.
  private static ObjectNode created(JsonNode issue) {
    ObjectNode first = issue.deepCopy();
    var fields = first.withObjectProperty("fields");
    for (var change : issue.path("changelog").path("histories")) {
      for (var item : change.path("items")) {
        var field = Json.text(item, "field").orElse("");
        if (field.equals("labels") || field.equals("assignee")) {
          fields.remove(field);
        }
      }
    }
    return payload("jira:issue_created", first, issue.path("fields").path("creator"));
  }

  private static ObjectNode changed(JsonNode issue, JsonNode change) {
    var payload = payload("jira:issue_updated", issue, change.path("author"));
    payload.set("changelog", change);
    return payload;
  }

  private static ObjectNode commented(JsonNode issue, JsonNode comment) {
    var payload = payload("comment_created", issue, comment.path("author"));
    payload.set("comment", comment);
    return payload;
  }
}
