package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A step of a conversation.
///
/// @param steps nested steps
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConversationStep(
    @JsonProperty("id") @Nullable String id,
    @JsonProperty("messages") List<ConversationMessage> messages,
    @JsonProperty("steps") List<ConversationStep> steps,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("summary") @Nullable String summary,
    @JsonProperty("started_at") @Nullable Instant startedAt,
    @JsonProperty("completed_at") @Nullable Instant completedAt,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ConversationStep {
    messages = DefensiveCopies.list(messages);
    steps = DefensiveCopies.list(steps);
    more = DefensiveCopies.map(more);
  }
}
