package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The newest run of an environment.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LastTask(
    @JsonProperty("id") @Nullable String id,
    @JsonProperty("title") @Nullable String title,
    @JsonProperty("state") @Nullable RunStateValue state,
    @JsonProperty("created_at") @Nullable Instant createdAt,
    @JsonProperty("updated_at") @Nullable Instant updatedAt,
    @JsonProperty("started_at") @Nullable Instant startedAt,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public LastTask {
    more = DefensiveCopies.map(more);
  }
}
