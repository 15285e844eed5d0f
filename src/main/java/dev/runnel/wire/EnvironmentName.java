package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An environment, by name.
///
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EnvironmentName(
    @JsonProperty("uid") @Nullable String uid,
    @JsonProperty("name") @Nullable String name,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public EnvironmentName {
    more = Copies.map(more);
  }
}
