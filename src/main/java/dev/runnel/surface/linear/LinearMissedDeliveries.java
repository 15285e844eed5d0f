package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Finds missed comments and changes in the workspace, because Linear stops retrying a webhook
/// after some hours.
final class LinearMissedDeliveries {
  // The most that one query's complexity allows; see https://linear.app/developers/rate-limiting.
  private static final int MAX_ISSUES = 25;

  private final SurfaceId surface;
  private final LinearApi api;
  private final LinearPayloads payloads;
  private final InstantSource clock;

  LinearMissedDeliveries(
      SurfaceId surface, LinearApi api, LinearPayloads payloads, InstantSource clock) {
    this.surface = surface;
    this.api = api;
    this.payloads = payloads;
    this.clock = clock;
  }

  MissedDeliveries since(Instant since) {
    var heard = new ArrayList<MissedDeliveries.Heard>();
    var unread = new ArrayList<String>();
    try {
      for (var issue :
          Pages.read(
              _ -> api.changed(since, MAX_ISSUES), Integer.MAX_VALUE, _ -> false, unread::add)) {
        hear(heard, created(issue), issue, false, since);
        for (var comment : issue.path("comments").path("nodes")) {
          hear(heard, commented(issue, comment), comment, true, since);
        }
        for (var change : issue.path("history").path("nodes")) {
          hear(heard, updated(issue, change), change, false, since);
        }
      }
    } catch (Pages.Waits waits) {
      return new MissedDeliveries.Unknown(waits.after(), waits.why());
    }
    heard.sort(Comparator.comparing(MissedDeliveries.Heard::at));
    return new MissedDeliveries.Said(heard, unread.stream().findFirst());
  }

  /// @param dated the event, with its `id` and creation time
  private void hear(
      List<MissedDeliveries.Heard> heard,
      ObjectNode payload,
      JsonNode dated,
      boolean sameMeaning,
      Instant since) {
    var at = Json.instant(dated, "createdAt").filter(it -> !it.isBefore(since));
    var id = Json.text(dated, "id").filter(LinearId::isOne).map(it -> "caught-up-" + it);
    if (at.isPresent() && id.isPresent()) {
      payloads
          .read(DeliveryId.of(surface, id.get()), payload, clock.instant())
          .ifPresent(said -> heard.add(new MissedDeliveries.Heard(said, at.get(), sameMeaning)));
    }
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
    var payload = JsonNodeFactory.instance.objectNode().put("type", type).put("action", action);
    payload.set("actor", actor);
    payload.set("url", issue.path("url"));
    return payload;
  }
}
