package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.LinkedHashMap;
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
    Copies.requireText(runId, "run_id");
    Objects.requireNonNull(state, "state");
    artifacts = Copies.list(artifacts);
    metadata = Copies.map(metadata);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.runId = runId;
    builder.taskId = taskId;
    builder.title = title;
    builder.state = state;
    builder.prompt = prompt;
    builder.createdAt = createdAt;
    builder.updatedAt = updatedAt;
    builder.startedAt = startedAt;
    builder.statusMessage = statusMessage;
    builder.source = source;
    builder.creator = creator;
    builder.executor = executor;
    builder.sessionId = sessionId;
    builder.sessionLink = sessionLink;
    builder.triggerUrl = triggerUrl;
    builder.agentConfig = agentConfig;
    builder.agentSkill = agentSkill;
    builder.conversationId = conversationId;
    builder.parentRunId = parentRunId;
    builder.artifacts = artifacts;
    builder.requestUsage = requestUsage;
    builder.schedule = schedule;
    builder.scope = scope;
    builder.sandboxRunning = sandboxRunning;
    builder.executionLocation = executionLocation;
    builder.metadata = metadata;
    builder.runTime = runTime;
    builder.cancellable = cancellable;
    builder.debugAgentAvailable = debugAgentAvailable;
    builder.factoryUid = factoryUid;
    builder.submittedPrompt = submittedPrompt;
    builder.finishedAt = finishedAt;
    builder.rootRunId = rootRunId;
    builder.more.putAll(more);
    return builder;
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

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String runId;
    private @Nullable String taskId;
    private @Nullable String title;
    private @Nullable RunStateValue state;
    private @Nullable String prompt;
    private @Nullable Instant createdAt;
    private @Nullable Instant updatedAt;
    private @Nullable Instant startedAt;
    private @Nullable StatusMessage statusMessage;
    private @Nullable RunSource source;
    private @Nullable UserInfo creator;
    private @Nullable UserInfo executor;
    private @Nullable String sessionId;
    private @Nullable String sessionLink;
    private @Nullable String triggerUrl;
    private @Nullable AgentConfig agentConfig;
    private @Nullable SkillOfRun agentSkill;
    private @Nullable String conversationId;
    private @Nullable String parentRunId;
    private @Nullable List<ArtifactItem> artifacts;
    private @Nullable RequestUsage requestUsage;
    private @Nullable ScheduleOfRun schedule;
    private @Nullable Scope scope;
    private @Nullable Boolean sandboxRunning;
    private @Nullable ExecutionLocation executionLocation;
    private @Nullable Map<String, String> metadata;
    private @Nullable String runTime;
    private @Nullable Boolean cancellable;
    private @Nullable Boolean debugAgentAvailable;
    private @Nullable String factoryUid;
    private @Nullable String submittedPrompt;
    private @Nullable Instant finishedAt;
    private @Nullable String rootRunId;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder runId(String runId) {
      this.runId = runId;
      return this;
    }

    public Builder taskId(String taskId) {
      this.taskId = taskId;
      return this;
    }

    public Builder title(String title) {
      this.title = title;
      return this;
    }

    public Builder state(RunStateValue state) {
      this.state = state;
      return this;
    }

    public Builder prompt(String prompt) {
      this.prompt = prompt;
      return this;
    }

    public Builder createdAt(Instant createdAt) {
      this.createdAt = createdAt;
      return this;
    }

    public Builder updatedAt(Instant updatedAt) {
      this.updatedAt = updatedAt;
      return this;
    }

    public Builder startedAt(Instant startedAt) {
      this.startedAt = startedAt;
      return this;
    }

    public Builder statusMessage(StatusMessage statusMessage) {
      this.statusMessage = statusMessage;
      return this;
    }

    public Builder source(RunSource source) {
      this.source = source;
      return this;
    }

    public Builder creator(UserInfo creator) {
      this.creator = creator;
      return this;
    }

    public Builder executor(UserInfo executor) {
      this.executor = executor;
      return this;
    }

    public Builder sessionId(String sessionId) {
      this.sessionId = sessionId;
      return this;
    }

    public Builder sessionLink(String sessionLink) {
      this.sessionLink = sessionLink;
      return this;
    }

    public Builder triggerUrl(String triggerUrl) {
      this.triggerUrl = triggerUrl;
      return this;
    }

    public Builder agentConfig(AgentConfig agentConfig) {
      this.agentConfig = agentConfig;
      return this;
    }

    public Builder agentSkill(SkillOfRun agentSkill) {
      this.agentSkill = agentSkill;
      return this;
    }

    public Builder conversationId(String conversationId) {
      this.conversationId = conversationId;
      return this;
    }

    public Builder parentRunId(String parentRunId) {
      this.parentRunId = parentRunId;
      return this;
    }

    public Builder artifacts(List<ArtifactItem> artifacts) {
      this.artifacts = artifacts;
      return this;
    }

    public Builder requestUsage(RequestUsage requestUsage) {
      this.requestUsage = requestUsage;
      return this;
    }

    public Builder schedule(ScheduleOfRun schedule) {
      this.schedule = schedule;
      return this;
    }

    public Builder scope(Scope scope) {
      this.scope = scope;
      return this;
    }

    public Builder sandboxRunning(Boolean sandboxRunning) {
      this.sandboxRunning = sandboxRunning;
      return this;
    }

    public Builder executionLocation(ExecutionLocation executionLocation) {
      this.executionLocation = executionLocation;
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

    public Builder runTime(String runTime) {
      this.runTime = runTime;
      return this;
    }

    public Builder cancellable(Boolean cancellable) {
      this.cancellable = cancellable;
      return this;
    }

    public Builder debugAgentAvailable(Boolean debugAgentAvailable) {
      this.debugAgentAvailable = debugAgentAvailable;
      return this;
    }

    public Builder factoryUid(String factoryUid) {
      this.factoryUid = factoryUid;
      return this;
    }

    public Builder submittedPrompt(String submittedPrompt) {
      this.submittedPrompt = submittedPrompt;
      return this;
    }

    public Builder finishedAt(Instant finishedAt) {
      this.finishedAt = finishedAt;
      return this;
    }

    public Builder rootRunId(String rootRunId) {
      this.rootRunId = rootRunId;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    /// @throws IllegalStateException if a required value is missing
    public RunItem build() {
      if (runId == null || runId.isBlank()) {
        throw new IllegalStateException("A run needs its runId");
      }
      if (state == null) {
        throw new IllegalStateException("A run needs its state");
      }
      return new RunItem(
          runId,
          taskId,
          title,
          state,
          prompt,
          createdAt,
          updatedAt,
          startedAt,
          statusMessage,
          source,
          creator,
          executor,
          sessionId,
          sessionLink,
          triggerUrl,
          agentConfig,
          agentSkill,
          conversationId,
          parentRunId,
          Copies.list(artifacts),
          requestUsage,
          schedule,
          scope,
          sandboxRunning,
          executionLocation,
          Copies.map(metadata),
          runTime,
          cancellable,
          debugAgentAvailable,
          factoryUid,
          submittedPrompt,
          finishedAt,
          rootRunId,
          more);
    }
  }
}
