package dev.runnel.service.execution;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.service.agent.AgentEnvironment;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.RunService;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.text.Redactor;
import dev.runnel.wire.RunSource;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// The settings of the service.
///
/// @param workspaces the folder that contains one folder per run
/// @param apiKey the main API key
/// @param publicUrl the URL at which people reach Runnel; a supplier, because a free port is only
///   known after the start
/// @param command the agent's shell command; default: the first known agent on the `PATH`
/// @param environment the operator's variables; its `PATH` is searched, and [AgentEnvironment]
///   selects those that programs of runs receive
/// @param slots maximum number of concurrent executions at each depth
/// @param grace how long an agent may take to terminate before it is killed
/// @param environments the environments that runs can request
/// @param isolation how agents are isolated from the machine
/// @param access the permissions of the known agents; not enforced for a command
/// @param apiUrl the URL at which agents on this machine reach the service, with `/api/v1`
/// @param redactor removes secrets from the output of agents and setup commands; the API key, the
///   values of environment variables and the agents' logins are always removed
/// @param egress the hosts that isolated agents and setup commands reach, unless their environment
///   has a list of its own
/// @param sources the API's `source` of runs, by the name of Runnel's surface in their metadata
/// @param permissionRules the tools for which agents ask a person, unless their environment has
///   rules of its own
/// @param memory what may wait in memory on behalf of others
public record ServiceSettings(
    Path workspaces,
    String apiKey,
    Supplier<URI> publicUrl,
    Optional<String> command,
    Map<String, String> environment,
    int slots,
    Duration grace,
    Environments environments,
    Limits limits,
    Isolation isolation,
    AgentAccess access,
    List<Factory> factories,
    Supplier<URI> apiUrl,
    Redactor redactor,
    Map<String, RunSource> sources,
    EgressSetting egress,
    PermissionRules permissionRules,
    MemoryBudget memory) {
  private static final int DEFAULT_SLOTS = 4;
  private static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);

  public ServiceSettings {
    environment = Map.copyOf(environment);
    factories = List.copyOf(factories);
    sources = Map.copyOf(sources);
    redactor =
        redactor
            .and(List.of(apiKey))
            .and(environments.variableValues().values())
            .and(Agents.secrets(environment));
    if (apiKey.isBlank()) {
      throw new IllegalArgumentException("The service needs an API key that is not blank");
    }
    if (slots < 1) {
      throw new IllegalArgumentException("The service needs at least one slot, not " + slots);
    }
    if (grace.isNegative()) {
      throw new IllegalArgumentException("The grace time cannot be negative: " + grace);
    }
  }

  /// Settings without environments and isolation, with default limits and access.
  public ServiceSettings(
      Path workspaces,
      String apiKey,
      Supplier<URI> publicUrl,
      Optional<String> command,
      Map<String, String> environment,
      int slots,
      Duration grace) {
    this(
        workspaces,
        apiKey,
        publicUrl,
        command,
        environment,
        slots,
        grace,
        Environments.NONE,
        Limits.DEFAULT,
        new Isolation.None(),
        AgentAccess.WORKSPACE,
        List.of(),
        () -> URI.create(publicUrl.get().toString().replaceAll("(?<!/)/+$", "") + "/api/v1"),
        Redactor.PATTERNS,
        Map.of(),
        EgressSetting.PUBLIC,
        PermissionRules.NONE,
        MemoryBudget.ofThisProcess());
  }

  /// Default settings, with the environment variables of this process.
  public static ServiceSettings of(
      Path workspaces, String apiKey, Supplier<URI> publicUrl, Optional<String> command) {
    return new ServiceSettings(
        workspaces, apiKey, publicUrl, command, System.getenv(), DEFAULT_SLOTS, DEFAULT_GRACE);
  }

  /// The number of levels on which runs are executed: agents start those of the next one.
  public static final int LEVELS = RunService.MAX_DEPTH + 1;

  /// The variables that every program of a run receives.
  Map<String, String> baseVariables(ExecutionRequest executionRequest) {
    var variables = variables(AgentEnvironment.COMMON);
    variables.putAll(AgentEnvironment.of(executionRequest));
    return variables;
  }

  /// The operator's variables with these names, without those that hold tokens for git.
  Map<String, String> variables(List<String> names) {
    var variables = AgentEnvironment.pick(environment, names);
    variables.keySet().removeAll(environments.tokens());
    return variables;
  }

  /// The tools for which agents ask a person in an environment.
  PermissionRules permissionRules(Environment environment) {
    return environment.permissionRules().orElse(permissionRules);
  }

  /// Leaves out the key, the command and the environment.
  @Override
  public String toString() {
    return "ServiceSettings[workspaces=%s, slots=%d, grace=%s]".formatted(workspaces, slots, grace);
  }
}
