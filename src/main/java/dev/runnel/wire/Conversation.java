package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The conversation of a run.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Conversation(
    @JsonProperty("conversation_id") @Nullable String conversationId,
    @JsonProperty("steps") List<ConversationStep> steps,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Conversation {
    steps = DefensiveCopies.list(steps);
    more = DefensiveCopies.map(more);
  }
}
