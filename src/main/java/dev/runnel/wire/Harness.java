package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The agent that executes a run, and its settings (a member of [AgentConfig]).
///
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Harness(
    @JsonProperty("type") @Nullable HarnessType type,
    @JsonProperty("model_id") @Nullable String modelId,
    @JsonProperty("reasoning_level") @Nullable String reasoningLevel,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Harness {
    more = DefensiveCopies.map(more);
  }

  public static HarnessBuilder builder() {
    return HarnessBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public HarnessBuilder toBuilder() {
    return HarnessBuilder.builder(this);
  }
}
