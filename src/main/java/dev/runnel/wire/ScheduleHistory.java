package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// When a schedule last ran and runs next.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScheduleHistory(
    @JsonProperty("last_ran") @Nullable Instant lastRan,
    @JsonProperty("next_run") @Nullable Instant nextRun,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ScheduleHistory {
    more = DefensiveCopies.map(more);
  }
}
