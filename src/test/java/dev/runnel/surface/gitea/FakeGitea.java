package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.testkit.FakeTracker;
import dev.runnel.testkit.TrackerContract;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// As far as Runnel calls it, after Gitea's API description. dana and lee may write; the timeline
/// shows what the tests say.
final class FakeGitea extends FakeTracker {
  private static final String REPOSITORY = "/api/v1/repos/dana/shop";
  private static final String ISSUE = REPOSITORY + "/issues/1";
  private static final Pattern ONE =
      Pattern.compile(
          "(PATCH|POST) " + REPOSITORY + "/issues/comments/(?<id>\\d+)(?<more>/reactions)?");
  private static final Pattern LABEL = Pattern.compile("DELETE " + ISSUE + "/labels/(?<id>\\d+)");

  private final List<String> names = new ArrayList<>();
  private final ObjectNode listed =
      JSON.objectNode().put("title", "Checkout fails").put("number", 1).put("state", "open");
  private ArrayNode timeline = JSON.arrayNode();

  synchronized void shows(ArrayNode events) {
    timeline = events;
  }

  /// From now on the issue is a pull request that was merged.
  synchronized void merges(String link) {
    listed
        .put("state", "closed")
        .put("html_url", link)
        .putObject("pull_request")
        .put("merged", true);
  }

  @Override
  protected @Nullable JsonNode answer(String call, String query, JsonNode body) {
    var one = ONE.matcher(call);
    if (one.matches()) {
      var id = Long.parseLong(one.group("id"));
      if (one.group("more") != null) {
        react(id);
        return JSON.objectNode();
      }
      return edit(id, body.path("body").asText()) ? JSON.objectNode().put("id", id) : null;
    }
    var label = LABEL.matcher(call);
    if (label.matches()) {
      labelSet().remove(names.get(Integer.parseInt(label.group("id")) - 1));
      return JSON.objectNode();
    }
    return switch (call) {
      case "GET /api/v1/user" -> JSON.objectNode().put("login", TrackerContract.ACCOUNT);
      case "GET " + REPOSITORY + "/assignees" ->
          JSON.arrayNode()
              .add(JSON.objectNode().put("id", 3).put("login", "Dana"))
              .add(JSON.objectNode().put("id", 5).put("login", "lee"));
      case "GET " + ISSUE ->
          JSON.objectNode()
              .put("title", title("Checkout fails"))
              .put("body", description("Steps"))
              .put("number", 1);
      case "GET " + REPOSITORY + "/issues" -> JSON.arrayNode().add(listed.deepCopy());
      case "GET " + ISSUE + "/timeline" -> timeline;
      case "POST " + ISSUE + "/comments" ->
          JSON.objectNode().put("id", add(body.path("body").asText(), false));
      case "GET " + ISSUE + "/comments" -> comments(JSON.arrayNode());
      case "GET " + ISSUE + "/labels" -> {
        var list = JSON.arrayNode();
        labelSet().forEach(each -> list.addObject().put("id", number(each)).put("name", each));
        yield list;
      }
      case "POST " + ISSUE + "/labels" -> {
        body.path("labels").forEach(each -> labelSet().add(each.asText()));
        yield JSON.arrayNode();
      }
      default -> null;
    };
  }

  private int number(String label) {
    if (!names.contains(label)) {
      names.add(label);
    }
    return names.indexOf(label) + 1;
  }

  private ArrayNode comments(ArrayNode list) {
    commentsById()
        .forEach(
            (id, each) -> {
              var comment = list.addObject().put("id", id).put("body", each.text());
              comment.put("created_at", written(id).at().toString());
              comment.put("updated_at", written(id).changed().toString());
              comment.putObject("user").put("id", 3).put("login", written(id).author());
            });
    return list;
  }

  /// For what people wrote.
  synchronized long says(String text) {
    return writes("dana", text);
  }
}
