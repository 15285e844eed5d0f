package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A schedule that starts runs at cron times.
///
/// @param cronSchedule cron expression of five fields, in UTC
/// @param lastSpawnError why the newest run could not be started
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Schedule(
    @JsonProperty("id") String id,
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("cron_schedule") @Nullable String cronSchedule,
    @JsonProperty("enabled") @Nullable Boolean enabled,
    @JsonProperty("prompt") @Nullable String prompt,
    @JsonProperty("agent_config") @Nullable AgentConfig agentConfig,
    @JsonProperty("environment") @Nullable CloudEnvironmentConfig environment,
    @JsonProperty("history") @Nullable ScheduleHistory history,
    @JsonProperty("last_spawn_error") @Nullable String lastSpawnError,
    @JsonProperty("created_at") @Nullable Instant createdAt,
    @JsonProperty("updated_at") @Nullable Instant updatedAt,
    @JsonProperty("created_by") @Nullable UserInfo createdBy,
    @JsonProperty("updated_by") @Nullable UserInfo updatedBy,
    @JsonProperty("scope") @Nullable Scope scope,
    @JsonProperty("agent_uid") @Nullable String agentUid,
    @JsonProperty("metadata") Map<String, String> metadata,
    @JsonProperty("mode") @Nullable RunMode mode,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Schedule {
    DefensiveCopies.requireText(id, "id");
    metadata = DefensiveCopies.map(metadata);
    more = DefensiveCopies.map(more);
  }
}
