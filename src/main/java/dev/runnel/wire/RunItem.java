package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A run, as returned in lists and by id. Members that the service omits, or sends in an unknown
/// format, are null or empty; only the id and the state are always present.
///
/// @param taskId the same as the run id, for old clients
/// @param startedAt null before the run starts
/// @param executor the account that the agent works as
/// @param sessionLink available some time after the creation
/// @param triggerUrl URL of the thread or ticket that triggered the run
/// @param agentConfig the resolved configuration
/// @param requestUsage costs and tokens; its members change between versions of the service
/// @param schedule the schedule that started the run, if any
/// @param runTime ISO 8601 duration
/// @param cancellable whether this kind of run can be cancelled, regardless of its state
/// @param submittedPrompt the submitted prompt, with messages sent before the start
/// @param finishedAt when it last ended; null while it is active
/// @param rootRunId the root of its tree; its own id if it has no parent
/// @param more members unknown to this version, unchanged
@GenerateBuilder
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
    @JsonProperty("source") @Nullable RunSource source,
    @JsonProperty("creator") @Nullable UserInfo creator,
    @JsonProperty("executor") @Nullable UserInfo executor,
    @JsonProperty("session_id") @Nullable String sessionId,
    @JsonProperty("session_link") @Nullable String sessionLink,
    @JsonProperty("trigger_url") @Nullable String triggerUrl,
    @JsonProperty("agent_config") @Nullable AgentConfig agentConfig,
    @JsonProperty("agent_skill") @Nullable SkillOfRun agentSkill,
    @JsonProperty("conversation_id") @Nullable String conversationId,
    @JsonProperty("parent_run_id") @Nullable String parentRunId,
    @JsonProperty("artifacts") List<ArtifactItem> artifacts,
    @JsonProperty("request_usage") @Nullable RequestUsage requestUsage,
    @JsonProperty("schedule") @Nullable ScheduleOfRun schedule,
    @JsonProperty("scope") @Nullable Scope scope,
    @JsonProperty("is_sandbox_running") @Nullable Boolean sandboxRunning,
    @JsonProperty("execution_location") @Nullable ExecutionLocation executionLocation,
    @JsonProperty("metadata") Map<String, String> metadata,
    @JsonProperty("run_time") @Nullable String runTime,
    @JsonProperty("is_run_type_cancellable") @Nullable Boolean cancellable,
    @JsonProperty("debug_agent_available") @Nullable Boolean debugAgentAvailable,
    @JsonProperty("factory_uid") @Nullable String factoryUid,
    @JsonProperty("submitted_prompt") @Nullable String submittedPrompt,
    @JsonProperty("finished_at") @Nullable Instant finishedAt,
    @JsonProperty("root_run_id") @Nullable String rootRunId,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public RunItem {
    DefensiveCopies.requireText(runId, "run_id");
    Objects.requireNonNull(state, "state");
    artifacts = DefensiveCopies.list(artifacts);
    metadata = DefensiveCopies.map(metadata);
    more = DefensiveCopies.map(more);
  }

  public static RunItemBuilder builder() {
    return RunItemBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public RunItemBuilder toBuilder() {
    return RunItemBuilder.builder(this);
  }

  /// The status message: the run's answer, its question, or what went wrong; empty text if there is
  /// none.
  @JsonIgnore
  public String message() {
    return statusMessage == null || statusMessage.message() == null ? "" : statusMessage.message();
  }

  /// The pull requests among the artifacts.
  @JsonIgnore
  public List<ArtifactItem.PullRequest> pullRequests() {
    return artifacts.stream()
        .filter(ArtifactItem.PullRequest.class::isInstance)
        .map(ArtifactItem.PullRequest.class::cast)
        .toList();
  }

  /// Leaves out what people and agents wrote.
  @Override
  public String toString() {
    return "RunItem[run=%s, state=%s, updated=%s]".formatted(runId, state, updatedAt);
  }
}
