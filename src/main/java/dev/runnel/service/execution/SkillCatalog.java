package dev.runnel.service.execution;

import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunShares;
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
import java.util.concurrent.locks.ReentrantLock;

/// Lists the skills in the repositories of environments, one environment at a time.
public final class SkillCatalog {
  private final Spawner spawner;
  private final ServiceSettings settings;
  private final Workspaces workspaces;
  private final RunShares shares;
  private final ReentrantLock listing = new ReentrantLock();

  /// @param shares with a part for the listing
  public SkillCatalog(
      Spawner spawner, ServiceSettings settings, Workspaces workspaces, RunShares shares) {
    this.spawner = spawner;
    this.settings = settings;
    this.workspaces = workspaces;
    this.shares = shares;
  }

  public ServiceSettings settings() {
    return settings;
  }

  /// Lists the skills of an environment; malformed ones carry their error. Runs git, and contacts
  /// the server of each repository that has no local clone yet.
  ///
  /// @param refresh whether to fetch from the servers even if a clone exists
  /// @throws IllegalStateException with git's error output if a repository cannot be fetched
  public List<Skill> of(Environment environment, boolean refresh) throws InterruptedException {
    listing.lockInterruptibly();
    try (var memory = shares.openListing()) {
      return of(environment, refresh, memory);
    } finally {
      listing.unlock();
    }
  }

  private List<Skill> of(Environment environment, boolean refresh, RunMemory memory)
      throws InterruptedException {
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
            () -> false,
            memory);
    try {
      return workspaces.skills(
          environment, refresh, new SetupRunner(spawner, context, settings, Optional.empty()));
    } catch (StoppedException e) {
      throw new IllegalStateException("The repositories did not respond in time", e);
    }
  }
}
