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

/// A message of a conversation: text, actions and events of one author.
///
/// @param messageIds ids of the transcript lines that it was made from
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConversationMessage(
    @JsonProperty("role") @Nullable MessageRole role,
    @JsonProperty("content") List<ConversationContent> content,
    @JsonProperty("message_ids") @Nullable List<String> messageIds,
    @JsonProperty("request_id") @Nullable String requestId,
    @JsonProperty("timestamp") @Nullable Instant timestamp,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ConversationMessage {
    content = DefensiveCopies.list(content);
    messageIds = messageIds == null ? null : DefensiveCopies.list(messageIds);
    more = DefensiveCopies.map(more);
  }
}
