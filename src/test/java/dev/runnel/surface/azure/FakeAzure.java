package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.testkit.FakeTracker;
import dev.runnel.testkit.TrackerContract;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// As far as Runnel calls it, after the documentation of the API. Dana is in one team of the
/// project and Lee in another; whose the comments and changes of deliveries are is what the tests
/// say.
final class FakeAzure extends FakeTracker {
  static final String DANA = "dana@fabrikam.example";
  static final String LEE = "lee@fabrikam.example";
  static final String OUR_ID = "5a6ad9bc-8d39-6a30-9d2f-cf5ecb9bb8d3";

  private static final String PROJECT = "/Fabrikam%20Fiber";
  private static final String ITEM = PROJECT + "/_apis/wit/workitems/13";
  private static final String COMMENTS = PROJECT + "/_apis/wit/workItems/13/comments";
  private static final String TEAMS = "/_apis/projects/Fabrikam%20Fiber/teams";
  private static final Pattern COMMENT =
      Pattern.compile(
          "(?<method>[A-Z]+) \\Q" + COMMENTS + "\\E/(?<id>\\d+)(?<more>/reactions/like)?");
  private static final Pattern CHANGE =
      Pattern.compile("GET \\Q" + ITEM + "\\E/(?<list>updates|revisions)/(?<number>\\d+)");

  private final Map<Long, ObjectNode> delivered = new HashMap<>();
  private final List<ObjectNode> updates = new ArrayList<>();
  // By list and number: `updates/2`.
  private final Map<String, JsonNode> changes = new HashMap<>();
  private @Nullable String changedBy;
  private int revision = 1;
  private boolean isLost;

  /// Has a comment, of those that come by deliveries.
  synchronized void hasComment(long id, String author, String text) {
    var comment = JSON.objectNode().put("id", id).put("text", text);
    delivered.put(id, comment.set("createdBy", identity(author, "Somebody")));
  }

  /// Has the change that a delivery is about.
  synchronized void hasChange(ObjectNode delivery) {
    var resource = delivery.path("resource");
    var isNew = delivery.path("eventType").asText().equals("workitem.created");
    var update = isNew ? creation(resource) : resource;
    var revision = isNew ? resource : resource.path("revision");
    changes.put("updates/" + update.path("id").asLong(), update);
    changes.put("revisions/" + update.path("rev").asLong(), revision);
  }

  private static ObjectNode creation(JsonNode item) {
    var update = JSON.objectNode().put("id", 1).put("rev", 1);
    update.set("revisedBy", identity(DANA, "Somebody"));
    var fields = update.putObject("fields");
    item.path("fields")
        .properties()
        .forEach(each -> fields.putObject(each.getKey()).set("newValue", each.getValue()));
    return update;
  }

  /// Who made the changes that come by deliveries, whomever these name.
  synchronized void isChangedBy(String person) {
    changedBy = person;
  }

  /// Lists a change, with the members of a delivery's resource.
  synchronized void lists(ObjectNode update) {
    updates.add(update);
  }

  /// Somebody deletes the work item.
  synchronized void losesItem() {
    isLost = true;
  }

  /// Somebody adds a tag.
  synchronized void tag(String tag) {
    labelSet().add(tag);
  }

  static ObjectNode identity(String person, String name) {
    var id = UUID.nameUUIDFromBytes(person.getBytes(StandardCharsets.UTF_8)).toString();
    return JSON.objectNode()
        .put("displayName", name)
        .put("id", person.equals(TrackerContract.ACCOUNT) ? OUR_ID : id)
        .put("uniqueName", person);
  }

  @Override
  protected @Nullable JsonNode answer(String call, String query, JsonNode body) {
    var comment = COMMENT.matcher(call);
    if (comment.matches()) {
      return comment(comment.group("method"), Long.parseLong(comment.group("id")), body);
    }
    var change = CHANGE.matcher(call);
    if (change.matches()) {
      return change(change.group("list") + "/" + change.group("number"));
    }
    return switch (call) {
      case "GET /_apis/connectionData" -> {
        var connection = JSON.objectNode();
        var user = connection.putObject("authenticatedUser").put("id", OUR_ID);
        user.putObject("properties")
            .putObject("Account")
            .put("$type", "System.String")
            .put("$value", TrackerContract.ACCOUNT);
        yield connection;
      }
      case "GET " + TEAMS ->
          values(JSON.objectNode().put("id", "t-1"), JSON.objectNode().put("id", "t-2"));
      case "GET " + TEAMS + "/t-1/members" -> values(member("Dana@Fabrikam.example"));
      case "GET " + TEAMS + "/t-2/members" -> values(member(LEE));
      case "GET " + ITEM, "GET /_apis/wit/workitems/13" -> isLost ? null : item();
      case "GET " + ITEM + "/updates" -> values(updates.toArray(ObjectNode[]::new));
      case "POST /_apis/wit/wiql" -> {
        var found = JSON.objectNode();
        found.putArray("workItems").addObject().put("id", 13);
        yield found;
      }
      case "PATCH " + ITEM -> patch(body);
      case "POST " + COMMENTS ->
          query.contains("format=markdown")
              ? JSON.objectNode().put("id", add(body.path("text").asText(), false))
              : null;
      case "GET " + COMMENTS -> {
        var list = JSON.objectNode();
        newestFirst(list.putArray("comments"));
        yield list;
      }
      default -> null;
    };
  }

  private static ObjectNode values(ObjectNode... all) {
    var list = JSON.objectNode().put("count", all.length);
    list.putArray("value").addAll(List.of(all));
    return list;
  }

  private static ObjectNode member(String person) {
    var member = JSON.objectNode().put("isTeamAdmin", false);
    member.set("identity", identity(person, "Somebody"));
    return member;
  }

  private @Nullable JsonNode comment(String method, long id, JsonNode body) {
    return switch (method) {
      case "PUT" -> {
        react(id);
        yield JSON.objectNode().put("commentId", id).put("type", "like");
      }
      case "PATCH" -> edit(id, body.path("text").asText()) ? JSON.objectNode().put("id", id) : null;
      case "GET" -> delivered.get(id);
      default -> null;
    };
  }

  private @Nullable JsonNode change(String path) {
    var change = isLost ? null : changes.get(path);
    if (changedBy != null && change instanceof ObjectNode update && update.has("revisedBy")) {
      return update.deepCopy().set("revisedBy", identity(changedBy, "Somebody"));
    }
    return change;
  }

  private ObjectNode item() {
    var item = JSON.objectNode().put("id", 13).put("rev", revision);
    item.putObject("fields")
        .put("System.TeamProject", "Fabrikam Fiber")
        .put("System.Title", title("Checkout fails"))
        .put("System.Description", description("Steps"))
        .put("System.State", "Active")
        .put("System.ChangedDate", "2026-01-05T08:59:30Z")
        .put("System.Tags", String.join("; ", labelSet()));
    return item;
  }

  /// Somebody else's change in between makes it fail.
  private @Nullable JsonNode patch(JsonNode operations) {
    if (operations.path(0).path("value").asInt() != revision) {
      return null;
    }
    revision++;
    labelSet().clear();
    labelSet().addAll(AzureApi.tags(operations.path(1).path("value")));
    return item();
  }

  private void newestFirst(ArrayNode list) {
    for (var each : List.copyOf(commentsById().entrySet()).reversed()) {
      var by = written(each.getKey());
      var comment = list.addObject().put("id", each.getKey()).put("text", each.getValue().text());
      comment.set("createdBy", identity(by.author(), by.name()));
      comment.put("createdDate", milliseconds(by.at()));
      comment.put("modifiedDate", milliseconds(by.changed()));
    }
  }

  private static String milliseconds(Instant time) {
    return time.plusMillis(70).toString();
  }
}
