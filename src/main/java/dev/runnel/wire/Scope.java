package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The owner of a resource.
///
/// @param type `User` or `Team`
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Scope(
    @JsonProperty("type") @Nullable String type,
    @JsonProperty("uid") @Nullable String uid,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Scope {
    more = DefensiveCopies.map(more);
  }
}
