package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The name of a managed secret; its value is never on the wire.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SecretName(
    @JsonProperty("name") @Nullable String name,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public SecretName {
    more = DefensiveCopies.map(more);
  }
}
