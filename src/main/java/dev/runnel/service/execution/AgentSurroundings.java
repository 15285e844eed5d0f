package dev.runnel.service.execution;

import dev.runnel.service.agent.Harness;
import dev.runnel.service.agent.Launch;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.PreparedWorkspace;
import dev.runnel.service.workspace.RunHome;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The place where the agent of one execution works: workspace, variables, home folder and network.
///
/// @param grantedVariables the variables of its environment, the agent's login and the network
/// @param variables all variables, including the granted ones
/// @param home the folders of the run; empty without isolation
/// @param mayHaveSession whether the agent may find its session of an earlier execution; false if
///   the home folder is new
record AgentSurroundings(
    Environment environment,
    PreparedWorkspace.Ready ready,
    Map<String, String> grantedVariables,
    Map<String, String> variables,
    Optional<RunHome> home,
    boolean mayHaveSession,
    ExecutionNetwork network) {

  /// Creates the site of an execution.
  record Factory(
      ExecutionRequest request, ServiceSettings settings, ApiKeys keys, Workspaces workspaces) {
    /// @param hadHome whether the run had a home folder before
    AgentSurroundings create(
        Harness harness,
        Environment environment,
        PreparedWorkspace.Ready ready,
        boolean hadHome,
        ExecutionNetwork network)
        throws IOException {
      var grantedVariables = new HashMap<>(settings.variables(harness.variables()));
      grantedVariables.putAll(settings.environments().variables(environment));
      if (request.mayStartRuns()) {
        // This key is only valid for descendants of this run.
        var key = keys.issue("run " + request.runId(), "below", Optional.of(request.runId()));
        grantedVariables.put("RUNNEL_AGENT_API_URL", settings.apiUrl().get().toString());
        grantedVariables.put("RUNNEL_AGENT_API_KEY", key.secret());
      }
      var variables = new HashMap<>(settings.baseVariables(request));
      variables.putAll(grantedVariables);
      variables.put(HandedFiles.VARIABLE, HandedFiles.folder(ready.root()).toString());
      var home =
          settings.isolation().givesHomes()
              ? Optional.of(home(harness, environment, network))
              : Optional.<RunHome>empty();
      home.ifPresent(
          it -> {
            variables.keySet().removeAll(harness.folderVariables());
            grantedVariables.keySet().removeAll(harness.folderVariables());
            variables.putAll(settings.isolation().variables(it));
            var networkVariables = network.variables(variables);
            variables.putAll(networkVariables);
            grantedVariables.putAll(networkVariables);
          });
      if (!ready.skills().isEmpty()) {
        variables.put(
            "RUNNEL_SKILL_FILE",
            ready.skills().stream()
                .map(each -> each.file().toString())
                .collect(Collectors.joining("\n")));
      }
      return new AgentSurroundings(
          environment,
          ready,
          grantedVariables,
          variables,
          home,
          home.isEmpty() || hadHome,
          network);
    }

    /// Prepares the run's own home folder: the agent's login and the operator's files.
    private RunHome home(Harness harness, Environment environment, ExecutionNetwork network)
        throws IOException {
      var home = workspaces.home(request.runId(), environment);
      for (var login : harness.loginFiles(settings.environment())) {
        home.copy(login.source(), login.target());
        home.change(login.target(), network::loginFile);
      }
      OperatorFiles.copyTo(home, settings);
      return home;
    }
  }

  /// The variables of the agent's process.
  ///
  /// @param isolation the variables that the isolation itself needs
  Map<String, String> allVariables(Map<String, String> isolation, Launch launch) {
    var all = new HashMap<>(isolation);
    all.putAll(variables);
    all.putAll(launch.environment());
    return all;
  }

  /// The place for the isolation; empty without isolation.
  Optional<Isolation.Place> place(
      ExecutionRequest request, Harness harness, Launch launch, LaunchFiles launchFiles) {
    var names = new HashSet<>(grantedVariables.keySet());
    names.addAll(launch.environment().keySet());
    return home.map(
        it ->
            new Isolation.Place(
                request,
                ready.root(),
                ready.folder(),
                environment,
                names,
                harness.readable(launchFiles),
                it,
                network.network(),
                harness.speaksAlone()));
  }
}
