package dev.runnel.service.execution;

import dev.runnel.service.agent.AgentEnvironment;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.Limits;
import dev.runnel.service.workspace.Environments;
import dev.runnel.text.Redactor;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// What the service needs to know.
///
/// @param workspaces the folder that holds one folder a run
/// @param apiKey the bearer key of every request
/// @param publicUrl how people reach this Runnel; asked late, since a free port is known late
/// @param command the agent, for the shell; without it the first known agent on the `PATH` works
/// @param environment the operator's variables; its `PATH` is searched, and [AgentEnvironment] says
///     which of them reach programs of runs
/// @param slots how many agents work at once
/// @param grace how long an agent may take to end when told to, before it is killed
/// @param environments what runs may work in
/// @param isolation what keeps agents apart from the machine
/// @param access how far the known agents may reach; a command is not held back
/// @param apiUrl how agents on this machine reach the service, with `/api/v1`
/// @param redactor takes out of all that agents and setup commands say what is secret; the key,
///     the values of lent variables and agents' logins always are
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
    Redactor redactor) {
  private static final int USUAL_SLOTS = 4;
  private static final Duration USUAL_GRACE = Duration.ofSeconds(10);

  public ServiceSettings {
    environment = Map.copyOf(environment);
    factories = List.copyOf(factories);
    redactor =
        redactor
            .and(List.of(apiKey))
            .and(environments.lent().values())
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

  /// Without environments and isolation, within the usual limits and reach.
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
        Limits.USUAL,
        new Isolation.None(),
        AgentAccess.WORKSPACE,
        List.of(),
        () -> URI.create(publicUrl.get().toString().replaceAll("/+$", "") + "/api/v1"),
        Redactor.SHAPES);
  }

  /// With what is usual, in the environment of this process.
  public static ServiceSettings of(
      Path workspaces, String apiKey, Supplier<URI> publicUrl, Optional<String> command) {
    return new ServiceSettings(
        workspaces, apiKey, publicUrl, command, System.getenv(), USUAL_SLOTS, USUAL_GRACE);
  }

  /// What every program of a run finds in its environment.
  Map<String, String> surroundings(ExecutionRequest executionRequest) {
    var variables = variables(AgentEnvironment.COMMON);
    variables.putAll(AgentEnvironment.of(executionRequest));
    return variables;
  }

  /// The operator's variables of these names, without those that hold git's tokens.
  Map<String, String> variables(List<String> names) {
    var variables = AgentEnvironment.pick(environment, names);
    variables.keySet().removeAll(environments.tokens());
    return variables;
  }

  /// Never the key, the command or the environment.
  @Override
  public String toString() {
    return "ServiceSettings[workspaces=%s, slots=%d, grace=%s]".formatted(workspaces, slots, grace);
  }
}
