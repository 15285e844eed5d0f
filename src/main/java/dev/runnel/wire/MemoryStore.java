package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A memory store attached to an agent.
///
/// @param access `read_write` or `read_only`
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MemoryStore(
    @JsonProperty("uid") @Nullable String uid,
    @JsonProperty("access") @Nullable String access,
    @JsonProperty("instructions") @Nullable String instructions,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public MemoryStore {
    more = DefensiveCopies.map(more);
  }
}
