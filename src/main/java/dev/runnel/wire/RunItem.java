package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A run, in lists and alone.
///
/// @param taskId the run id again, for old clients
/// @param source an open enumeration: `API`, `SLACK`, …
/// @param sessionLink appears some time after the creation
/// @param triggerUrl the thread or ticket that caused the run
/// @param requestUsage costs and tokens; its members change between versions of the service
/// @param runTime ISO 8601 duration
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunItem(
    @JsonProperty("run_id") String runId,
    @JsonProperty("task_id") @Nullable String taskId,
    @JsonProperty("title") @Nullable String title,
    @JsonProperty("state") RunStateValue state,
    @JsonProperty("prompt") @Nullable String prompt,
    @JsonProperty("created_at") @Nullable Instant createdAt,
    @JsonProperty("updated_at") @Nullable Instant updatedAt,
    @JsonProperty("started_at") @Nullable Instant startedAt,
    @JsonProperty("status_message") @Nullable StatusMessage statusMessage,
    @JsonProperty("source") @Nullable String source,
    @JsonProperty("creator") @Nullable CreatorInfo creator,
    @JsonProperty("session_id") @Nullable String sessionId,
    @JsonProperty("session_link") @Nullable String sessionLink,
    @JsonProperty("trigger_url") @Nullable String triggerUrl,
    @JsonProperty("agent_config") @Nullable AgentConfig agentConfig,
    @JsonProperty("conversation_id") @Nullable String conversationId,
    @JsonProperty("parent_run_id") @Nullable String parentRunId,
    @JsonProperty("artifacts") @Nullable List<ArtifactItem> artifacts,
    @JsonProperty("request_usage") @Nullable JsonNode requestUsage,
    @JsonProperty("execution_location") @Nullable String executionLocation,
    @JsonProperty("metadata") @Nullable Map<String, String> metadata,
    @JsonProperty("run_time") @Nullable String runTime,
    @JsonProperty("is_run_type_cancellable") @Nullable Boolean cancellable) {}
