package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds missed comments and changes in the workspace, and missed events of our agent sessions,
/// because Linear stops retrying a webhook after some hours.
record LinearMissedDeliveries(LinearApi api, LinearPayloads payloads) {
  private static final Logger log = LoggerFactory.getLogger(LinearMissedDeliveries.class);
  // The most that one query's complexity allows; see https://linear.app/developers/rate-limiting.
  private static final int PAGE = 25;
  private static final int MAX_PAGES = 4;
  private static final int MAX_SESSION_PAGES = 20;

  void find(MissedDeliveryCollector missed) {
    findInIssues(missed);
    if (payloads.account().hasSessions()) {
      findInSessions(missed);
    }
  }

  private void findInIssues(MissedDeliveryCollector missed) {
    var cursor = Optional.<String>empty();
    var latest = Optional.<Instant>empty();
    for (var page = 0; page < MAX_PAGES; page++) {
      var found = missed.one(api.changed(missed.since(), missed.from(), PAGE, cursor));
      if (found.isEmpty()) {
        return;
      }
      var issues = found.get().path("nodes");
      issues.forEach(issue -> findInIssue(missed, issue));
      cursor = next(found.get().path("pageInfo"), "hasPreviousPage", "startCursor");
      if (cursor.isEmpty()) {
        return;
      }
      latest =
          issues
              .valueStream()
              .flatMap(issue -> Json.instant(issue, "updatedAt").stream())
              .max(Instant::compareTo);
    }
    latest.ifPresent(
        at -> {
          log.warn("catch-up limit reached, the next check continues at={}", at);
          missed.continueAt(at);
        });
  }

  private static Optional<String> next(JsonNode pageInfo, String has, String cursor) {
    return Json.text(pageInfo, cursor).filter(_ -> pageInfo.path(has).asBoolean());
  }

  private void findInIssue(MissedDeliveryCollector missed, JsonNode issue) {
    add(missed, created(issue), issue, false);
    for (var comment : issue.path("comments").path("nodes")) {
      add(missed, commented(issue, comment), comment, true);
    }
    for (var change : issue.path("history").path("nodes")) {
      add(missed, updated(issue, change), change, false);
    }
  }

  private void findInSessions(MissedDeliveryCollector missed) {
    var cursor = Optional.<String>empty();
    for (var page = 0; page < MAX_SESSION_PAGES; page++) {
      var result = api.sessions(missed.since(), PAGE, cursor);
      if (result instanceof ApiResult.Refused(var why)) {
        // Issues and comments are caught up on nevertheless.
        log.warn("agent sessions not readable why={}", why);
      }
      var found = result.found();
      if (found.isEmpty()) {
        return;
      }
      for (var session : found.get().path("nodes")) {
        if (missed.isBefore(Json.instant(session, "updatedAt"))) {
          return;
        }
        if (payloads.account().is(Json.text(session.path("appUser"), "id"))) {
          findInSession(missed, session);
        }
      }
      cursor = next(found.get().path("pageInfo"), "hasNextPage", "endCursor");
      if (cursor.isEmpty()) {
        return;
      }
    }
    log.warn("catch-up limit reached, older agent sessions are left out");
  }

  private void findInSession(MissedDeliveryCollector missed, JsonNode session) {
    add(missed, sessionEvent("created", session), session, true);
    for (var activity : session.path("activities").path("nodes")) {
      // The comment that opened the session may be its first message, too.
      if (!Json.text(activity.path("content"), "body")
          .equals(Json.text(session.path("comment"), "body"))) {
        var payload = sessionEvent("prompted", session);
        payload.set("agentActivity", withSource(activity));
        add(missed, payload, activity, true);
      }
    }
  }

  private static ObjectNode sessionEvent(String action, JsonNode session) {
    var payload = Json.object().put("type", "AgentSessionEvent").put("action", action);
    payload.set("agentSession", withSource(session));
    return payload;
  }

  /// Webhooks name the comment by its id only.
  private static ObjectNode withSource(JsonNode node) {
    ObjectNode copy = node.deepCopy();
    copy.set("sourceCommentId", node.path("sourceComment").path("id"));
    return copy;
  }

  /// @param event the event or comment, with its `id` and creation time
  private void add(
      MissedDeliveryCollector missed, ObjectNode payload, JsonNode event, boolean sameMeaning) {
    missed.add(
        Json.instant(event, "createdAt"),
        Json.text(event, "id").filter(LinearId::isValid),
        sameMeaning,
        (id, now) -> payloads.read(id, payload, now));
  }

  /// The payload of the missed creation, as far as the issue still shows it.
  private static ObjectNode created(JsonNode issue) {
    var payload = payload("Issue", "create", issue.path("creator"), issue);
    var data = payload.putObject("data");
    describe(data, issue, issue);
    // Labels and assignees added later are in the history.
    if (issue.path("history").path("nodes").isEmpty()) {
      data.set("labels", issue.path("labels").path("nodes"));
      data.set("assigneeId", issue.path("assignee").path("id"));
      data.set("delegateId", issue.path("delegate").path("id"));
    }
    return payload;
  }

  private static ObjectNode commented(JsonNode issue, JsonNode comment) {
    var payload = payload("Comment", "create", comment.path("user"), issue);
    ObjectNode data = comment.deepCopy();
    data.set("issueId", issue.path("id"));
    payload.set("data", data);
    if (Json.isThere(comment, "url")) {
      payload.set("url", comment.path("url"));
    }
    return payload;
  }

  private static ObjectNode updated(JsonNode issue, JsonNode change) {
    var payload = payload("Issue", "update", change.path("actor"), issue);
    var data = payload.putObject("data");
    describe(data, issue, change);
    var before = payload.putObject("updatedFrom");
    if (!change.path("addedLabels").isEmpty() || !change.path("removedLabels").isEmpty()) {
      before.set("labels", labels(issue, change.path("addedLabels"), change.path("removedLabels")));
      data.set("labels", labels(issue, change.path("removedLabels"), change.path("addedLabels")));
    }
    if (Json.isThere(change, "fromAssigneeId") || Json.isThere(change, "toAssigneeId")) {
      before.set("assigneeId", change.path("fromAssigneeId"));
      data.set("assigneeId", change.path("toAssigneeId"));
    }
    if (Json.isThere(change, "fromDelegate") || Json.isThere(change, "toDelegate")) {
      before.set("delegateId", change.path("fromDelegate").path("id"));
      data.set("delegateId", change.path("toDelegate").path("id"));
    }
    if (Json.isThere(change, "toState")) {
      before.put("stateId", "");
      data.set("state", change.path("toState"));
    }
    return payload;
  }

  /// The issue's labels without the first and with the second list.
  private static JsonNode labels(JsonNode issue, JsonNode without, JsonNode with) {
    var ids = Json.texts(without, "id");
    var labels = JsonNodeFactory.instance.arrayNode();
    issue
        .path("labels")
        .path("nodes")
        .valueStream()
        .filter(each -> Json.text(each, "id").filter(ids::contains).isEmpty())
        .forEach(labels::add);
    with.forEach(labels::add);
    return labels;
  }

  private static void describe(ObjectNode data, JsonNode issue, JsonNode dated) {
    for (var member : List.of("id", "title", "completedAt", "canceledAt")) {
      data.set(member, issue.path(member));
    }
    data.set("updatedAt", dated.path("createdAt"));
  }

  private static ObjectNode payload(String type, String action, JsonNode actor, JsonNode issue) {
    var payload = Json.object().put("type", type).put("action", action);
    payload.set("actor", actor);
    payload.set("url", issue.path("url"));
    return payload;
  }
}
