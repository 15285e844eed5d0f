package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A page of runs (the API's `ListRunsResponse`).
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunPage(
    @JsonProperty("runs") List<RunItem> runs,
    @JsonProperty("page_info") @Nullable PageInfo pageInfo,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public RunPage {
    runs = DefensiveCopies.list(runs);
    more = DefensiveCopies.map(more);
  }
}
