package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A skill with all its variants in repositories.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Skill(
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("variants") List<SkillVariant> variants,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Skill {
    variants = DefensiveCopies.list(variants);
    more = DefensiveCopies.map(more);
  }
}
