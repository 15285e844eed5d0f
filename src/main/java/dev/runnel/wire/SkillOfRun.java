package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The skill that a run was started from: one of `fullPath` and `bundledSkillId`.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SkillOfRun(
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("full_path") @Nullable String fullPath,
    @JsonProperty("bundled_skill_id") @Nullable String bundledSkillId,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public SkillOfRun {
    more = DefensiveCopies.map(more);
  }
}
