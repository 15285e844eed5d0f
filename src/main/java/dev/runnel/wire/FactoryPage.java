package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A page of factories.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FactoryPage(
    @JsonProperty("factories") List<Factory> factories,
    @JsonProperty("page_info") @Nullable PageInfo pageInfo,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public FactoryPage {
    factories = DefensiveCopies.list(factories);
    more = DefensiveCopies.map(more);
  }
}
