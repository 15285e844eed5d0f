package dev.runnel.service.run;

import dev.runnel.wire.RunMode;
import java.util.Optional;

/// One execution of one run, to be worked on.
///
/// @param execution 1, 2, …: the how-manieth of its run
/// @param prompt the run's prompt, or for a later execution the follow-ups
/// @param sessionId the run's own, the same for all its executions
/// @param agentSession what the agent called its session in an earlier execution; see [#forAgent]
/// @param configJson the run's configuration as it was sent, `{}` without one
/// @param mode how the agent goes about it
public record ExecutionRequest(
    String runId,
    int execution,
    String prompt,
    String sessionId,
    Optional<String> agentSession,
    Optional<String> modelId,
    Optional<String> basePrompt,
    String configJson,
    RunMode mode) {
  /// The model that leaves the choice to the agent.
  public static final String ANY_MODEL = "default";

  /// The environment that the run asks for; blank for the default.
  public String environmentId() {
    return Json.read(configJson).path("environment_id").asText("");
  }

  /// The skill that the run asks for; blank for none.
  public String skillSpec() {
    return Json.read(configJson).path("skill_spec").asText("");
  }

  /// Whether the agent starts runs below its own.
  public boolean leads() {
    return mode.equals(RunMode.ORCHESTRATE);
  }

  public ExecutionRequest withPrompt(String text) {
    return new ExecutionRequest(
        runId, execution, text, sessionId, agentSession, modelId, basePrompt, configJson, mode);
  }

  public ExecutionRequest withBasePrompt(String text) {
    return new ExecutionRequest(
        runId,
        execution,
        prompt,
        sessionId,
        agentSession,
        modelId,
        Optional.of(text),
        configJson,
        mode);
  }

  /// The agent that is asked for: `claude`, …
  public Optional<String> harness() {
    return Optional.ofNullable(Json.read(configJson).path("harness").path("type").asText(null))
        .filter(type -> !type.isBlank());
  }

  /// How hard the agent shall think, in a word of its own: `high`, …
  public Optional<String> reasoningLevel() {
    var level = Json.read(configJson).path("harness").path("reasoning_level").asText("");
    return Optional.of(level).filter(word -> !word.isBlank());
  }

  /// The name for an agent's new session, where it can be told one: the run's own, which nobody has
  /// taken before the first execution.
  public Optional<String> newSession() {
    return execution == 1 ? Optional.of(sessionId) : Optional.empty();
  }

  /// As seen by one kind of agent: with its own sessions alone, and the model that is asked of it.
  public ExecutionRequest forAgent(String agent) {
    var model = Json.read(configJson).path("harness").path("model_id").asText("");
    return new ExecutionRequest(
        runId,
        execution,
        prompt,
        sessionId,
        agentSession.flatMap(kept -> AgentSession.of(kept, agent)),
        (model.isBlank() ? modelId : Optional.of(model)).filter(id -> !id.equals(ANY_MODEL)),
        basePrompt,
        configJson,
        mode);
  }

  /// Without what people wrote.
  @Override
  public String toString() {
    return "Job[run=" + runId + ", execution=" + execution + "]";
  }
}
