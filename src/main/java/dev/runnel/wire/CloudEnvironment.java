package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An environment in which agents run.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CloudEnvironment(
    @JsonProperty("uid") String uid,
    @JsonProperty("config") @Nullable CloudEnvironmentConfig config,
    @JsonProperty("last_updated") @Nullable Instant lastUpdated,
    @JsonProperty("setup_failed") @Nullable Boolean setupFailed,
    @JsonProperty("last_task_created") @Nullable LastTask lastTaskCreated,
    @JsonProperty("last_task_run_timestamp") @Nullable Instant lastTaskRunAt,
    @JsonProperty("scope") @Nullable Scope scope,
    @JsonProperty("creator") @Nullable UserInfo creator,
    @JsonProperty("last_editor") @Nullable UserInfo lastEditor,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public CloudEnvironment {
    DefensiveCopies.requireText(uid, "uid");
    more = DefensiveCopies.map(more);
  }
}
