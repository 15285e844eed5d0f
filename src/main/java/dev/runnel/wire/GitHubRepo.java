package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A repository.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GitHubRepo(
    @JsonProperty("owner") @Nullable String owner,
    @JsonProperty("repo") @Nullable String repo,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public GitHubRepo {
    more = DefensiveCopies.map(more);
  }
}
