package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The models that agents can use.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ModelList(
    @JsonProperty("default_model_id") @Nullable String defaultModelId,
    @JsonProperty("models") List<Model> models,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ModelList {
    models = DefensiveCopies.list(models);
    more = DefensiveCopies.map(more);
  }
}
