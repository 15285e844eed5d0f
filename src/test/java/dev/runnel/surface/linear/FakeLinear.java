package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.kit.Json;
import dev.runnel.testkit.FakeTracker;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Linear's GraphQL API, as far as Runnel calls it, after its published schema. Calls are known by
/// the outermost name that is asked for. Markers are shown to tests in their visible form.
final class FakeLinear extends FakeTracker {
  static final String BOT = "0c9a4a4f-2d3b-4c34-8f0e-5c1f7a9d2b10";
  static final String DANA = "b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba";
  static final String GUEST = "6e1c1f39-63a7-4b0a-9d2f-7d6a0c1b2e22";
  static final String APP = "5f0e8b1c-5a0e-4f7e-8a43-0d9d0b7e6f33";

  private static final Instant BEFORE = Samples.NINE.minusSeconds(30);

  /// @param content as it was sent
  record Activity(String id, String session, JsonNode content, boolean fleeting) {}

  private final boolean isAgent;
  private final List<Activity> activities = new ArrayList<>();
  private final List<String> links = new ArrayList<>();
  private final List<String> plans = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final List<String> moves = new ArrayList<>();
  private ArrayNode changed = JSON.arrayNode();
  private ArrayNode sessions = JSON.arrayNode();
  private Optional<JsonNode> errors = Optional.empty();
  private boolean isTrashed;
  private boolean isLost;

  /// @param isAgent whether our account is an app with agent sessions
  FakeLinear(boolean isAgent) {
    this.isAgent = isAgent;
  }

  synchronized List<Activity> activities() {
    return List.copyOf(activities);
  }

  /// The states into which the issue was moved.
  synchronized List<String> moves() {
    return List.copyOf(moves);
  }

  synchronized List<String> links() {
    return List.copyOf(links);
  }

  /// How far the steps of the session's plan were, each time it was set.
  synchronized List<String> plans() {
    return List.copyOf(plans);
  }

  /// Comments as they were sent, each time.
  synchronized List<String> texts() {
    return List.copyOf(texts);
  }

  synchronized long says(String text) {
    return writes(new Written(DANA, "Dana Reyes", BEFORE, BEFORE), text, false);
  }

  synchronized void shows(ArrayNode issues) {
    changed = issues;
  }

  synchronized void showsSessions(ArrayNode latestFirst) {
    sessions = latestFirst;
  }

  /// The last ones before a cursor of a list whose latest change comes first. A cursor is a
  /// position.
  private JsonNode changed(JsonNode variables) {
    var from = Instant.parse(variables.path("from").asText());
    var found =
        changed
            .valueStream()
            .filter(each -> Json.instant(each, "updatedAt").filter(from::isAfter).isEmpty())
            .toList();
    var end = variables.path("before").asInt(found.size());
    var start = Math.max(0, end - variables.path("last").asInt());
    var page = JSON.objectNode();
    page.putObject("pageInfo")
        .put("hasPreviousPage", start > 0)
        .put("startCursor", String.valueOf(start));
    page.putArray("nodes").addAll(found.subList(start, end));
    return page;
  }

  /// Somebody deletes the issue, which Linear keeps for a while.
  synchronized void trashesIssue() {
    isTrashed = true;
  }

  /// The issue is deleted for good.
  synchronized void losesIssue() {
    isLost = true;
  }

  /// From now on every call is answered with this error and status 200.
  synchronized void fails(String code, String message) {
    var error = JSON.objectNode().put("message", message);
    error.putObject("extensions").put("code", code);
    errors = Optional.of(error);
  }

  static String label(String name) {
    return "label-" + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
  }

  private static String name(String label) {
    return new String(
        HexFormat.of().parseHex(label.substring("label-".length())), StandardCharsets.UTF_8);
  }

  @Override
  protected @Nullable JsonNode answer(String call, String query, JsonNode body) {
    if (!call.equals("POST /graphql")) {
      return null;
    }
    var answer = JSON.objectNode();
    if (errors.isPresent()) {
      answer.putArray("errors").add(errors.get());
      return answer;
    }
    var text = body.path("query").asText();
    var asked = text.substring(text.indexOf('{') + 1).strip().split("[^A-Za-z]", 2)[0];
    answer.putObject("data").set(asked, asked(asked, body.path("variables")));
    return answer;
  }

  private JsonNode asked(String name, JsonNode variables) {
    var id = variables.path("id").asText();
    var input = variables.path("input");
    return switch (name) {
      case "viewer" ->
          JSON.objectNode()
              .put("id", BOT)
              .put("displayName", TrackerContract.ACCOUNT)
              .put("app", isAgent)
              .put("supportsAgentSessions", isAgent);
      case "user" -> user(id);
      case "issueLabel" -> JSON.objectNode().put("id", id).put("name", name(id));
      case "issue" -> isLost ? JSON.nullNode() : issue();
      case "issues" -> changed(variables);
      case "agentSessions" -> nodes(sessions);
      case "issueLabels" -> nodes(JSON.arrayNode());
      case "issueLabelCreate" ->
          done("issueLabel", JSON.objectNode().put("id", label(input.path("name").asText())));
      case "issueUpdate" -> {
        if (input.has("stateId")) {
          moves.add(input.path("stateId").asText());
        }
        input.path("removedLabelIds").forEach(each -> labelSet().remove(name(each.asText())));
        input.path("addedLabelIds").forEach(each -> labelSet().add(name(each.asText())));
        yield done("issue", JSON.objectNode());
      }
      case "commentCreate" -> {
        texts.add(input.path("body").asText());
        var made = add(HiddenMarker.show(input.path("body").asText()), false);
        yield done("comment", JSON.objectNode().put("id", "comment-" + made));
      }
      case "commentUpdate" -> {
        texts.add(input.path("body").asText());
        yield edit(number(id), HiddenMarker.show(input.path("body").asText()))
            ? done("comment", JSON.objectNode().put("id", id))
            : JSON.nullNode();
      }
      case "reactionCreate" -> {
        react(input.path("commentId").asText().hashCode());
        yield done("reaction", JSON.objectNode());
      }
      case "agentActivityCreate" -> {
        activities.add(
            new Activity(
                input.path("id").asText(),
                input.path("agentSessionId").asText(),
                input.path("content"),
                input.path("ephemeral").asBoolean()));
        yield done("agentActivity", JSON.objectNode().put("id", input.path("id").asText()));
      }
      case "agentActivity" ->
          activities.stream().anyMatch(each -> each.id().equals(id))
              ? JSON.objectNode().put("id", id)
              : JSON.nullNode();
      case "agentSessionUpdate" -> {
        input.path("addedExternalUrls").forEach(each -> links.add(each.path("url").asText()));
        if (input.has("plan")) {
          plans.add(
              input.path("plan").findValuesAsText("status").stream()
                  .collect(Collectors.joining(" ")));
        }
        yield done("agentSession", JSON.objectNode());
      }
      default -> throw new IllegalArgumentException("Nobody asks for " + name);
    };
  }

  private static JsonNode user(String id) {
    var isKnown = Map.of(DANA, true, GUEST, true, APP, true, BOT, true).containsKey(id);
    return isKnown
        ? JSON.objectNode()
            .put("id", id)
            .put("name", id.equals(DANA) ? "Dana Reyes" : "Somebody else")
            .put("active", true)
            .put("guest", id.equals(GUEST))
            .put("app", id.equals(APP) || id.equals(BOT))
        : JSON.nullNode();
  }

  private JsonNode issue() {
    var issue =
        JSON.objectNode()
            .put("id", "i1")
            .put("identifier", "ENG-7")
            .put("trashed", isTrashed ? true : null)
            .put("title", title("Checkout fails"))
            .put("description", description("Steps"));
    var team = issue.putObject("team").put("id", "t1");
    var states = team.putObject("states").putArray("nodes");
    states.addObject().put("id", "state-unstarted").put("name", "Todo");
    states.addObject().put("id", "state-started").put("name", "In Progress");
    var labels = issue.putObject("labels").putArray("nodes");
    labelSet().forEach(each -> labels.addObject().put("id", label(each)).put("name", each));
    var comments = issue.putObject("comments").putArray("nodes");
    commentsById()
        .forEach(
            (number, each) -> {
              var comment = comments.addObject().put("id", "comment-" + number);
              comment.put("body", HiddenMarker.hide(each.text()));
              comment.put("createdAt", written(number).at().toString());
              comment.put("updatedAt", written(number).changed().toString());
              var author = written(number).author();
              comment.set(
                  "user",
                  author.equals(TrackerContract.ACCOUNT)
                      ? user(BOT)
                      : ((ObjectNode) user(author)).put("name", written(number).name()));
            });
    return issue;
  }

  private static long number(String comment) {
    return Long.parseLong(comment.substring("comment-".length()));
  }

  private static JsonNode nodes(ArrayNode nodes) {
    return JSON.objectNode().set("nodes", nodes);
  }

  private static JsonNode done(String name, ObjectNode made) {
    var payload = JSON.objectNode().put("success", true);
    payload.set(name, made);
    return payload;
  }
}
