package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A language model.
///
/// @param disableReason why it is currently unavailable
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Model(
    @JsonProperty("id") String id,
    @JsonProperty("display_name") @Nullable String displayName,
    @JsonProperty("provider") @Nullable ModelProvider provider,
    @JsonProperty("vision_supported") @Nullable Boolean visionSupported,
    @JsonProperty("reasoning_level") @Nullable String reasoningLevel,
    @JsonProperty("disable_reason") @Nullable String disableReason,
    @JsonProperty("description") @Nullable String description,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Model {
    DefensiveCopies.requireText(id, "id");
    more = DefensiveCopies.map(more);
  }
}
