package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The location of a skill.
///
/// @param name name of the repository
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SkillSource(
    @JsonProperty("owner") @Nullable String owner,
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("skill_path") @Nullable String skillPath,
    @JsonProperty("worker_host") @Nullable String workerHost,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public SkillSource {
    more = DefensiveCopies.map(more);
  }
}
