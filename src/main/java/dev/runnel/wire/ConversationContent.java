package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One of text, action, action result and event; what each holds is not published.
///
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConversationContent(
    @JsonProperty("type") @Nullable String type,
    @JsonProperty("text") @Nullable String text,
    @JsonProperty("action") @Nullable JsonNode action,
    @JsonProperty("action_result") @Nullable JsonNode actionResult,
    @JsonProperty("event") @Nullable JsonNode event,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ConversationContent {
    more = Copies.map(more);
  }
}
