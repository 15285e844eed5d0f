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
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.output.LimitWatch;
import dev.runnel.service.output.OutputCollector;
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
  private static final Duration OUTPUT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration PULL_REQUEST_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
  private static final Duration EVICTION_TIMEOUT = Duration.ofSeconds(30);

  private final ExecutionRequest executionRequest;
  private final Spawner spawner;
  private final Agents agents;
  private final ServiceSettings settings;
  private final ExecutionRecords records;
  private final RunQueries queries;
  private final RunWatchers watchers;
  private final Workspaces workspaces;
  private final Optional<Snapshots> snapshots;
  private final String place;
  private final RunMemory memory;
  private final ExecutionProcesses processes;
  private final AgentSurroundings.Factory sites;
  private final ResultCollector results;
  // Confined to the worker thread: whether the workspace is in use.
  private boolean isWorkspaceInUse;
  // Confined to the worker thread: the agent that may have changed the workspace.
  private Optional<Harness> startedAgent = Optional.empty();
  private final CountDownLatch hasEnded = new CountDownLatch(1);
  private volatile Optional<ExecutionResult> evictionResult = Optional.empty();

  /// @param memory for its output and input, which the caller closes
  Execution(ExecutionRequest executionRequest, ExecutionContext context, RunMemory memory) {
    this.executionRequest = executionRequest;
    this.spawner = context.spawner();
    this.agents = context.agents();
    this.settings = context.settings();
    this.records = context.records();
    this.queries = context.queries();
    this.watchers = context.watchers();
    this.workspaces = context.workspaces();
    this.snapshots = context.snapshots();
    this.place = context.place();
    this.memory = memory;
    this.processes = new ExecutionProcesses(spawner, executionRequest, settings);
    this.sites =
        new AgentSurroundings.Factory(executionRequest, settings, context.keys(), workspaces);
    this.results =
        new ResultCollector(executionRequest, records, queries, workspaces, settings.redactor());
  }

  /// Executes the run until all its processes have ended, and records the result.
  void run() {
    spawner.enter(executionRequest.runId());
    var isRecorded = false;
    try {
      var executionResult = execute();
      if (processes.areProcessesLeft()) {
        log.error("processes left, the next start will end them run={}", executionRequest.runId());
      } else {
        isRecorded = finish(evictionResult.orElse(executionResult)).isPresent();
      }
    } finally {
      spawner.leave(executionRequest.runId());
      hasEnded.countDown();
      try {
        if (isRecorded) {
          saveSnapshot();
        }
      } finally {
        // Measuring the workspace takes time, so it is done after the result is recorded.
        if (isWorkspaceInUse) {
          workspaces.release(executionRequest.runId());
        }
      }
    }
  }

  /// Saves a snapshot of the workspace for other nodes. Called after the result is recorded, so
  /// that a slow volume does not delay it. The next execution on this node waits, because the
  /// workspace is in use.
  private void saveSnapshot() {
    if (snapshots.isEmpty()
        || startedAgent.isEmpty()
        || place.isEmpty()
        || evictionResult.isPresent()) {
      return;
    }
    try {
      workspaces.saveSnapshot(
          executionRequest.runId(),
          executionRequest.execution(),
          settings.isolation().givesHomes() ? startedAgent.get().sessionPaths() : List.of(),
          snapshots.get());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return the run's state; empty if the claim was no longer valid
  private Optional<ExecutionState> finish(ExecutionResult executionResult) {
    while (true) {
      if (evictionResult.isPresent()) {
        // There may be no space to record the result until the workspace is deleted.
        deleteWorkspace();
      }
      try {
        return processes.reason() == StopReason.SHUTDOWN
                || processes.reason() == StopReason.NODE_LOST
            ? records.returnToQueue(executionRequest.claim(), executionResult)
            : records.finish(executionRequest.claim(), executionResult);
      } catch (DatabaseException | OutOfMemoryError e) {
        if (processes.reason() == StopReason.SHUTDOWN) {
          throw e;
        }
        log.warn("cannot record end of execution, will retry run={}", executionRequest.runId(), e);
        LockSupport.parkNanos(RETRY_DELAY.toNanos());
      }
    }
  }

  /// Ends the processes; returns when they have ended or could not be killed. The caller must have
  /// recorded the cancellation request.
  void cancel() {
    processes.stop(StopReason.CANCELLED);
  }

  /// Ends the processes because the service is stopping.
  void shutDown() {
    processes.stop(StopReason.SHUTDOWN);
  }

  /// Ends the processes at once, because other nodes may soon continue the run.
  void abandon() {
    processes.stop(StopReason.NODE_LOST);
  }

  /// Ends the processes at once and deletes the workspace, because disk space is needed. Returns
  /// when the result is recorded, or after [#EVICTION_TIMEOUT].
  void evict(ExecutionResult why) throws InterruptedException {
    evictionResult = Optional.of(why);
    processes.stopUnlessStopped(StopReason.LIMIT, Duration.ZERO);
    if (!hasEnded.await(EVICTION_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
      log.warn("workspace not deleted in time run={}", executionRequest.runId());
    }
  }

  private void deleteWorkspace() {
    try {
      workspaces.delete(executionRequest.runId());
    } catch (IOException e) {
      log.error("cannot delete workspace run={}", executionRequest.runId(), e);
    }
  }

  private ExecutionResult execute() {
    try {
      return prepareAndWork(agents.of(executionRequest), memory);
    } catch (AgentRefused e) {
      log.info("agent not available as requested run={}", executionRequest.runId());
      return ExecutionResult.setupFailed(e.why());
    } catch (IOException e) {
      log.error(
          "cannot set up agent run={} execution={}",
          executionRequest.runId(),
          executionRequest.execution(),
          e);
      return ExecutionResult.setupFailed(
          "The agent could not be set up, because of a problem on the machine. Reply to try again. "
              + tellAdmin());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return ExecutionResult.restarted();
    } catch (ClaimLost e) {
      log.warn("execution ended by another node run={}", executionRequest.runId());
      processes.setReasonIfNone(StopReason.NODE_LOST);
      processes.endAll();
      return ExecutionResult.nodeLost();
    } catch (RuntimeException | Error e) {
      log.error(
          "unexpected error in execution run={} execution={}",
          executionRequest.runId(),
          executionRequest.execution(),
          e);
      processes.endAll();
      return resultOf(e);
    }
  }

  private ExecutionResult prepareAndWork(Harness harness, RunMemory memory)
      throws IOException, InterruptedException {
    var environments = settings.environments();
    // Without configured environments, a command may interpret the names of environment and skill
    // itself, which it receives in its configuration.
    var interpretsNames = environments.all().isEmpty() && harness instanceof CommandAgent;
    var found = environments.find(interpretsNames ? "" : executionRequest.environmentId());
    if (found.isEmpty()) {
      return ExecutionResult.setupFailed(
          environments.notFoundMessage(executionRequest.environmentId()));
    }
    var environment = found.get();
    var problem = settings.isolation().problem(environment);
    if (problem.isPresent()) {
      return ExecutionResult.setupFailed(problem.get());
    }
    var rules = settings.permissionRules(environment);
    if (!rules.isEmpty() && !harness.asksForPermission()) {
      return ExecutionResult.setupFailed(
          ("agents.ask names tools for which a person is asked, and the agent %s cannot ask. Use"
                  + " Claude Code, or an environment with an empty list in ask.")
              .formatted(harness.name()));
    }
    var run = queries.find(executionRequest.runId());
    if (run.map(RunRow::isCancelRequested).orElse(true)) {
      // Cancelled before this execution was registered, so it was not notified.
      return ExecutionResult.cancelled();
    }
    var costResult = RunCost.checkBeforeStart(settings.limits().cost(), run.get());
    if (costResult.isPresent()) {
      return costResult.get();
    }
    var witness = new PushWitness(this::recordPush);
    try (var network =
        ExecutionNetwork.open(settings, executionRequest, harness, environment, witness)) {
      var result = prepareAndWork(harness, environment, interpretsNames, network, memory);
      addNotes(network.notes());
      return result;
    }
  }

  private ExecutionResult prepareAndWork(
      Harness harness,
      Environment environment,
      boolean interpretsNames,
      ExecutionNetwork network,
      RunMemory memory)
      throws IOException, InterruptedException {
    isWorkspaceInUse = true;
    var moved = isWorkspaceElsewhere();
    var restoration = Optional.<Snapshots.Outcome>empty();
    if (moved) {
      // The workspace on this node is older than that of the last execution.
      workspaces.deleteOutdated(executionRequest.runId());
      if (snapshots.isPresent()) {
        restoration =
            Optional.of(
                workspaces.restore(
                    executionRequest.runId(), snapshots.get(), settings.limits().diskBytes()));
      }
    }
    var hadHome = workspaces.hasHome(executionRequest.runId());
    var skills = interpretsNames ? List.<String>of() : executionRequest.skillSpecs();
    var setup = setupRunner(environment, network, settings.limits().start(), memory);
    var prepared = workspaces.prepare(executionRequest.runId(), environment, skills, setup);
    if (prepared instanceof PreparedWorkspace.Ready ready) {
      return work(
          harness,
          sites.create(harness, environment, ready, hadHome, network),
          moved,
          restoration,
          memory);
    }
    // End processes that setup commands left running for the agent.
    processes.endAll();
    return switch (prepared) {
      case PreparedWorkspace.Failed(String why) ->
          setup
              .failureOfService()
              .orElseGet(() -> ExecutionResult.setupFailed(settings.redactor().redact(why)));
      case PreparedWorkspace.TimedOut(String during) ->
          ExecutionResult.timedOut(startTimeoutMessage(settings.redactor().redact(during)));
      case PreparedWorkspace.Stopped _, PreparedWorkspace.Ready _ ->
          resultIfStopped().orElseGet(ExecutionResult::cancelled);
    };
  }

  /// The result if this node must not continue the execution.
  private Optional<ExecutionResult> resultIfStopped() {
    return switch (processes.reason()) {
      case SHUTDOWN -> Optional.of(ExecutionResult.restarted());
      case NODE_LOST -> Optional.of(ExecutionResult.nodeLost());
      case NONE, CANCELLED, INTERRUPTED, LIMIT -> Optional.empty();
    };
  }

  /// Whether the last execution used a workspace that this node does not have.
  private boolean isWorkspaceElsewhere() {
    return executionRequest.execution() > 1
        && queries.place(executionRequest.runId()).filter(it -> !it.equals(place)).isPresent();
  }

  /// Everything that is needed to start the agent.
  private record Prepared(
      Harness harness,
      AgentSurroundings site,
      LaunchFiles launchFiles,
      ExecutionRequest request,
      Launch launch,
      RunMemory memory) {}

  /// @param moved whether the last execution ran on a node with another workspace
  /// @param restoration the result of restoring its snapshot; empty without snapshots
  private ExecutionResult work(
      Harness harness,
      AgentSurroundings site,
      boolean moved,
      Optional<Snapshots.Outcome> restoration,
      RunMemory memory)
      throws IOException, InterruptedException {
    HandedFiles.createFolder(site.ready().root(), settings.isolation().user());
    var briefing = new AgentBriefing(executionRequest, harness, site, moved, restoration, queries);
    briefing.notes().forEach(this::noteWithStatus);
    try (var launchFiles = launchFiles(site)) {
      var request = briefing.compose(launchFiles);
      var launch = harness.launch(request, launchFiles);
      var outputParser = harness.outputParser(request, launchFiles);
      var stopped = resultIfStopped();
      if (stopped.isPresent()) {
        // The agent was not started, so the run returns to the queue.
        processes.endAll();
        return stopped.get();
      }
      var isCancelled = records.begin(executionRequest);
      startedAgent = Optional.of(harness);
      if (isCancelled) {
        processes.endAll();
        return ExecutionResult.cancelled();
      }
      return supervise(
          new Prepared(harness, site, launchFiles, request, launch, memory), outputParser);
    }
  }

  private LaunchFiles launchFiles(AgentSurroundings site) throws IOException {
    return new LaunchFiles(
        settings.workspaces().resolveSibling("agents").resolve(executionRequest.runId()),
        site.ready().folder(),
        site.variables(),
        settings.access(),
        settings.permissionRules(site.environment()),
        site.home().isPresent(),
        !(settings.isolation() instanceof Isolation.Remote),
        settings.isolation().user());
  }

  /// What follows a started agent.
  private record Supervision(
      Prepared prepared,
      Steering steering,
      PermissionRequests permissionRequests,
      OutputRecorder recorder,
      LimitWatch watch) {}

  /// Starts the agent, waits until it and all its processes have ended, and collects the results.
  private ExecutionResult supervise(Prepared prepared, Harness.OutputParser outputParser)
      throws InterruptedException, IOException {
    var supervision = supervisionOf(prepared, outputParser);
    try (var _ = supervision.steering()) {
      var startTime = WorkspaceChanges.start(prepared.site().ready().root());
      RunningProcess process;
      int status;
      // The limits do not count the wait for a database that does not accept the output.
      try (var _ = supervision.watch()) {
        var notStarted = tryToStart(supervision);
        if (notStarted.isPresent()) {
          return notStarted.get();
        }
        process = processes.current().orElseThrow();
        status = process.awaitExit();
        // After the agent, all processes that it started are ended, too, with a grace time.
        processes.endAll();
        awaitOutput(supervision, process);
      }
      return collect(supervision, process, status, startTime);
    }
  }

  /// Waits for what the agent has written. While it waits for memory, it is not late.
  private void awaitOutput(Supervision supervision, RunningProcess process)
      throws InterruptedException {
    do {
      if (processes.isStopped()) {
        supervision.recorder().stop();
      }
      process.awaitOutput(OUTPUT_TIMEOUT);
    } while (supervision.recorder().memory().isAwaited() && !processes.isStopped());
  }

  private Supervision supervisionOf(Prepared prepared, Harness.OutputParser outputParser) {
    var ready = prepared.site().ready();
    var before = queries.find(executionRequest.runId()).orElseThrow();
    var steering =
        new Steering(
            executionRequest,
            outputParser,
            records,
            watchers,
            () -> stopAtWork(StopReason.INTERRUPTED));
    var permissionRequests =
        new PermissionRequests(
            executionRequest, outputParser, steering, records, prepared.memory());
    var collector =
        new OutputCollector(
            executionRequest,
            prepared.harness(),
            outputParser,
            ready.root(),
            ready.folder(),
            settings.limits().cost(),
            settings.redactor());
    var recorder =
        new OutputRecorder(
            spawner,
            executionRequest,
            collector,
            steering,
            permissionRequests,
            records,
            prepared.memory(),
            this::awaitRetry,
            () -> stopAtWork(StopReason.LIMIT));
    var watch =
        new LimitWatch(
            spawner,
            executionRequest,
            settings.limits(),
            recorder,
            this::diskUsage,
            RunCost.of(settings.limits().cost(), before, recorder),
            () -> stopAtWork(StopReason.LIMIT));
    return new Supervision(prepared, steering, permissionRequests, recorder, watch);
  }

  /// Collects the results of an agent that has ended.
  ///
  /// @param status its exit status
  private ExecutionResult collect(
      Supervision supervision, RunningProcess process, int status, Instant startTime)
      throws InterruptedException {
    var recorder = supervision.recorder();
    var summary = recorder.finish(processes::isStopped);
    if (supervision.steering().isPossible()
        && recorder.hasStoredAll()
        && processes.reason() != StopReason.NODE_LOST) {
      records.withdrawOffers(executionRequest);
    }
    var stopped = resultIfStopped();
    if (stopped.isPresent()) {
      return stopped.get();
    }
    var failure = recorder.failure().or(process::failure);
    if (failure.isPresent()) {
      return resultOf(failure.get());
    }
    collect(supervision.prepared(), startTime, summary);
    if (processes.reason() == StopReason.INTERRUPTED) {
      return ExecutionResult.cancelled();
    }
    return supervision
        .watch()
        .reached()
        .or(process::problem)
        .or(() -> supervision.permissionRequests().callToAsk().map(results::askForPermission))
        .orElseGet(() -> resultOf(supervision.prepared(), status, summary));
  }

  /// Waits before the next attempt to store the end of the output.
  ///
  /// @return whether this node may make it
  private boolean awaitRetry() {
    LockSupport.parkNanos(RETRY_DELAY.toNanos());
    // There may be no space to store it until the workspace of an evicted run is deleted.
    return resultIfStopped().isEmpty() && evictionResult.isEmpty();
  }

  /// @return the result if the agent could not be started
  private Optional<ExecutionResult> tryToStart(Supervision supervision)
      throws InterruptedException {
    var recorder = supervision.recorder();
    try {
      start(supervision);
      return Optional.empty();
    } catch (IOException e) {
      processes.endAll();
      recorder.finish(() -> true);
      var agent = supervision.prepared().harness().name();
      log.error(
          "cannot start agent run={} execution={} agent={}",
          executionRequest.runId(),
          executionRequest.execution(),
          agent,
          e);
      return Optional.of(
          ExecutionResult.setupFailed(
              "The machine could not start the agent %s. Reply to try again. %s"
                  .formatted(agent, tellAdmin())));
    } catch (RuntimeException | Error e) {
      processes.endAll();
      recorder.finish(() -> true);
      throw e;
    }
  }

  /// Collects the agent's results and the evidence of its work.
  private void collect(Prepared prepared, Instant startTime, OutputCollector.Summary summary)
      throws InterruptedException {
    collectPullRequests(summary.pullRequests(), prepared.site(), prepared.memory());
    var root = prepared.site().ready().root();
    try {
      if (processes.reason() != StopReason.CANCELLED) {
        results.collectFiles(root);
      }
      results.collectEvidence(prepared.harness(), root, startTime, summary);
    } catch (DatabaseException e) {
      // The disk may be full until this workspace is deleted, and recording the end of the run is
      // more important.
      log.warn("cannot collect results run={} why={}", executionRequest.runId(), e.toString());
    }
  }

  /// The disk space that counts toward the limit, in bytes.
  private long diskUsage() throws IOException {
    var process = processes.current();
    return workspaces.chargedBytes(executionRequest.runId())
        + (process.isPresent() ? process.get().bytesElsewhere() : 0);
  }

  private void recordPush(PushWitness.Push push) {
    workspaces.recordPush(
        executionRequest.runId(),
        new PushedBranches.Push(push.repository().toString(), push.branch(), push.commit()));
  }

  private void collectPullRequests(List<String> mentioned, AgentSurroundings site, RunMemory memory)
      throws InterruptedException {
    if (!mentioned.isEmpty()
        && !site.environment().repositories().isEmpty()
        && !processes.isStopped()) {
      var git =
          setupRunner(
              site.environment(), ExecutionNetwork.MACHINE_NETWORK, PULL_REQUEST_TIMEOUT, memory);
      results.collectPullRequests(mentioned, site, git);
    }
  }

  private void addNotes(List<String> notes) {
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
      log.warn("cannot record notes run={}", executionRequest.runId(), e);
    }
  }

  private void noteWithStatus(String note) {
    records.recordOutput(
        executionRequest,
        new ExecutionRecords.NewOutput(
            List.of(new Entry(TranscriptLine.Kind.NOTE, note)),
            Optional.of(note),
            List.of(),
            Optional.empty(),
            Usage.NONE));
  }

  private ExecutionResult resultOf(Prepared prepared, int status, OutputCollector.Summary summary) {
    var executionResult = summary.toResult(prepared.harness(), status);
    // The agent could not resume its session. Every later attempt would fail in the same way.
    var isSessionLost =
        prepared.request().agentSession().isPresent()
            && !summary.hasSession()
            && executionResult.state() == ExecutionState.FAILED
            && processes.reason() == StopReason.NONE;
    if (!isSessionLost) {
      return executionRequest.mode().equals(RunMode.PLAN)
          ? results.collectPlan(executionResult)
          : executionResult;
    }
    records.forgetSession(executionRequest);
    return ExecutionResult.failed(
        executionResult.message()
            + "\nThe agent could not resume its session. Reply to continue in the same folder with"
            + " a new one.");
  }

  private void start(Supervision supervision) throws IOException {
    var prepared = supervision.prepared();
    var watch = supervision.watch();
    var steering = supervision.steering();
    var harness = prepared.harness();
    var launch = prepared.launch();
    var site = prepared.site();
    var started =
        new Launcher(spawner, settings.isolation(), harness.speaksAlone())
            .start(
                executionRequest,
                launch.command(),
                site.place(executionRequest, harness, launch, prepared.launchFiles()),
                site.ready().folder(),
                site.allVariables(settings.variables(settings.isolation().variables()), launch),
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
  private SetupRunner setupRunner(
      Environment environment, ExecutionNetwork network, Duration limit, RunMemory memory) {
    return new SetupRunner(
        spawner,
        new SetupRunner.Context(
            executionRequest,
            environment,
            workspaces,
            settings.baseVariables(executionRequest),
            settings.environments().variables(environment),
            network,
            settings.redactor(),
            processes::register,
            processes::isStopped,
            memory),
        settings,
        Optional.of(records),
        limit);
  }

  private ExecutionResult resultOf(Throwable failure) {
    return Spawner.resultOf(failure, executionRequest.runId(), executionRequest.execution());
  }

  private String tellAdmin() {
    return ExecutionResult.tellAdmin(executionRequest.runId(), executionRequest.execution());
  }

  private void stopAtWork(StopReason reason) {
    log.info(
        "execution stopped run={} execution={} why={}",
        executionRequest.runId(),
        executionRequest.execution(),
        reason);
    processes.stopUnlessStopped(reason, settings.grace());
  }

  private String startTimeoutMessage(String during) {
    return "The agent did not start within %s; the limit is agents.limits.start. The last step was: %s"
        .formatted(Limits.format(settings.limits().start()), during);
  }
}
