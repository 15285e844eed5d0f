package dev.runnel.service.execution;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.Json;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.store.Identities;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.wire.CredentialStrategy;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Validates a run's requested configuration against what is available, so that a run that could
/// only fail is refused before it is created.
///
/// @param identities the agent identities, whose configuration applies to members that a run leaves
///   out
public record ConfigResolution(Agents agents, Environments environments, Identities identities) {
  private static final Set<CredentialStrategy> STRATEGIES =
      Set.of(CredentialStrategy.CREATOR, CredentialStrategy.EXECUTOR);

  /// `owner/repo:name`, `owner/repo:path/to/SKILL.md`, the same with `repo` alone, or a name.
  private static final Pattern SKILL =
      Pattern.compile(
          "(?:[^/\\\\:\\s\\p{Cntrl}]+(?:/[^/\\\\:\\s\\p{Cntrl}]+)*:)?"
              + "(?!(?:.*/)?\\.\\.(?:/|$))[^/\\\\:\\p{Cntrl}][^\\\\:\\p{Cntrl}]*");

  /// Applies the configuration of the named identity, and defaults, to members that the run leaves
  /// out.
  ///
  /// @throws RequestProblem if it is invalid or requests something that is not available
  public NewRun resolved(NewRun asked) {
    var run = identities.configured(asked);
    var config = run.config().orElseGet(Json::newObject);
    check(config, agents);
    var name = config.path("environment_id").asText("");
    var environment = environments.find(name);
    // If no environments are configured, the agent's command may interpret the name.
    if (!environments.all().isEmpty() && environment.isEmpty()) {
      throw RequestProblem.invalid(environments.noneIs(name));
    }
    return run.withResolved(defaults(config, environment));
  }

  /// The defaults to show in a run's configuration in addition to the requested members.
  private ObjectNode defaults(ObjectNode config, Optional<Environment> environment) {
    var resolved = Json.newObject();
    environment
        .filter(found -> !found.equals(Environment.NONE))
        .ifPresent(found -> resolved.put("environment_id", found.uid()));
    var harness = config.path("harness");
    if (harness.path("type").asText("").isBlank()) {
      resolved.put("harness", agents.usualType().value());
    }
    if (config.path("model_id").asText("").isBlank()) {
      resolved.put("model_id", harness.path("model_id").asText(ExecutionRequest.ANY_MODEL));
    }
    return resolved;
  }

  /// Checks the configuration of a run or an agent identity, which use the same member names.
  ///
  /// @throws RequestProblem if no run could work with it
  public static void check(ObjectNode config, Agents agents) {
    agents
        .problem(config.path("harness").path("type").asText(""))
        .ifPresent(
            why -> {
              throw RequestProblem.invalid(why);
            });
    checkSkill(config.path("skill_spec").asText(""));
    config.path("skills").forEach(skill -> checkSkill(skill.asText("")));
    var strategy = config.path("credential_strategy").asText("");
    if (!strategy.isEmpty() && !STRATEGIES.contains(new CredentialStrategy(strategy))) {
      throw RequestProblem.invalid("credential_strategy must be CREATOR or EXECUTOR");
    }
  }

  private static void checkSkill(String spec) {
    if (!spec.isBlank() && !SKILL.matcher(spec).matches()) {
      throw RequestProblem.invalid(
          "A skill is named as in owner/repo:skill-name or owner/repo:path/to/SKILL.md");
    }
  }
}
