package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One of text, action, action result and event, told apart by its type. Each has members of its
/// own; those of the others are null.
///
/// @param type `text`, `action`, `action_result` or `event`
/// @param text of a text
/// @param id of an action
/// @param actionId the action that a result belongs to
/// @param name of an action, a result or an event: `run_command`, `edit_files`, …
/// @param category of an action or a result
/// @param input what an action was given, curated
/// @param output what came of it, curated
/// @param state how far it is
/// @param data of an event
/// @param messageId the line of the transcript that it was made of
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConversationContent(
    @JsonProperty("type") @Nullable String type,
    @JsonProperty("text") @Nullable String text,
    @JsonProperty("id") @Nullable String id,
    @JsonProperty("action_id") @Nullable String actionId,
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("category") @Nullable ActionCategory category,
    @JsonProperty("input") @Nullable JsonNode input,
    @JsonProperty("output") @Nullable JsonNode output,
    @JsonProperty("state") @Nullable ActionState state,
    @JsonProperty("data") @Nullable JsonNode data,
    @JsonProperty("message_id") @Nullable String messageId,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ConversationContent {
    more = Copies.map(more);
  }

  public static ConversationContent text(String text) {
    return new ConversationContent(
        "text", text, null, null, null, null, null, null, null, null, null, Map.of());
  }

  public static ConversationContent action(
      String id, String name, ActionCategory category, JsonNode input) {
    return new ConversationContent(
        "action", null, id, null, name, category, input, null, null, null, null, Map.of());
  }

  public static ConversationContent actionResult(
      String actionId, String name, ActionCategory category, JsonNode output, ActionState state) {
    return new ConversationContent(
        "action_result",
        null,
        null,
        actionId,
        name,
        category,
        null,
        output,
        state,
        null,
        null,
        Map.of());
  }

  public static ConversationContent event(String name, JsonNode data) {
    return new ConversationContent(
        "event", null, null, null, name, null, null, null, null, data, null, Map.of());
  }
}
