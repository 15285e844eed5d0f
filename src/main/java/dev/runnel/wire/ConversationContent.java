package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A text, action, action result or event, as given by its type. Members of the other types are
/// null.
///
/// @param type `text`, `action`, `action_result` or `event`
/// @param text the text; of a text
/// @param id the id; of an action
/// @param actionId the id of the action; of an action result
/// @param name the name, such as `run_command` or `edit_files`; of an action, a result or an event
/// @param category the category; of an action or a result
/// @param input the curated input; of an action
/// @param output the curated output; of a result
/// @param state the state of the action
/// @param data the payload; of an event
/// @param messageId the transcript line that it was made from
/// @param more members unknown to this version, unchanged
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
    more = DefensiveCopies.map(more);
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
