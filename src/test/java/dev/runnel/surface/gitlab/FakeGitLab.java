package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.runnel.testkit.FakeTracker;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// As far as Runnel calls it, after GitLab's API documentation. dana (3) is a developer, lee (5) a
/// reporter, project_bot (8) a bot with a developer's role.
final class FakeGitLab extends FakeTracker {
  private static final String PROJECT = "/api/v4/projects/acme%2Fweb%2Fshop";
  private static final String ISSUE = PROJECT + "/issues/1";
  private static final String MERGE_REQUEST = PROJECT + "/merge_requests/1";
  private static final Pattern NOTE =
      Pattern.compile("(PUT|POST) " + ISSUE + "/notes/(?<id>\\d+)(?<more>/award_emoji)?");
  private static final List<String> NAMES =
      List.of("", "", "", "dana", "", "lee", "", "", "project_bot");

  private final ArrayNode mergeRequests = JSON.arrayNode();
  private final ArrayNode stateEvents = JSON.arrayNode();

  /// From now on there is a merge request that dana merged at nine.
  synchronized void merges(String link) {
    mergeRequests
        .addObject()
        .put("iid", 1)
        .put("title", "Speed up the cart")
        .put("state", "merged")
        .put("draft", false)
        .put("web_url", link);
    stateEvents
        .addObject()
        .put("id", 1)
        .put("state", "merged")
        .put("created_at", Samples.NINE.toString())
        .putObject("user")
        .put("username", "dana");
  }

  @Override
  protected @Nullable JsonNode answer(String call, String query, JsonNode body) {
    var note = NOTE.matcher(call);
    if (note.matches()) {
      var id = Long.parseLong(note.group("id"));
      if (note.group("more") != null) {
        react(id);
        return JSON.objectNode().put("name", body.path("name").asText());
      }
      return edit(id, body.path("body").asText()) ? JSON.objectNode().put("id", id) : null;
    }
    return switch (call) {
      case "GET /api/v4/user" -> JSON.objectNode().put("username", TrackerContract.ACCOUNT);
      case "GET /api/v4/users" -> {
        var list = JSON.arrayNode();
        var id = NAMES.indexOf(query.replace("username=", ""));
        if (id > 0) {
          list.addObject().put("id", id);
        }
        yield list;
      }
      case "GET /api/v4/users/3", "GET /api/v4/users/5" ->
          JSON.objectNode().put("state", "active").put("bot", false);
      case "GET /api/v4/users/8" -> JSON.objectNode().put("state", "active").put("bot", true);
      case "GET " + PROJECT + "/members/all/3", "GET " + PROJECT + "/members/all/8" ->
          JSON.objectNode().put("access_level", 30);
      case "GET " + PROJECT + "/members/all/5" -> JSON.objectNode().put("access_level", 20);
      case "GET " + ISSUE -> issue();
      case "GET " + PROJECT + "/issues" -> JSON.arrayNode().add(issue());
      case "GET " + PROJECT + "/merge_requests" -> mergeRequests;
      case "GET " + MERGE_REQUEST + "/resource_state_events" -> stateEvents;
      case "GET " + MERGE_REQUEST + "/notes",
          "GET " + MERGE_REQUEST + "/resource_label_events",
          "GET " + ISSUE + "/resource_label_events",
          "GET " + ISSUE + "/resource_state_events" ->
          JSON.arrayNode();
      case "POST " + ISSUE + "/notes" ->
          JSON.objectNode()
              .put("id", add(body.path("body").asText(), body.path("internal").asBoolean()));
      case "GET " + ISSUE + "/notes" -> notes();
      case "PUT " + ISSUE -> {
        for (var off : body.path("remove_labels").asText().split(",", -1)) {
          labelSet().remove(off);
        }
        Arrays.stream(body.path("add_labels").asText().split(",", -1))
            .filter(on -> !on.isEmpty())
            .forEach(labelSet()::add);
        yield issue();
      }
      default -> null;
    };
  }

  private JsonNode issue() {
    return JSON.objectNode()
        .put("iid", 1)
        .put("title", title("Checkout fails"))
        .put("description", description("Steps"))
        .put("state", "opened")
        .put("confidential", false);
  }

  /// The newest first.
  private JsonNode notes() {
    var list = JSON.arrayNode();
    commentsById()
        .forEach(
            (id, each) -> {
              var note = JSON.objectNode().put("id", id).put("body", each.text());
              note.put("internal", each.hidden()).put("system", false);
              note.put("created_at", written(id).at().toString());
              note.put("updated_at", written(id).changed().toString());
              var author = note.putObject("author").put("username", written(id).author());
              author.put("name", written(id).name());
              list.insert(0, note);
            });
    return list;
  }

  /// For what people wrote.
  synchronized long says(String text, boolean internal) {
    return writes(
        new Written("dana", "Dana", Samples.NINE.minusSeconds(30), Samples.NINE.minusSeconds(30)),
        text,
        internal);
  }
}
