package dev.runnel.service.execution;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.AgentRefused;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.agent.Launch;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.egress.PushWitness;
import dev.runnel.service.execution.ExecutionProcesses.StopReason;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.output.LimitWatch;
import dev.runnel.service.output.OutputRecorder;
import dev.runnel.service.output.PermissionRequests;
import dev.runnel.service.output.RunCost;
import dev.runnel.service.output.Steering;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.PreparedWorkspace;
import dev.runnel.service.workspace.PushedBranches;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.wire.RunMode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One execution of a run, from the claimed row to the recorded result.
final class Execution {
  private static final Logger log = LoggerFactory.getLogger(Execution.class);
  private static final Duration OUTPUT_PATIENCE = Duration.ofSeconds(2);
  private static final Duration CLAIM_PATIENCE = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration FREEING = Duration.ofSeconds(30);

  private final Spawner spawner;
  private final ExecutionRequest executionRequest;
  private final Agents agents;
  private final ServiceSettings settings;
  private final ExecutionRecords records;
  private final RunQueries index;
  private final RunWatchers watchers;
  private final Workspaces workspaces;
  private final Optional<Snapshots> snapshots;
  private final String place;
  private final ExecutionProcesses processes;
  private final AgentSite.Factory sites;
  private final ResultCollector results;
  // Confined to the worker thread: whether the workspace is in use.
  private boolean entered;
  // Confined to the worker thread: the agent that may have worked in the workspace.
  private Optional<Harness> begun = Optional.empty();
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile Optional<ExecutionResult> givenUp = Optional.empty();

  /// @param snapshots where workspaces are kept for other nodes; empty to keep none
  /// @param place where the workspaces are, see [dev.runnel.service.run.NodeIdentity#place]
  Execution(
      Spawner spawner,
      ExecutionRequest executionRequest,
      Agents agents,
      ApiKeys keys,
      ServiceSettings settings,
      ExecutionRecords records,
      RunQueries index,
      RunWatchers watchers,
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      String place) {
    this.spawner = spawner;
    this.executionRequest = executionRequest;
    this.agents = agents;
    this.settings = settings;
    this.records = records;
    this.index = index;
    this.watchers = watchers;
    this.workspaces = workspaces;
    this.snapshots = snapshots;
    this.place = place;
    this.processes = new ExecutionProcesses(spawner, executionRequest, settings);
    this.sites = new AgentSite.Factory(executionRequest, settings, keys, workspaces);
    this.results =
        new ResultCollector(executionRequest, records, index, workspaces, settings.redactor());
  }

  /// Executes the run until all its processes have ended, and records the result.
  void run() {
    spawner.enter(executionRequest.runId());
    var isRecorded = false;
    try {
      var executionResult = ending();
      if (processes.isAnyLeft()) {
        log.error("processes left for the next start run={}", executionRequest.runId());
      } else {
        isRecorded = finish(givenUp.orElse(executionResult)).isPresent();
      }
    } finally {
      spawner.leave(executionRequest.runId());
      over.countDown();
      try {
        if (isRecorded) {
          keepWorkspace();
        }
      } finally {
        // Measuring the workspace takes time, so it comes after the result is recorded.
        if (entered) {
          workspaces.release(executionRequest.runId());
        }
      }
    }
  }

  /// Keeps the workspace for other nodes. The end has been recorded: nobody waits for a volume to
  /// learn it, and the next execution on this node waits for the workspace, which is in use.
  private void keepWorkspace() {
    if (snapshots.isEmpty() || begun.isEmpty() || place.isEmpty() || givenUp.isPresent()) {
      return;
    }
    try {
      workspaces.keep(
          executionRequest.runId(),
          executionRequest.execution(),
          settings.isolation().isOn() ? begun.get().sessions() : List.of(),
          snapshots.get());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return the run's state; empty if the claim did not hold any more
  private Optional<ExecutionState> finish(ExecutionResult executionResult) {
    while (true) {
      if (givenUp.isPresent()) {
        // There may be no space to record the result until the workspace is deleted.
        freeWorkspace();
      }
      try {
        return processes.reason() == StopReason.SHUTDOWN
                || processes.reason() == StopReason.NODE_LOST
            ? records.giveBack(executionRequest.claim(), executionResult)
            : records.finish(executionRequest.claim(), executionResult);
      } catch (DatabaseException | OutOfMemoryError e) {
        if (processes.reason() == StopReason.SHUTDOWN) {
          throw e;
        }
        log.warn("cannot record end of execution, will retry run={}", executionRequest.runId(), e);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /// Ends the processes; returns when they have ended or could not be killed. The caller must have
  /// recorded the cancellation request.
  void cancel() {
    processes.stop(StopReason.CANCELLED);
  }

  /// Ends the processes because the service is stopping.
  void leave() {
    processes.stop(StopReason.SHUTDOWN);
  }

  /// Ends the processes at once, because others may soon go on with the run.
  void abandon() {
    processes.stop(StopReason.NODE_LOST);
  }

  /// Ends the processes at once and has the workspace deleted, because disk space is needed.
  /// Returns when the result is recorded, or after a time that is usually enough.
  void giveUp(ExecutionResult why) throws InterruptedException {
    givenUp = Optional.of(why);
    processes.stopUnlessStopped(StopReason.LIMIT, Duration.ZERO);
    if (!over.await(FREEING.toSeconds(), TimeUnit.SECONDS)) {
      log.warn("workspace not deleted in time run={}", executionRequest.runId());
    }
  }

  private void freeWorkspace() {
    try {
      workspaces.delete(executionRequest.runId());
    } catch (IOException e) {
      log.error("cannot delete workspace run={}", executionRequest.runId(), e);
    }
  }

  private ExecutionResult ending() {
    try {
      return prepareAndWork(agents.of(executionRequest));
    } catch (AgentRefused e) {
      log.info("agent not available as requested run={}", executionRequest.runId());
      return ExecutionResult.notSetUp(e.why());
    } catch (IOException e) {
      log.error("cannot set up agent run={}", executionRequest.runId(), e);
      return ExecutionResult.notSetUp("The agent could not be set up here.");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return ExecutionResult.restarted();
    } catch (ClaimLost e) {
      log.warn("execution ended by another node run={}", executionRequest.runId());
      processes.giveReason(StopReason.NODE_LOST);
      processes.endAll();
      return ExecutionResult.lost();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.error("unexpected error in execution run={}", executionRequest.runId(), e);
      processes.endAll();
      return Spawner.ending(e);
    }
  }

  private ExecutionResult prepareAndWork(Harness harness) throws IOException, InterruptedException {
    var environments = settings.environments();
    // The command receives the names of environment and skill in its configuration, and may
    // interpret them.
    var isItsOwn = environments.all().isEmpty() && harness instanceof CommandAgent;
    var found = environments.find(isItsOwn ? "" : executionRequest.environmentId());
    if (found.isEmpty()) {
      return ExecutionResult.notSetUp(environments.noneIs(executionRequest.environmentId()));
    }
    var chosen = found.get();
    var problem = settings.isolation().problem(chosen);
    if (problem.isPresent()) {
      return ExecutionResult.notSetUp(problem.get());
    }
    var rules = settings.permissionRules(chosen);
    if (!rules.isEmpty() && !harness.asksForPermission()) {
      return ExecutionResult.notSetUp(
          ("agents.ask names tools for which a person is asked, and the agent %s cannot ask. Use"
                  + " Claude Code, or an environment with an empty list in ask.")
              .formatted(harness.name()));
    }
    var row = index.find(executionRequest.runId());
    if (row.map(RunRow::cancelAsked).orElse(true)) {
      // Cancelled before this execution was registered, so nobody could notify it.
      return ExecutionResult.cancelled();
    }
    var tooMuch = RunCost.refuse(settings.limits().cost(), row.get());
    if (tooMuch.isPresent()) {
      return tooMuch.get();
    }
    var witness = new PushWitness(this::pushed);
    try (var network =
        ExecutionNetwork.open(settings, executionRequest, harness, chosen, witness)) {
      var result = prepareAndWork(harness, chosen, isItsOwn, network);
      note(network.notes());
      return result;
    }
  }

  private ExecutionResult prepareAndWork(
      Harness harness, Environment chosen, boolean isItsOwn, ExecutionNetwork network)
      throws IOException, InterruptedException {
    entered = true;
    var moved = isElsewhere();
    var kept = Optional.<Snapshots.Outcome>empty();
    if (moved) {
      // What is here is older than what another node did.
      workspaces.deleteOutdated(executionRequest.runId());
      if (snapshots.isPresent()) {
        kept =
            Optional.of(
                workspaces.restore(
                    executionRequest.runId(), snapshots.get(), settings.limits().diskBytes()));
      }
    }
    var hadHome = workspaces.hasHome(executionRequest.runId());
    var skill = isItsOwn ? "" : executionRequest.skillSpec();
    var prepared =
        workspaces.prepare(
            executionRequest.runId(),
            chosen,
            skill,
            bench(chosen, network, settings.limits().start()));
    if (prepared instanceof PreparedWorkspace.Ready ready) {
      return work(harness, sites.create(harness, chosen, ready, hadHome, network), moved, kept);
    }
    // Processes that a setup command left running were only meant for the agent.
    processes.endAll();
    return switch (prepared) {
      case PreparedWorkspace.Failed(String why) ->
          ExecutionResult.notSetUp(settings.redactor().redact(why));
      case PreparedWorkspace.Late(String during) ->
          ExecutionResult.outOfTime(late(settings.redactor().redact(during)));
      case PreparedWorkspace.Stopped _, PreparedWorkspace.Ready _ ->
          stopped().orElseGet(ExecutionResult::cancelled);
    };
  }

  /// The result if this node must not go on with the execution.
  private Optional<ExecutionResult> stopped() {
    return switch (processes.reason()) {
      case SHUTDOWN -> Optional.of(ExecutionResult.restarted());
      case NODE_LOST -> Optional.of(ExecutionResult.lost());
      case NONE, CANCELLED, INTERRUPTED, LIMIT -> Optional.empty();
    };
  }

  /// Whether the last execution worked in a workspace that this node does not have.
  private boolean isElsewhere() {
    return executionRequest.execution() > 1
        && index.place(executionRequest.runId()).filter(it -> !it.equals(place)).isPresent();
  }

  /// What is there once the agent can be started.
  private record Prepared(
      Harness harness,
      AgentSite site,
      LaunchFiles launchFiles,
      ExecutionRequest request,
      Launch launch) {}

  /// @param moved whether another node has the workspace
  /// @param kept what became of its snapshot; empty if there are no snapshots
  private ExecutionResult work(
      Harness harness, AgentSite site, boolean moved, Optional<Snapshots.Outcome> kept)
      throws IOException, InterruptedException {
    HandedFiles.makeFolder(site.ready().root());
    var briefing = new AgentBriefing(executionRequest, harness, site, moved, kept, index);
    briefing.notes().forEach(this::say);
    try (var launchFiles = launchFiles(site)) {
      var request = briefing.compose(launchFiles);
      var launch = harness.launch(request, launchFiles);
      var outputParser = harness.outputParser(request, launchFiles);
      var isCancelled = records.begin(executionRequest);
      begun = Optional.of(harness);
      if (isCancelled) {
        processes.endAll();
        return ExecutionResult.cancelled();
      }
      return supervise(new Prepared(harness, site, launchFiles, request, launch), outputParser);
    }
  }

  private LaunchFiles launchFiles(AgentSite site) throws IOException {
    return new LaunchFiles(
        settings.workspaces().resolveSibling("agents").resolve(executionRequest.runId()),
        site.ready().folder(),
        site.surroundings(),
        settings.access(),
        settings.permissionRules(site.chosen()),
        site.home().isPresent(),
        !(settings.isolation() instanceof Isolation.Remote));
  }

  /// Starts the agent, waits until it and all its processes have ended, and collects what it made.
  private ExecutionResult supervise(Prepared prepared, Harness.OutputParser outputParser)
      throws InterruptedException, IOException {
    var ready = prepared.site().ready();
    var before = index.find(executionRequest.runId()).orElseThrow();
    var steering =
        new Steering(
            executionRequest,
            outputParser,
            records,
            watchers,
            () -> stopAtWork(StopReason.INTERRUPTED));
    var permissionRequests =
        new PermissionRequests(executionRequest, outputParser, steering, records);
    var recorder =
        new OutputRecorder(
            spawner,
            executionRequest,
            prepared.harness(),
            outputParser,
            steering,
            permissionRequests,
            ready.root(),
            ready.folder(),
            records,
            settings.redactor());
    try (steering;
        var watch =
            new LimitWatch(
                spawner,
                settings.limits(),
                recorder,
                this::charged,
                RunCost.of(settings.limits().cost(), before, recorder),
                () -> stopAtWork(StopReason.LIMIT))) {
      var began = WorkspaceChanges.start(ready.root());
      var notStarted = tryToStart(prepared, watch, steering, recorder);
      if (notStarted.isPresent()) {
        return notStarted.get();
      }
      var working = processes.current().orElseThrow();
      var status = working.awaitExit();
      // When the agent ends, all processes that it started are ended, too, with a grace time.
      processes.endAll();
      working.awaitOutput(OUTPUT_PATIENCE);
      var summary = recorder.finish();
      if (steering.isPossible()
          && recorder.hasStoredAll()
          && processes.reason() != StopReason.NODE_LOST) {
        records.withdrawOffers(executionRequest);
      }
      var stopped = stopped();
      if (stopped.isPresent()) {
        return stopped.get();
      }
      var failure = recorder.failure().or(working::failure);
      if (failure.isPresent()) {
        return Spawner.ending(failure.get());
      }
      collect(prepared, began, summary);
      if (processes.reason() == StopReason.INTERRUPTED) {
        return ExecutionResult.cancelled();
      }
      return watch
          .reached()
          .or(working::problem)
          .or(() -> permissionRequests.wanted().map(results::askAbout))
          .orElseGet(() -> ending(prepared, status, summary));
    }
  }

  /// @return the result if the agent could not be started
  private Optional<ExecutionResult> tryToStart(
      Prepared prepared, LimitWatch watch, Steering steering, OutputRecorder recorder)
      throws InterruptedException {
    try {
      start(prepared, watch, steering);
      return Optional.empty();
    } catch (IOException e) {
      processes.endAll();
      recorder.finish();
      var agent = prepared.harness().name();
      log.error("cannot start agent run={} agent={}", executionRequest.runId(), agent, e);
      return Optional.of(
          ExecutionResult.notSetUp("The agent " + agent + " could not be started here."));
    } catch (RuntimeException | OutOfMemoryError e) {
      processes.endAll();
      recorder.finish();
      throw e;
    }
  }

  /// Collects what the agent made, and what was seen of its work.
  private void collect(Prepared prepared, Instant began, OutputRecorder.Summary summary)
      throws InterruptedException {
    collectPullRequests(summary.pullRequests(), prepared.site());
    var root = prepared.site().ready().root();
    try {
      if (processes.reason() != StopReason.CANCELLED) {
        results.collectFiles(root);
      }
      results.collectEvidence(prepared.harness(), root, began, summary);
    } catch (DatabaseException e) {
      // The disk may be full until this workspace is deleted, and the run's end matters more.
      log.warn("nothing collected run={} why={}", executionRequest.runId(), e.toString());
    }
  }

  /// What counts to the limit of disk space.
  private long charged() throws IOException {
    var unlinked = processes.current().map(RunningProcess::unlinkedBytes).orElse(0L);
    return workspaces.charged(executionRequest.runId()) + unlinked;
  }

  private void pushed(PushWitness.Push push) {
    workspaces.pushed(
        executionRequest.runId(),
        new PushedBranches.Push(push.repository().toString(), push.branch(), push.commit()));
  }

  private void collectPullRequests(List<String> mentioned, AgentSite site)
      throws InterruptedException {
    if (!mentioned.isEmpty() && !site.chosen().repositories().isEmpty() && !processes.isStopped()) {
      var git = bench(site.chosen(), ExecutionNetwork.OF_THE_MACHINE, CLAIM_PATIENCE);
      results.collectPullRequests(mentioned, site, git);
    }
  }

  private void note(List<String> notes) {
    if (notes.isEmpty()) {
      return;
    }
    var entries =
        notes.stream()
            .map(each -> new Entry(TranscriptLine.Kind.NOTE, settings.redactor().redact(each)))
            .toList();
    try {
      records.recordOutput(
          executionRequest,
          new ExecutionRecords.NewOutput(
              entries, Optional.empty(), List.of(), Optional.empty(), Usage.NONE));
    } catch (DatabaseException e) {
      log.warn("cannot record hosts run={}", executionRequest.runId(), e);
    }
  }

  private void say(String note) {
    records.recordOutput(
        executionRequest,
        new ExecutionRecords.NewOutput(
            List.of(new Entry(TranscriptLine.Kind.NOTE, note)),
            Optional.of(note),
            List.of(),
            Optional.empty(),
            Usage.NONE));
  }

  private ExecutionResult ending(Prepared prepared, int status, OutputRecorder.Summary summary) {
    var executionResult = summary.ending(prepared.harness(), status);
    // The agent could not resume its session. Every later attempt would fail in the same way.
    var isLost =
        prepared.request().agentSession().isPresent()
            && !summary.hasSession()
            && executionResult.phase() == ExecutionState.FAILED
            && processes.reason() == StopReason.NONE;
    if (!isLost) {
      return executionRequest.mode().equals(RunMode.PLAN)
          ? results.collectPlan(executionResult)
          : executionResult;
    }
    records.forgetSession(executionRequest);
    return ExecutionResult.failed(
        executionResult.message()
            + "\nThe agent could not go on with its session. Reply to work on in the same folder"
            + " with a new one.");
  }

  private void start(Prepared prepared, LimitWatch watch, Steering steering) throws IOException {
    var harness = prepared.harness();
    var launch = prepared.launch();
    var site = prepared.site();
    var started =
        new Launcher(spawner, settings.isolation())
            .start(
                executionRequest,
                launch.command(),
                site.place(executionRequest, harness, launch, prepared.launchFiles()),
                site.ready().folder(),
                site.environment(settings.variables(settings.isolation().variables()), launch),
                launch.input(),
                watch);
    watch.start();
    steering.begin(spawner, started);
    log.info(
        "execution started run={} execution={} agent={} pid={}",
        executionRequest.runId(),
        executionRequest.execution(),
        harness.name(),
        started.pid());
    processes.register(started);
    var cancelled =
        records.launched(
            executionRequest, started.pid(), started.startedAt(), steering.isPossible());
    if (cancelled) {
      started.end(settings.grace());
    }
  }

  /// @param network the network of setup commands
  private SetupRunner bench(Environment chosen, ExecutionNetwork network, Duration limit) {
    return new SetupRunner(
        spawner,
        new SetupRunner.Around(
            executionRequest,
            chosen,
            workspaces,
            settings.surroundings(executionRequest),
            settings.environments().variables(chosen),
            network,
            settings.redactor(),
            processes::register,
            processes::isStopped),
        settings,
        Optional.of(records),
        limit);
  }

  private void stopAtWork(StopReason reason) {
    log.info(
        "execution stopped run={} execution={} why={}",
        executionRequest.runId(),
        executionRequest.execution(),
        reason);
    processes.stopUnlessStopped(reason, settings.grace());
  }

  private String late(String during) {
    return "The agent did not start within %s; the limit is agents.limits.start. It was busy with: %s"
        .formatted(Limits.words(settings.limits().start()), during);
  }
}
