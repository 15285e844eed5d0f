package dev.runnel.service.execution;

import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Skill;
import dev.runnel.service.workspace.StoppedException;
import dev.runnel.service.workspace.Workspaces;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Lists the skills in the repositories of environments.
public record SkillCatalog(Spawner spawner, ServiceSettings settings, Workspaces workspaces) {
  /// Lists the skills of an environment; malformed ones carry their error. Runs git, and contacts
  /// the server of each repository that has no local clone yet.
  ///
  /// @param refresh whether to fetch from the servers even if a clone exists
  /// @throws IllegalStateException with git's error output if a repository cannot be fetched
  public List<Skill> of(Environment environment, boolean refresh) throws InterruptedException {
    var executionRequest = ExecutionRequest.internal("skills-" + UUID.randomUUID());
    var context =
        new SetupRunner.Context(
            executionRequest,
            environment,
            workspaces,
            settings.baseVariables(executionRequest),
            Map.of(),
            ExecutionNetwork.MACHINE_NETWORK,
            settings.redactor(),
            _ -> {},
            () -> false);
    try {
      return workspaces.skills(
          environment, refresh, new SetupRunner(spawner, context, settings, Optional.empty()));
    } catch (StoppedException e) {
      throw new IllegalStateException("The repositories did not respond in time", e);
    }
  }
}
