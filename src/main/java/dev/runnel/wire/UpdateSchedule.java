package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A request to replace a schedule.
///
/// @param cronSchedule cron expression of five fields, in UTC
/// @param more members unknown to this version, unchanged
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
    Copies.requireText(name, "name");
    Copies.requireText(cronSchedule, "cron_schedule");
    Objects.requireNonNull(enabled, "enabled");
    metadata = metadata == null ? null : Copies.map(metadata);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.name = name;
    builder.cronSchedule = cronSchedule;
    builder.enabled = enabled;
    builder.prompt = prompt;
    builder.agentConfig = agentConfig;
    builder.agentUid = agentUid;
    builder.metadata = metadata;
    builder.mode = mode;
    builder.more.putAll(more);
    return builder;
  }

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String name;
    private @Nullable String cronSchedule;
    private @Nullable Boolean enabled;
    private @Nullable String prompt;
    private @Nullable AgentConfig agentConfig;
    private @Nullable String agentUid;
    private @Nullable Map<String, String> metadata;
    private @Nullable RunMode mode;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder name(String name) {
      this.name = name;
      return this;
    }

    public Builder cronSchedule(String cronSchedule) {
      this.cronSchedule = cronSchedule;
      return this;
    }

    public Builder enabled(Boolean enabled) {
      this.enabled = enabled;
      return this;
    }

    public Builder prompt(String prompt) {
      this.prompt = prompt;
      return this;
    }

    public Builder agentConfig(AgentConfig agentConfig) {
      this.agentConfig = agentConfig;
      return this;
    }

    public Builder agentUid(String agentUid) {
      this.agentUid = agentUid;
      return this;
    }

    public Builder metadata(Map<String, String> metadata) {
      this.metadata = metadata;
      return this;
    }

    /// Adds a metadata entry.
    public Builder metadata(String name, String value) {
      var all = new LinkedHashMap<String, String>(metadata == null ? Map.of() : metadata);
      all.put(name, value);
      metadata = all;
      return this;
    }

    public Builder mode(RunMode mode) {
      this.mode = mode;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    /// @throws IllegalStateException if a required value is missing
    public UpdateSchedule build() {
      if (name == null || name.isBlank()) {
        throw new IllegalStateException("A schedule needs its name");
      }
      if (cronSchedule == null || cronSchedule.isBlank()) {
        throw new IllegalStateException("A schedule needs its cronSchedule");
      }
      if (enabled == null) {
        throw new IllegalStateException("A schedule needs its enabled");
      }
      return new UpdateSchedule(
          name, cronSchedule, enabled, prompt, agentConfig, agentUid, metadata, mode, more);
    }
  }
}
