package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The schedule that started a run.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScheduleOfRun(
    @JsonProperty("schedule_id") @Nullable String scheduleId,
    @JsonProperty("schedule_name") @Nullable String scheduleName,
    @JsonProperty("cron_schedule") @Nullable String cronSchedule,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ScheduleOfRun {
    more = DefensiveCopies.map(more);
  }
}
