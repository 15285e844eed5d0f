package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request to create a schedule.
///
/// @param cronSchedule cron expression of five fields, in UTC
/// @param enabled default: true
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CreateSchedule(
    @JsonProperty("name") String name,
    @JsonProperty("cron_schedule") String cronSchedule,
    @JsonProperty("prompt") @Nullable String prompt,
    @JsonProperty("enabled") @Nullable Boolean enabled,
    @JsonProperty("agent_config") @Nullable AgentConfig agentConfig,
    @JsonProperty("agent_uid") @Nullable String agentUid,
    @JsonProperty("metadata") @Nullable Map<String, String> metadata,
    @JsonProperty("mode") @Nullable RunMode mode,
    @JsonProperty("team") @Nullable Boolean team,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public CreateSchedule {
    DefensiveCopies.requireText(name, "name");
    DefensiveCopies.requireText(cronSchedule, "cron_schedule");
    metadata = metadata == null ? null : DefensiveCopies.map(metadata);
    more = DefensiveCopies.map(more);
  }

  public static CreateScheduleBuilder builder() {
    return CreateScheduleBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public CreateScheduleBuilder toBuilder() {
    return CreateScheduleBuilder.builder(this);
  }
}
