package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A skill in one repository.
///
/// @param environments the environments in which it can run
/// @param error why its file is malformed; such variants are only listed on request
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SkillVariant(
    @JsonProperty("id") @Nullable String id,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("base_prompt") @Nullable String basePrompt,
    @JsonProperty("source") @Nullable SkillSource source,
    @JsonProperty("environments") List<EnvironmentName> environments,
    @JsonProperty("last_run_timestamp") @Nullable Instant lastRunAt,
    @JsonProperty("error") @Nullable String error,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public SkillVariant {
    environments = DefensiveCopies.list(environments);
    more = DefensiveCopies.map(more);
  }
}
