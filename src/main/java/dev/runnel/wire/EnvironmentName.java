package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reference to an environment, with its name.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EnvironmentName(
    @JsonProperty("uid") @Nullable String uid,
    @JsonProperty("name") @Nullable String name,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public EnvironmentName {
    more = DefensiveCopies.map(more);
  }
}
