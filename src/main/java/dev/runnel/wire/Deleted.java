package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The response to a deletion.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Deleted(
    @JsonProperty("success") @Nullable Boolean success,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Deleted {
    more = DefensiveCopies.map(more);
  }
}
