package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How to request the next page of a list.
///
/// @param nextCursor opaque; absent on the last page
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PageInfo(
    @JsonProperty("has_next_page") boolean hasNextPage,
    @JsonProperty("next_cursor") @Nullable String nextCursor,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public PageInfo {
    more = DefensiveCopies.map(more);
  }
}
