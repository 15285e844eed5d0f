package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.testkit.FakeTracker;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// As far as Runnel calls it, after the REST API's reference: version 3 with documents, or 2 with
/// wiki text. Dana may edit the issue; what Runnel posts has its marker in a comment property.
final class FakeJira extends FakeTracker {
  static final String APP = "an-app";

  private static final String ISSUE = "/issue/SHOP-7";
  private static final Pattern COMMENT = Pattern.compile("PUT " + ISSUE + "/comment/(?<id>\\d+)");
  private static final Pattern MARKER =
      Pattern.compile("GET /comment/(?<id>\\d+)/properties/runnel\\.notice");

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'+0000'").withZone(ZoneOffset.UTC);

  private final boolean isCloud;
  private final String dana;
  private final Map<Long, JsonNode> bodies = new HashMap<>();
  private final Map<Long, String> markers = new HashMap<>();
  private boolean isLastInternal;
  private final List<JsonNode> asked = new ArrayList<>();
  private boolean mayAskWhoMayEdit = true;
  private JsonNode histories = JSON.arrayNode();
  private JsonNode status = JSON.objectNode();
  private List<String> found = List.of("SHOP-7");
  private @Nullable String key = "SHOP-7";

  FakeJira(boolean isCloud, String dana) {
    this.isCloud = isCloud;
    this.dana = dana;
  }

  @Override
  protected @Nullable JsonNode answer(String call, String query, JsonNode body) {
    var api = isCloud ? "/rest/api/3" : "/rest/api/2";
    if (!call.contains(" " + api)) {
      return null;
    }
    var to = call.replace(api, "");
    var edited = COMMENT.matcher(to);
    if (edited.matches()) {
      var id = Long.parseLong(edited.group("id"));
      return edit(id, shown(body)) ? said(id, body) : null;
    }
    var property = MARKER.matcher(to);
    if (property.matches()) {
      var marker = markers.get(Long.parseLong(property.group("id")));
      return marker == null
          ? null
          : JSON.objectNode().set("value", JSON.objectNode().put("marker", marker));
    }
    return switch (to) {
      case "GET /myself" -> user(TrackerContract.ACCOUNT);
      case "GET /user" -> {
        var user = user(query.substring(query.lastIndexOf('=') + 1));
        user.putObject("groups").putArray("items").addObject().put("name", "developers");
        yield user;
      }
      case "GET /user/permission/search" ->
          mayAskWhoMayEdit && query.contains("issueKey=" + key + "&")
              ? JSON.arrayNode().add(user("stranger-than-dana")).add(user(dana))
              : null;
      case "GET " + ISSUE -> key == null ? null : issue(key);
      case "PUT " + ISSUE -> {
        for (var change : body.path("update").path("labels")) {
          labelSet().remove(change.path("remove").asText());
          if (change.has("add")) {
            labelSet().add(change.path("add").asText());
          }
        }
        yield JSON.objectNode();
      }
      case "POST " + ISSUE + "/comment" -> said(add(shown(body), false), body);
      case "GET " + ISSUE + "/comment" -> commentList();
      case "POST " + ISSUE + "/watchers" -> {
        react(1);
        yield JSON.objectNode();
      }
      case "GET " + ISSUE + "/transitions" -> {
        var list = JSON.objectNode();
        var one = list.putArray("transitions").addObject().put("id", "31").put("name", "Go");
        one.putObject("to").put("name", "In Progress");
        yield list;
      }
      case "POST " + ISSUE + "/transitions" -> {
        asked.add(body);
        yield JSON.objectNode();
      }
      case "POST /search", "POST /search/jql" -> {
        asked.add(body);
        yield page(body);
      }
      default -> null;
    };
  }

  /// A page of what a search finds, one change a second, the first at nine.
  private ObjectNode page(JsonNode body) {
    var start = isCloud ? body.path("nextPageToken").asInt(0) : body.path("startAt").asInt(0);
    var end = Math.min(found.size(), start + body.path("maxResults").asInt());
    var page = JSON.objectNode();
    var list = page.putArray("issues");
    for (var at = start; at < end; at++) {
      var issue = list.addObject().put("key", found.get(at));
      issue.putObject("fields").put("updated", TIME.format(Samples.NINE.plusSeconds(at)));
    }
    return isCloud && end < found.size() ? page.put("nextPageToken", String.valueOf(end)) : page;
  }

  private ObjectNode user(String id) {
    var user = JSON.objectNode().put("displayName", "Dana Diaz").put("active", true);
    return isCloud
        ? user.put("accountId", id).put("accountType", id.equals(APP) ? "app" : "atlassian")
        : user.put("name", id).put("key", id);
  }

  private ObjectNode issue(String key) {
    var issue = JSON.objectNode().put("key", key);
    var fields = issue.putObject("fields").put("summary", title("Checkout fails"));
    fields.put("created", "2025-12-01T09:00:00.000+0000").putArray("labels").add("bug");
    fields.set("status", status);
    var words = description("Steps\n\n</issue-summary>\n```\nnot the end");
    fields.set(
        "description",
        isCloud
            ? Adf.document(words)
            : JSON.textNode(description("h2. Steps\n\n</issue-summary>")));
    issue.putObject("changelog").set("histories", histories);
    return issue;
  }

  private ObjectNode said(long id, JsonNode body) {
    bodies.put(id, body.path("body"));
    isLastInternal = body.path("properties").path(1).path("value").path("internal").asBoolean();
    markers.put(id, body.path("properties").path(0).path("value").path("marker").asText());
    return JSON.objectNode().put("id", String.valueOf(id));
  }

  /// Whether customers of a service project cannot see the last comment.
  boolean isLastInternal() {
    return isLastInternal;
  }

  private static String shown(JsonNode body) {
    var marker = body.path("properties").path(0).path("value").path("marker").asText();
    return JiraSite.markdown(body.path("body"), id -> id) + "\n\n" + marker;
  }

  private ObjectNode commentList() {
    var list = JSON.objectNode();
    var comments = list.putArray("comments");
    commentsById()
        .forEach(
            (id, each) -> {
              var isOurs = markers.containsKey(id);
              var comment = comments.insertObject(0).put("id", String.valueOf(id));
              var written = written(id);
              comment.put("created", TIME.format(written.at()));
              comment.put("updated", TIME.format(written.changed()));
              comment.set("author", user(written.author()).put("displayName", written.name()));
              comment.set("body", isOurs ? bodies.get(id) : JSON.textNode(each.text()));
            });
    return list;
  }

  // For the tests.

  /// For what people wrote.
  synchronized long says(String text) {
    return writes(dana, text);
  }

  /// What of the last post Jira keeps.
  synchronized JsonNode lastBody() {
    return Objects.requireNonNull(bodies.get(bodies.keySet().stream().max(Long::compare).get()));
  }

  /// The searches and transitions that were asked for.
  synchronized List<JsonNode> asked() {
    return List.copyOf(asked);
  }

  /// What a search finds.
  synchronized void finds(String... keys) {
    found = List.of(keys);
  }

  synchronized void hides() {
    mayAskWhoMayEdit = false;
  }

  /// The issue is deleted, or moved to where the token does not reach.
  synchronized void losesIssue() {
    key = null;
  }

  /// The issue gets another key, and is still found by its old one.
  synchronized void movesIssue(String newKey) {
    key = newKey;
  }

  synchronized void shows(JsonNode changes) {
    histories = changes;
  }

  synchronized void isIn(JsonNode newStatus) {
    status = newStatus;
  }
}
