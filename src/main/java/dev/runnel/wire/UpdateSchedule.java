package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A request to replace a schedule.
///
/// @param cronSchedule cron expression of five fields, in UTC
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpdateSchedule(
    @JsonProperty("name") String name,
    @JsonProperty("cron_schedule") String cronSchedule,
    @JsonProperty("enabled") Boolean enabled,
    @JsonProperty("prompt") @Nullable String prompt,
    @JsonProperty("agent_config") @Nullable AgentConfig agentConfig,
    @JsonProperty("agent_uid") @Nullable String agentUid,
    @JsonProperty("metadata") @Nullable Map<String, String> metadata,
    @JsonProperty("mode") @Nullable RunMode mode,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public UpdateSchedule {
    DefensiveCopies.requireText(name, "name");
    DefensiveCopies.requireText(cronSchedule, "cron_schedule");
    Objects.requireNonNull(enabled, "enabled");
    metadata = metadata == null ? null : DefensiveCopies.map(metadata);
    more = DefensiveCopies.map(more);
  }

  public static UpdateScheduleBuilder builder() {
    return UpdateScheduleBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public UpdateScheduleBuilder toBuilder() {
    return UpdateScheduleBuilder.builder(this);
  }
}
