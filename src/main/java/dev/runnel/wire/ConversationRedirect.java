package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The session of a conversation.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConversationRedirect(
    @JsonProperty("session_id") @Nullable String sessionId,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ConversationRedirect {
    more = DefensiveCopies.map(more);
  }
}
