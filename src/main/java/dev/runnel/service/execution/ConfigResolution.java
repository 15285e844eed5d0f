package dev.runnel.service.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.agent.AgentRefused;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.run.ConfigMembers;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.Identities;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.wire.CredentialStrategy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Validates a run's requested configuration, so that a run that would certainly fail is rejected
/// before it is created.
///
/// @param identities the agent identities, whose configuration applies to members that a run leaves
///   out
public record ConfigResolution(Agents agents, Environments environments, Identities identities) {
  private static final String ENVIRONMENT = "environment_id";
  private static final Set<CredentialStrategy> STRATEGIES =
      Set.of(CredentialStrategy.CREATOR, CredentialStrategy.EXECUTOR);

  /// `owner/repo:name`, `owner/repo:path/to/SKILL.md`, the same with `repo` alone, or a name: which
  /// has no slash and no space, so that a repository or a sentence is not taken for it.
  private static final Pattern SKILL =
      Pattern.compile(
          "[^/\\\\:\\s\\p{Cntrl}]++"
              + "|[^/\\\\:\\s\\p{Cntrl}]++(?:/[^/\\\\:\\s\\p{Cntrl}]++)*+:"
              + "[^/\\\\:\\p{Cntrl}]++(?:/[^/\\\\:\\p{Cntrl}]++)*+");

  /// Applies the configuration of the named identity, and defaults, to members that the run leaves
  /// out.
  ///
  /// @throws RequestProblem if it is invalid or requests something that is not available
  public NewRun resolved(NewRun request) {
    if (request.identityUid().filter(identities::isForeman).isPresent()) {
      throw RequestProblem.invalid(
          "A foreman can only be started by a dispatch: POST /factory/{uid}/runs");
    }
    return resolvedForDispatch(request);
  }

  /// The same for a run that is dispatched to a factory, which a foreman may execute.
  public NewRun resolvedForDispatch(NewRun request) {
    var run = identities.withIdentity(request);
    var config = run.config().orElseGet(ServiceJson::newObject);
    check(config, agents);
    var name = config.path(ENVIRONMENT).asText("");
    var environment = environments.find(name);
    // If no environments are configured, the agent's command may interpret the name.
    if (!environments.all().isEmpty() && environment.isEmpty()) {
      throw RequestProblem.invalid(environments.notFoundMessage(name));
    }
    return run.withConfig(run.config().map(ConfigMembers::inEffect))
        .withResolved(defaults(config, environment));
  }

  /// The same for a run that an agent starts. It must use the environment of its parent run. It can
  /// name only an agent of the same factory, which can have another environment.
  ///
  /// @param parent the parent run
  public NewRun resolvedForChild(NewRun request, RunRow parent) {
    request.identityUid().ifPresent(uid -> requireOfSameFactory(uid, parent));
    var own = request.config().map(it -> it.path(ENVIRONMENT).asText("")).orElse("");
    if (own.isBlank() && request.identityUid().isPresent()) {
      return resolved(request);
    }
    var parentEnvironment = environment(parent);
    var config = request.config().map(ObjectNode::deepCopy).orElseGet(ServiceJson::newObject);
    if (own.isBlank() && !parentEnvironment.isBlank()) {
      config.put(ENVIRONMENT, parentEnvironment);
    }
    var run = resolved(request.withConfig(Optional.of(config)));
    var chosen =
        environment(
            run.config().<JsonNode>map(it -> it).orElseGet(ServiceJson::newObject),
            Optional.of(run.resolved()));
    if (!chosen.equals(parentEnvironment)) {
      throw new RequestProblem(
          RequestProblem.Code.NOT_AUTHORIZED,
          "An agent can start runs only in the environment of its own run: leave environment_id"
              + " out");
    }
    return run;
  }

  private void requireOfSameFactory(String identityUid, RunRow parent) {
    if (parent.factoryUid().filter(it -> identities.isOfFactory(identityUid, it)).isEmpty()) {
      throw new RequestProblem(
          RequestProblem.Code.NOT_AUTHORIZED,
          "An agent can name only agents of its own factory: leave agent_identity_uid out");
    }
  }

  /// The uid of a run's environment; the requested name if no environments are configured; blank
  /// for none.
  public static String environment(RunRow run) {
    return environment(run.configNode(), run.resolved().map(ServiceJson::read));
  }

  private static String environment(JsonNode config, Optional<JsonNode> resolved) {
    return resolved
        .map(it -> it.path(ENVIRONMENT).asText(""))
        .filter(it -> !it.isBlank())
        .orElseGet(() -> config.path(ENVIRONMENT).asText(""));
  }

  /// The defaults to show in a run's configuration in addition to the requested members.
  private ObjectNode defaults(ObjectNode config, Optional<Environment> environment) {
    var resolved = ServiceJson.newObject();
    environment
        .filter(found -> !found.equals(Environment.NONE))
        .ifPresent(found -> resolved.put(ENVIRONMENT, found.uid()));
    var harness = config.path("harness");
    if (harness.path("type").asText("").isBlank()) {
      resolved.put("harness", agents.defaultType().value());
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
    ConfigMembers.check(config);
    var type = config.path("harness").path("type").asText("");
    var agent = agents.named(type).orElseThrow(() -> RequestProblem.invalid(agents.missing(type)));
    config
        .path("mcp_servers")
        .properties()
        .forEach(server -> checkServer(server.getKey(), server.getValue(), agent));
    checkSkill(config.path("skill_spec").asText(""));
    config.path("skills").forEach(skill -> checkSkill(skill.asText("")));
    var strategy = config.path("credential_strategy").asText("");
    if (!strategy.isEmpty() && !STRATEGIES.contains(new CredentialStrategy(strategy))) {
      throw RequestProblem.invalid("credential_strategy must be CREATOR or EXECUTOR");
    }
  }

  private static void checkServer(String name, JsonNode server, Harness agent) {
    if (Stream.of("warp_id", "command", "url").filter(server::hasNonNull).count() != 1) {
      throw RequestProblem.invalid(
          "The tool server " + name + " needs exactly one of warp_id, command or url");
    }
    // A command gets the configuration as sent, and may know the server.
    if (server.hasNonNull("warp_id") && !(agent instanceof CommandAgent)) {
      throw RequestProblem.invalid(AgentRefused.sharedServer(name).why());
    }
  }

  private static void checkSkill(String spec) {
    var path = spec.substring(spec.indexOf(':') + 1);
    if (!spec.isBlank()
        && (!SKILL.matcher(spec).matches()
            || path.isBlank()
            || List.of(path.split("/", -1)).contains(".."))) {
      throw RequestProblem.invalid(
          "skill_spec: a skill must be owner/repo:skill-name or owner/repo:path/to/SKILL.md");
    }
  }
}
