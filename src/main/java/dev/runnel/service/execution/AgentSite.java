package dev.runnel.service.execution;

import dev.runnel.service.agent.Harness;
import dev.runnel.service.agent.Launch;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.GitIdentity;
import dev.runnel.service.workspace.PreparedWorkspace;
import dev.runnel.service.workspace.RunHome;
import dev.runnel.service.workspace.Workspaces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;

/// Where the agent of one execution works: its workspace, variables, home folder and network.
///
/// @param lent the variables of its environment, of the agent's login and of its network
/// @param surroundings all variables, including the lent ones
/// @param home the folders of the run; empty without isolation
/// @param keptSession whether the agent's session of an earlier execution can be where the agent
///   looks for it: not in a home folder that is new
record AgentSite(
    Environment chosen,
    PreparedWorkspace.Ready ready,
    Map<String, String> lent,
    Map<String, String> surroundings,
    Optional<RunHome> home,
    boolean keptSession,
    ExecutionNetwork network) {
  private static final String GIT_CONFIG = ".gitconfig";

  /// Makes the sites of one execution.
  record Factory(
      ExecutionRequest request, ServiceSettings settings, ApiKeys keys, Workspaces workspaces) {
    /// @param hadHome whether the run had a home folder before
    AgentSite create(
        Harness harness,
        Environment chosen,
        PreparedWorkspace.Ready ready,
        boolean hadHome,
        ExecutionNetwork network)
        throws IOException {
      var lent = new HashMap<>(settings.variables(harness.variables()));
      lent.putAll(settings.environments().variables(chosen));
      if (request.mayStartRuns()) {
        // This key is only valid for runs below this one.
        var key = keys.issue("run " + request.runId(), "below", Optional.of(request.runId()));
        lent.put("RUNNEL_AGENT_API_URL", settings.apiUrl().get().toString());
        lent.put("RUNNEL_AGENT_API_KEY", key.secret());
      }
      var surroundings = new HashMap<>(settings.surroundings(request));
      surroundings.putAll(lent);
      surroundings.put(HandedFiles.VARIABLE, HandedFiles.folder(ready.root()).toString());
      var home =
          settings.isolation().isOn()
              ? Optional.of(home(harness, chosen, network))
              : Optional.<RunHome>empty();
      home.ifPresent(
          it -> {
            surroundings.keySet().removeAll(harness.movingVariables());
            lent.keySet().removeAll(harness.movingVariables());
            surroundings.putAll(Isolation.variables(it));
            var ofNetwork = network.variables(surroundings);
            surroundings.putAll(ofNetwork);
            lent.putAll(ofNetwork);
          });
      ready
          .skill()
          .ifPresent(skill -> surroundings.put("RUNNEL_SKILL_FILE", skill.file().toString()));
      return new AgentSite(
          chosen, ready, lent, surroundings, home, home.isEmpty() || hadHome, network);
    }

    /// Prepares the run's own home folder: the agent's login and the name for commits.
    private RunHome home(Harness harness, Environment chosen, ExecutionNetwork network)
        throws IOException {
      var home = workspaces.home(request.runId(), chosen);
      for (var login : harness.logins(settings.environment())) {
        home.copy(login.from(), login.place());
        home.change(login.place(), network::loginFile);
      }
      var operators = Optional.ofNullable(settings.environment().get("HOME")).map(Path::of);
      if (operators.isPresent()) {
        for (var file : settings.isolation().homeFiles()) {
          home.copy(operators.get().resolve(file), file);
        }
        var identity = GitIdentity.of(operators.get().resolve(GIT_CONFIG));
        if (identity.isPresent()) {
          home.write(GIT_CONFIG, identity.get());
        }
      }
      return home;
    }
  }

  /// The environment of the agent's process.
  ///
  /// @param isolation the variables that the isolation itself needs
  Map<String, String> environment(Map<String, String> isolation, Launch launch) {
    var environment = new HashMap<>(isolation);
    environment.putAll(surroundings);
    environment.putAll(launch.environment());
    return environment;
  }

  /// What the isolation shows to the agent; empty without isolation.
  Optional<Isolation.Place> place(
      ExecutionRequest request, Harness harness, Launch launch, LaunchFiles launchFiles) {
    var names = new HashSet<>(lent.keySet());
    names.addAll(launch.environment().keySet());
    return home.map(
        it ->
            new Isolation.Place(
                request,
                ready.root(),
                ready.folder(),
                chosen,
                names,
                harness.readable(launchFiles),
                it,
                network.network()));
  }
}
