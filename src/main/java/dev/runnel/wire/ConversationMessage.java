package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Something said or done.
///
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConversationMessage(
    @JsonProperty("role") @Nullable MessageRole role,
    @JsonProperty("content") List<ConversationContent> content,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ConversationMessage {
    content = Copies.list(content);
    more = Copies.map(more);
  }
}
