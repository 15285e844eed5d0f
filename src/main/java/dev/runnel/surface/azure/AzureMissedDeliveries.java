package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Finds missed comments and changes in the projects of the latest runs, and on all work items with
/// the trigger label as a tag, because Azure DevOps disables a service hook that fails for long.
///
/// @param label the trigger label
record AzureMissedDeliveries(AzureApi api, AzurePayloads payloads, String label) {
  private static final int MAX_ITEMS = 50;
  private static final int MAX_FOUND = 1_000;

  void find(MissedDeliveryCollector missed, List<WorkItem> items) {
    // Oldest change first; the times are not listed.
    var last = Optional.<Instant>empty();
    var count = 0;
    for (var found : missed.list(api.query(query(missed, items), MAX_FOUND))) {
      var item = Json.number(found, "id").flatMap(number -> missed.one(api.item(number)));
      if (item.isEmpty()) {
        continue;
      }
      var at = Json.instant(item.get().path("fields"), "System.ChangedDate");
      if (at.filter(missed.from()::isAfter).isPresent()) {
        continue;
      }
      if (count >= MAX_ITEMS && !at.equals(last)) {
        at.ifPresent(missed::continueAt);
        return;
      }
      last = at;
      count++;
      find(missed, item.get());
    }
  }

  private String query(MissedDeliveryCollector missed, List<WorkItem> items) {
    var projects =
        MissedDeliveryCollector.places(items, WorkItem::project).stream()
            .map(AzureMissedDeliveries::quoted)
            .collect(Collectors.joining(", "));
    return ("SELECT [System.Id] FROM WorkItems WHERE [System.ChangedDate] >= '%s'"
            + " AND ([System.Tags] CONTAINS %s%s) ORDER BY [System.ChangedDate]")
        .formatted(
            missed.from().truncatedTo(ChronoUnit.SECONDS),
            quoted(label),
            projects.isEmpty() ? "" : " OR [System.TeamProject] IN (" + projects + ")");
  }

  /// Quotes text that may contain quotes.
  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private void find(MissedDeliveryCollector missed, JsonNode item) {
    var key =
        Json.text(item.path("fields"), "System.TeamProject")
            .flatMap(
                project -> Json.number(item, "id").flatMap(number -> WorkItem.of(project, number)));
    if (key.isEmpty()) {
      return;
    }
    for (var update : missed.list(page -> api.updates(key.get(), page), AzureApi.PAGE)) {
      add(missed, updated(item, update), at(update), "update-" + key.get() + "-" + id(update));
    }
    for (var comment : missed.list(api.comments(key.get(), AzureApi.MAX_COMMENTS))) {
      add(
          missed,
          commented(item, comment),
          Json.instant(comment, "createdDate"),
          "comment-" + id(comment));
    }
  }

  private static long id(JsonNode node) {
    return Json.id(node, "id").or(() -> Json.id(node, "commentId")).orElse(0L);
  }

  /// The time of a change. For the latest change, `revisedDate` does not contain it.
  private static Optional<Instant> at(JsonNode update) {
    return Json.instant(update.path("fields").path("System.ChangedDate"), "newValue");
  }

  private void add(
      MissedDeliveryCollector missed, ObjectNode payload, Optional<Instant> at, String id) {
    missed.add(at, Optional.of(id), true, (it, now) -> payloads.read(it, payload, now));
  }

  /// @param item at the time of the change, or now
  static ObjectNode updated(JsonNode item, JsonNode update) {
    var payload = Json.object().put("eventType", AzurePayloads.UPDATED);
    ObjectNode resource = update.isObject() ? update.deepCopy() : Json.object();
    resource.set("workItemId", item.path("id"));
    resource.set("revision", item);
    payload.set("resource", resource);
    return payload;
  }

  private static ObjectNode commented(JsonNode item, JsonNode comment) {
    var payload = Json.object().put("eventType", AzurePayloads.COMMENTED);
    ObjectNode resource = item.deepCopy();
    var fields = resource.withObjectProperty("fields");
    fields.set("System.History", comment.path("text"));
    fields.set("System.ChangedBy", comment.path("createdBy"));
    fields.set("System.ChangedDate", comment.path("createdDate"));
    resource.putObject("commentVersionRef").put("commentId", id(comment));
    payload.set("resource", resource);
    return payload;
  }
}
