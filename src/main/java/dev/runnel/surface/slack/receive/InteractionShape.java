package dev.runnel.surface.slack.receive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.json.BoundedJson;
import dev.runnel.surface.slack.model.SlackJson;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Reduces an interaction to the members that Runnel reads, before Bolt reads it. Bolt rejects a
/// payload if any member has an unexpected type, and accepts a number as an id. Here such a member
/// becomes an empty text, like a missing one.
final class InteractionShape {
  /// `*` stands for any name.
  private static final String SHAPE =
      """
      {"type": "text", "callback_id": "text", "action_id": "text", "trigger_id": "id",
       "message_ts": "id", "response_url": "url", "response_urls": [{"response_url": "url"}],
       "team": {"id": "id"}, "channel": {"id": "id"},
       "user": {"id": "id", "team_id": "id", "username": "text", "name": "text"},
       "container": {"channel_id": "id", "message_ts": "id", "thread_ts": "id"},
       "message": {"ts": "id", "thread_ts": "id", "text": "text"},
       "actions": [{"action_id": "text", "value": "text", "action_ts": "id"}],
       "view": {"id": "id", "type": "text", "callback_id": "text", "private_metadata": "text",
                "blocks": [{"type": "text", "block_id": "text",
                            "element": {"type": "text", "initial_value": "text",
                                        "initial_option": {"value": "text"}}}],
                "state": {"values": {"*": {"value": {
                    "type": "text", "value": "text", "selected_conversation": "text",
                    "selected_option": {"value": "text"}}}}}}}
      """;

  private final JsonNode shape;
  private final Supplier<Optional<String>> ownTeam;
  private final Function<String, Optional<String>> replyTo;

  /// @param ownTeam the workspace of payloads that name none
  /// @param replyTo the response URL, if it is Slack's
  InteractionShape(Supplier<Optional<String>> ownTeam, Function<String, Optional<String>> replyTo) {
    try {
      shape = BoundedJson.mapper().build().readTree(SHAPE);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
    this.ownTeam = ownTeam;
    this.replyTo = replyTo;
  }

  /// @return an object with every member of the shape, in which `team`, `channel` and `message` are
  ///   complete wherever Slack names them
  String of(JsonNode payload) {
    var object = (ObjectNode) reduced(shape, payload);
    fill(object, "team", "id", "/user/team_id");
    if (object.at("/team/id").textValue().isEmpty()) {
      ownTeam.get().ifPresent(it -> object.withObject("/team").put("id", it));
    }
    fill(object, "channel", "id", "/container/channel_id");
    fill(object, "message", "ts", "/message_ts");
    fill(object, "message", "ts", "/container/message_ts");
    fill(object, "message", "thread_ts", "/container/thread_ts");
    // Bolt calls no handler for several actions; Slack sends one.
    var actions = object.withArray("/actions");
    while (actions.size() > 1) {
      actions.remove(1);
    }
    return object.toString();
  }

  private static void fill(ObjectNode object, String holder, String member, String other) {
    if (object.path(holder).path(member).textValue().isEmpty()) {
      object.withObject("/" + holder).set(member, object.at(other));
    }
  }

  private JsonNode reduced(JsonNode kind, JsonNode node) {
    return switch (kind) {
      case ObjectNode members -> {
        var object = members.objectNode();
        members
            .properties()
            .forEach(
                it -> {
                  if (it.getKey().equals("*")) {
                    node.properties()
                        .forEach(
                            each ->
                                object.set(each.getKey(), reduced(it.getValue(), each.getValue())));
                  } else {
                    object.set(it.getKey(), reduced(it.getValue(), node.path(it.getKey())));
                  }
                });
        yield object;
      }
      case ArrayNode elements -> {
        var array = elements.arrayNode();
        if (node.isArray()) {
          node.forEach(it -> array.add(reduced(elements.path(0), it)));
        }
        yield array;
      }
      default ->
          TextNode.valueOf(reduced(kind.textValue(), node.isTextual() ? node.textValue() : ""));
    };
  }

  private String reduced(String kind, String text) {
    return switch (kind) {
      case "id" -> SlackJson.id(text).orElse("");
      case "url" -> replyTo.apply(text).orElse("");
      default -> text;
    };
  }
}
