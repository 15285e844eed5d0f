package dev.runnel.service.run;

import dev.runnel.wire.RunMode;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A request to execute a run once: the first execution, or a later one caused by follow-ups.
///
/// @param execution 1-based number of this execution within its run
/// @param prompt the run's prompt; for a later execution, the follow-ups
/// @param sessionId the run's session id, the same for all its executions
/// @param agentSession the agent's session id from an earlier execution, as stored; see [#forAgent]
/// @param configJson the run's configuration as sent, `{}` if there is none
/// @param mode whether the agent does the work, plans it, or delegates it to other runs
/// @param claim unique token of this execution, across all nodes; without it, nothing can be
///   recorded
@RecordBuilder
public record ExecutionRequest(
    String runId,
    int execution,
    String prompt,
    String sessionId,
    Optional<String> agentSession,
    Optional<String> modelId,
    Optional<String> basePrompt,
    String configJson,
    RunMode mode,
    String claim)
    implements ExecutionRequestBuilder.With {
  /// The model id that lets the agent choose its model.
  public static final String ANY_MODEL = "default";

  /// A request that belongs to no run, for programs that Runnel starts on its own behalf.
  public static ExecutionRequest internal(String id) {
    return new ExecutionRequest(
        id,
        0,
        "",
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        "{}",
        RunMode.NORMAL,
        id);
  }

  /// The requested environment; blank for the default.
  public String environmentId() {
    return ServiceJson.read(configJson).path("environment_id").asText("");
  }

  /// The requested skills, in order.
  public List<String> skillSpecs() {
    var config = ServiceJson.read(configJson);
    // skill_spec usually repeats the first one.
    return Stream.concat(Stream.of(config.path("skill_spec")), config.path("skills").valueStream())
        .map(spec -> spec.asText(""))
        .filter(spec -> !spec.isBlank())
        .distinct()
        .toList();
  }

  /// Whether the agent may start runs below its own.
  public boolean mayStartRuns() {
    return mode.equals(RunMode.ORCHESTRATE);
  }

  /// The requested agent: `claude`, …
  public Optional<String> harness() {
    return Optional.ofNullable(
            ServiceJson.read(configJson).path("harness").path("type").asText(null))
        .filter(type -> !type.isBlank());
  }

  /// The requested reasoning effort, in the agent's own terms: `high`, …
  public Optional<String> reasoningLevel() {
    var level = ServiceJson.read(configJson).path("harness").path("reasoning_level").asText("");
    return Optional.of(level).filter(word -> !word.isBlank());
  }

  /// The id for a new session, for agents that accept one: the run's session id. Empty after the
  /// first execution, when that id is already taken.
  public Optional<String> newSession() {
    return execution == 1 ? Optional.of(sessionId) : Optional.empty();
  }

  /// Returns this request for one kind of agent: with that agent's own session only, and with the
  /// requested model.
  public ExecutionRequest forAgent(String agent) {
    var model = ServiceJson.read(configJson).path("harness").path("model_id").asText("");
    return with(
        it ->
            it.agentSession(agentSession.flatMap(stored -> AgentSession.decode(stored, agent)))
                .modelId(
                    (model.isBlank() ? modelId : Optional.of(model))
                        .filter(id -> !id.equals(ANY_MODEL))));
  }

  /// Leaves out the prompt, which is private.
  @Override
  public String toString() {
    return "ExecutionRequest[run=" + runId + ", execution=" + execution + "]";
  }
}
