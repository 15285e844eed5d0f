package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.testkit.FakeTracker;
import dev.runnel.testkit.TrackerContract;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// As far as posting needs it, after https://docs.github.com/rest/issues.
final class FakeGitHub extends FakeTracker {
  static final String STRANGER = "stranger";

  private static final String ISSUE = "/repos/dana/shop/issues/1";
  private static final Pattern ONE =
      Pattern.compile(
          "(?<method>PATCH|POST) /repos/dana/shop/issues/comments/(?<id>\\d+)(?<more>/reactions)?");
  private static final Pattern LABEL = Pattern.compile("DELETE " + ISSUE + "/labels/(?<name>.+)");

  @Override
  protected @Nullable JsonNode answer(String call, String query, JsonNode body) {
    Matcher one = ONE.matcher(call);
    Matcher label = LABEL.matcher(call);
    if (one.matches()) {
      var id = Long.parseLong(one.group("id"));
      if (one.group("more") != null) {
        react(id);
        return JSON.objectNode();
      }
      return edit(id, body.path("body").asText()) ? JSON.objectNode().put("id", id) : null;
    }
    if (label.matches()) {
      labelSet().remove(label.group("name").replace("%3A", ":"));
      return JSON.arrayNode();
    }
    return switch (call) {
      case "GET /user" -> JSON.objectNode().put("login", TrackerContract.ACCOUNT);
      case "POST " + ISSUE + "/comments" ->
          JSON.objectNode().put("id", add(body.path("body").asText(), false));
      case "GET " + ISSUE ->
          JSON.objectNode()
              .put("number", 1)
              .put("title", title("Checkout fails"))
              .put("body", description("Steps"))
              .put("comments", commentsById().size());
      case "GET " + ISSUE + "/comments" -> {
        var list = JSON.arrayNode();
        commentsById().forEach((id, each) -> list.add(comment(id, each)));
        yield list;
      }
      case "GET " + ISSUE + "/labels" -> {
        var list = JSON.arrayNode();
        labelSet().forEach(each -> list.addObject().put("name", each));
        yield list;
      }
      case "POST " + ISSUE + "/labels" -> {
        body.path("labels").forEach(each -> labelSet().add(each.asText()));
        yield JSON.arrayNode();
      }
      default -> null;
    };
  }

  private ObjectNode comment(long id, Comment comment) {
    var by = written(id);
    var listed =
        JSON.objectNode()
            .put("id", id)
            .put("body", comment.text())
            .put("created_at", by.at().toString())
            .put("updated_at", by.changed().toString())
            .put("author_association", by.author().equals(STRANGER) ? "NONE" : "COLLABORATOR");
    listed.putObject("user").put("login", by.author()).put("type", "User");
    return listed;
  }
}
