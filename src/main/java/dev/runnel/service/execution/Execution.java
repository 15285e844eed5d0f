package dev.runnel.service.execution;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.AgentRefused;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.agent.Launch;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.process.AgentProcess;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.Limits;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.TriggerMetadata;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.GitIdentity;
import dev.runnel.service.workspace.PreparedWorkspace;
import dev.runnel.service.workspace.RunHome;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.text.PlanReply;
import dev.runnel.wire.RunMode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One execution of a run, from the claimed row to the recorded result.
final class Execution {
  private static final Logger log = LoggerFactory.getLogger(Execution.class);
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);
  private static final Duration OUTPUT_PATIENCE = Duration.ofSeconds(2);
  private static final Duration CLAIM_PATIENCE = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(30);
  private static final Duration FREEING = Duration.ofSeconds(30);

  private static final String GIT_CONFIG = ".gitconfig";

  private enum Wish {
    NONE,
    CANCEL,
    /// The service is stopping.
    LEAVE,
    /// Others may take this node for lost, so nothing may go on.
    LOST,
    /// A limit was reached.
    LIMIT
  }

  /// The workspace and variables of the agent.
  ///
  /// @param lent the variables of its environment, of the agent's login and of its network
  /// @param surroundings all variables, including the lent ones
  /// @param home the folders of the run; empty without isolation
  /// @param keptSession whether the agent's session of an earlier execution can be where the agent
  ///   looks for it: not in a home folder that is new
  private record Site(
      Environment chosen,
      PreparedWorkspace.Ready ready,
      Map<String, String> lent,
      Map<String, String> surroundings,
      Optional<RunHome> home,
      boolean keptSession,
      ExecutionNetwork network) {}

  private final Spawner spawner;
  private final ExecutionRequest executionRequest;
  private final Agents agents;
  private final ApiKeys keys;
  private final ServiceSettings settings;
  private final RunService book;
  private final RunQueries index;
  private final Workspaces workspaces;
  private final Optional<Snapshots> snapshots;
  private final String place;
  // Confined to the worker thread: whether the workspace is in use.
  private boolean entered;
  // Confined to the worker thread: the agent that may have worked in the workspace.
  private Optional<Harness> begun = Optional.empty();
  // Confined to the worker thread: whether processes are left.
  private boolean isUnfinished;
  private final CountDownLatch over = new CountDownLatch(1);
  // Guarded by this.
  private Wish wish = Wish.NONE;
  private Optional<ExecutionResult> givenUp = Optional.empty();
  private Optional<AgentProcess> process = Optional.empty();

  /// @param snapshots where workspaces are kept for other nodes; empty to keep none
  /// @param place where the workspaces are, see [dev.runnel.service.run.NodeIdentity#place]
  Execution(
      Spawner spawner,
      ExecutionRequest executionRequest,
      Agents agents,
      ApiKeys keys,
      ServiceSettings settings,
      RunService book,
      RunQueries index,
      Workspaces workspaces,
      Optional<Snapshots> snapshots,
      String place) {
    this.spawner = spawner;
    this.executionRequest = executionRequest;
    this.agents = agents;
    this.keys = keys;
    this.settings = settings;
    this.book = book;
    this.index = index;
    this.workspaces = workspaces;
    this.snapshots = snapshots;
    this.place = place;
  }

  /// Executes the run until all its processes have ended, and records the result.
  void run() {
    spawner.enter(executionRequest.runId());
    var isRecorded = false;
    try {
      var executionResult = ending();
      if (isUnfinished) {
        log.error("processes left for the next start run={}", executionRequest.runId());
      } else {
        isRecorded = finish(givenUp().orElse(executionResult)).isPresent();
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
    if (snapshots.isEmpty() || begun.isEmpty() || place.isEmpty() || givenUp().isPresent()) {
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
      if (givenUp().isPresent()) {
        // There may be no space to record the result until the workspace is deleted.
        freeWorkspace();
      }
      try {
        return wish() == Wish.LEAVE || wish() == Wish.LOST
            ? book.giveBack(executionRequest.claim(), executionResult)
            : book.finish(executionRequest.claim(), executionResult);
      } catch (DatabaseException | OutOfMemoryError e) {
        if (wish() == Wish.LEAVE) {
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
    stop(Wish.CANCEL);
  }

  /// Ends the processes because the service is stopping.
  void leave() {
    stop(Wish.LEAVE);
  }

  /// Ends the processes at once, because others may soon go on with the run.
  void lose() {
    stop(Wish.LOST);
  }

  /// Ends the processes at once and has the workspace deleted, because disk space is needed.
  /// Returns when the result is recorded, or after a time that is usually enough.
  void giveUp(ExecutionResult why) throws InterruptedException {
    synchronized (this) {
      givenUp = Optional.of(why);
      wish = wish == Wish.NONE ? Wish.LIMIT : wish;
    }
    process().ifPresent(working -> working.end(Duration.ZERO));
    if (!over.await(FREEING.toSeconds(), TimeUnit.SECONDS)) {
      log.warn("workspace not deleted in time run={}", executionRequest.runId());
    }
  }

  private synchronized Optional<ExecutionResult> givenUp() {
    return givenUp;
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
      synchronized (this) {
        wish = wish == Wish.NONE ? Wish.LOST : wish;
      }
      endAll();
      return ExecutionResult.lost();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.error("unexpected error in execution run={}", executionRequest.runId(), e);
      endAll();
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
    if (index.find(executionRequest.runId()).map(RunRow::cancelAsked).orElse(true)) {
      // Cancelled before this execution was registered, so nobody could notify it.
      return ExecutionResult.cancelled();
    }
    try (var network = ExecutionNetwork.open(settings, executionRequest, harness, chosen)) {
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
      return work(harness, site(harness, chosen, ready, hadHome, network), moved, kept);
    }
    // Processes that a setup command left running were only meant for the agent.
    endAll();
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
    return switch (wish()) {
      case LEAVE -> Optional.of(ExecutionResult.restarted());
      case LOST -> Optional.of(ExecutionResult.lost());
      case NONE, CANCEL, LIMIT -> Optional.empty();
    };
  }

  private Site site(
      Harness harness,
      Environment chosen,
      PreparedWorkspace.Ready ready,
      boolean hadHome,
      ExecutionNetwork network)
      throws IOException {
    var lent = new HashMap<>(settings.variables(harness.variables()));
    lent.putAll(settings.environments().variables(chosen));
    if (executionRequest.leads()) {
      // This key is only valid for runs below this one.
      var key =
          keys.issue(
              "run " + executionRequest.runId(), "below", Optional.of(executionRequest.runId()));
      lent.put("RUNNEL_AGENT_API_URL", settings.apiUrl().get().toString());
      lent.put("RUNNEL_AGENT_API_KEY", key.secret());
    }
    var surroundings = new HashMap<>(settings.surroundings(executionRequest));
    surroundings.putAll(lent);
    surroundings.put(HandedFiles.VARIABLE, HandedFiles.folder(ready.root()).toString());
    var home =
        settings.isolation().isOn()
            ? Optional.of(home(harness, chosen))
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
    return new Site(chosen, ready, lent, surroundings, home, home.isEmpty() || hadHome, network);
  }

  /// Prepares the run's own home folder: the agent's login and the name for commits.
  private RunHome home(Harness harness, Environment chosen) throws IOException {
    var home = workspaces.home(executionRequest.runId(), chosen);
    for (var login : harness.logins(settings.environment())) {
      home.copy(login.from(), login.place());
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

  /// Whether the last execution worked in a workspace that this node does not have.
  private boolean isElsewhere() {
    return executionRequest.execution() > 1
        && index.place(executionRequest.runId()).filter(it -> !it.equals(place)).isPresent();
  }

  /// Whether files of the run reach somebody: those of a run by the API stay with the run.
  private boolean isForPeople() {
    return index
        .find(executionRequest.runId())
        .map(RunRow::metadataEntries)
        .filter(TriggerMetadata::hasSurface)
        .isPresent();
  }

  /// @param moved whether another node has the workspace
  /// @param kept what became of its snapshot; empty if there are no snapshots
  private ExecutionResult work(
      Harness harness, Site site, boolean moved, Optional<Snapshots.Outcome> kept)
      throws IOException, InterruptedException {
    var ready = site.ready();
    var restored =
        kept.filter(_ -> !ready.fresh())
            .flatMap(
                it ->
                    it instanceof Snapshots.Outcome.Restored known
                        ? Optional.of(known)
                        : Optional.empty());
    HandedFiles.makeFolder(ready.root());
    var briefed =
        PromptAssembly.of(
            executionRequest, ready, () -> index.firstPrompt(executionRequest.runId()));
    if (!(harness instanceof CommandAgent) && isForPeople()) {
      briefed = PromptAssembly.handingOver(briefed);
    }
    if (ready.fresh() && executionRequest.execution() > 1) {
      say(moved ? PromptAssembly.moved(kept) : PromptAssembly.AFRESH);
    }
    var isSessionGone =
        hasSession(harness)
            && !ready.fresh()
            && restored.map(it -> !resumes(it)).orElseGet(() -> !site.keptSession());
    if (restored.isPresent()) {
      say(
          PromptAssembly.restored(
              restored.get().execution(),
              executionRequest.execution() - 1,
              hasSession(harness) ? Optional.of(!isSessionGone) : Optional.empty()));
    } else if (isSessionGone) {
      say(PromptAssembly.NEW_SESSION);
    }
    var folder = settings.workspaces().resolveSibling("agents").resolve(executionRequest.runId());
    try (var launchFiles =
        new LaunchFiles(
            folder,
            ready.folder(),
            site.surroundings(),
            settings.access(),
            site.home().isPresent())) {
      var told = attach(briefed, launchFiles);
      if (isSessionGone) {
        told = ConversationHistory.recallAll(told, launchFiles, index);
      } else if (moved && restored.isEmpty()) {
        told = ConversationHistory.recallMoved(told, harness, launchFiles, index);
      } else if (executionRequest.execution() == 1 || ready.fresh()) {
        told = ConversationHistory.recall(told, harness, launchFiles, index);
      }
      var seen = told.forAgent(harness.name());
      var launch = harness.launch(seen, launchFiles);
      var isCancelled = book.begin(executionRequest);
      begun = Optional.of(harness);
      if (isCancelled) {
        endAll();
        return ExecutionResult.cancelled();
      }
      var recorder =
          new OutputRecorder(
              spawner,
              executionRequest,
              harness,
              ready.root(),
              ready.folder(),
              book,
              settings.redactor());
      try (var watch =
          new LimitWatch(
              spawner,
              settings.limits(),
              recorder,
              () -> workspaces.size(executionRequest.runId()),
              this::reachLimit)) {
        var began = WorkspaceChanges.start(ready.root());
        try {
          start(harness, launch, site, launchFiles, watch);
        } catch (IOException e) {
          endAll();
          recorder.finish();
          log.error(
              "cannot start agent run={} agent={}", executionRequest.runId(), harness.name(), e);
          return ExecutionResult.notSetUp(
              "The agent " + harness.name() + " could not be started here.");
        } catch (RuntimeException | OutOfMemoryError e) {
          endAll();
          recorder.finish();
          throw e;
        }
        var working = process().orElseThrow();
        var status = working.awaitExit();
        // When the agent ends, all processes that it started are ended, too, with a grace time.
        endAll();
        working.awaitOutput(OUTPUT_PATIENCE);
        var heard = recorder.finish();
        var stopped = stopped();
        if (stopped.isPresent()) {
          return stopped.get();
        }
        var failure = recorder.failure().or(working::failure);
        if (failure.isPresent()) {
          return Spawner.ending(failure.get());
        }
        claimPullRequests(heard.pullRequests(), site.chosen());
        try {
          collectFiles(ready.root());
          collectEvidence(harness, ready.root(), began, heard);
        } catch (DatabaseException e) {
          // The disk may be full until this workspace is deleted, and the run's end matters more.
          log.warn("nothing collected run={} why={}", executionRequest.runId(), e.toString());
        }
        return watch.reached().orElseGet(() -> ending(harness, seen, status, heard));
      }
    }
  }

  /// Records which of the mentioned pull requests this run opened.
  private void claimPullRequests(List<String> mentioned, Environment chosen)
      throws InterruptedException {
    if (mentioned.isEmpty() || chosen.repositories().isEmpty() || wish() != Wish.NONE) {
      return;
    }
    var bench = bench(chosen, ExecutionNetwork.OF_THE_MACHINE, CLAIM_PATIENCE);
    var claimed = new ArrayList<NewArtifact>();
    for (var url : mentioned) {
      workspaces
          .pushedBranch(executionRequest.runId(), chosen, url, bench)
          .ifPresent(branch -> claimed.add(NewArtifact.pullRequest(url, branch)));
    }
    if (!claimed.isEmpty()) {
      book.heard(
          executionRequest,
          new RunService.NewOutput(
              List.of(), Optional.empty(), claimed, Optional.empty(), Usage.NONE));
    }
  }

  /// Records the files that the agent handed over. All its processes have ended.
  private void collectFiles(Path root) {
    if (wish() == Wish.CANCEL) {
      return;
    }
    var found = HandedFiles.collect(executionRequest, root, settings.redactor());
    if (!found.files().isEmpty() || !found.notes().isEmpty()) {
      book.heard(
          executionRequest,
          new RunService.NewOutput(
              found.notes().stream()
                  .map(note -> new Entry(TranscriptLine.Kind.NOTE, note))
                  .toList(),
              Optional.empty(),
              found.files(),
              Optional.empty(),
              Usage.NONE));
    }
  }

  /// Records what can be seen of the execution, to be shown beside what the agent says of it.
  private void collectEvidence(
      Harness harness, Path root, Instant began, OutputRecorder.Heard heard) {
    var changes = WorkspaceChanges.since(began, root);
    var before = index.find(executionRequest.runId()).flatMap(RunRow::evidence);
    book.evidence(
        executionRequest,
        Evidence.of(
                changes.files(),
                changes.commits(),
                harness instanceof CommandAgent ? Optional.empty() : Optional.of(heard.tests()),
                heard.answer(),
                before.filter(Evidence::hasTests).isPresent())
            .toJson());
  }

  /// Writes the attachments to files, and adds their paths to the prompt.
  private ExecutionRequest attach(ExecutionRequest briefed, LaunchFiles launchFiles)
      throws IOException {
    var text = new StringBuilder(briefed.prompt());
    var number = 0;
    for (var kept : index.attachmentsOf(executionRequest.runId())) {
      var content = index.attachmentContent(kept.id()).orElseThrow();
      var file = launchFiles.attach(++number, kept.name(), content);
      text.append(number == 1 ? "\n\n" : "\n");
      text.append("Attached: ").append(file).append(" (").append(kept.mimeType()).append(')');
    }
    return number == 0 ? briefed : briefed.withPrompt(text.append('\n').toString());
  }

  private boolean hasSession(Harness harness) {
    return executionRequest.forAgent(harness.name()).agentSession().isPresent();
  }

  /// Whether the session is that of the last execution: of an older one, the agent would not know
  /// what was said since.
  private boolean resumes(Snapshots.Outcome.Restored restored) {
    return restored.hasSession() && restored.execution() == executionRequest.execution() - 1;
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
      book.heard(
          executionRequest,
          new RunService.NewOutput(
              entries, Optional.empty(), List.of(), Optional.empty(), Usage.NONE));
    } catch (DatabaseException e) {
      log.warn("cannot record hosts run={}", executionRequest.runId(), e);
    }
  }

  private void say(String note) {
    book.heard(
        executionRequest,
        new RunService.NewOutput(
            List.of(new Entry(TranscriptLine.Kind.NOTE, note)),
            Optional.of(note),
            List.of(),
            Optional.empty(),
            Usage.NONE));
  }

  private ExecutionResult ending(
      Harness harness, ExecutionRequest seen, int status, OutputRecorder.Heard heard) {
    var executionResult = heard.ending(harness, status);
    // The agent could not resume its session. Every later attempt would fail in the same way.
    var isLost =
        seen.agentSession().isPresent()
            && !heard.hasSession()
            && executionResult.phase() == ExecutionState.FAILED
            && wish() == Wish.NONE;
    if (!isLost) {
      return executionRequest.mode().equals(RunMode.PLAN)
          ? planned(executionResult)
          : executionResult;
    }
    book.forgetSession(executionRequest);
    return ExecutionResult.failed(
        executionResult.message()
            + "\nThe agent could not go on with its session. Reply to work on in the same folder"
            + " with a new one.");
  }

  /// A finished plan waits for approval.
  private ExecutionResult planned(ExecutionResult executionResult) {
    if (executionResult.phase() != ExecutionState.SUCCEEDED) {
      return executionResult;
    }
    book.heard(
        executionRequest,
        new RunService.NewOutput(
            List.of(),
            Optional.empty(),
            List.of(NewArtifact.plan(executionRequest, executionResult.message())),
            Optional.empty(),
            Usage.NONE));
    return ExecutionResult.blocked(executionResult.message() + "\n\n" + PlanReply.QUESTION);
  }

  private void start(
      Harness harness, Launch launch, Site site, LaunchFiles launchFiles, LimitWatch watch)
      throws IOException {
    var environment = new HashMap<>(settings.variables(settings.isolation().variables()));
    environment.putAll(site.surroundings());
    environment.putAll(launch.environment());
    var names = new HashSet<>(site.lent().keySet());
    names.addAll(launch.environment().keySet());
    var ready = site.ready();
    var command =
        site.home()
            .map(
                home ->
                    settings
                        .isolation()
                        .wrap(
                            launch.command(),
                            new Isolation.Place(
                                executionRequest,
                                ready.root(),
                                ready.folder(),
                                site.chosen().image(),
                                names,
                                harness.readable(launchFiles),
                                home,
                                site.network().network())))
            .orElseGet(launch::command);
    var started =
        AgentProcess.start(
            spawner, executionRequest, command, ready.folder(), environment, launch.input(), watch);
    watch.start();
    log.info(
        "execution started run={} execution={} agent={} pid={}",
        executionRequest.runId(),
        executionRequest.execution(),
        harness.name(),
        started.pid());
    began(started);
    var cancelled = book.launched(executionRequest, started.pid(), started.startedAt());
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
            this::began,
            () -> wish() != Wish.NONE),
        settings,
        Optional.of(book),
        limit);
  }

  /// Registers the process that a stop request must end.
  private void began(AgentProcess started) {
    Wish wished;
    synchronized (this) {
      process = Optional.of(started);
      wished = wish;
    }
    if (wished != Wish.NONE) {
      started.end(grace(wished));
    }
  }

  /// Ends all processes. While some cannot be ended, the execution is not over, and nobody is told
  /// that it is; a stopping service leaves them to the next start.
  private void endAll() {
    var grace =
        wish() == Wish.NONE
            ? Collections.min(List.of(LEFTOVER_GRACE, settings.grace()))
            : grace(wish());
    for (var pause = PAUSE; !tryToEndAll(grace); pause = longer(pause)) {
      if (wish() == Wish.LEAVE || Thread.currentThread().isInterrupted()) {
        isUnfinished = true;
        return;
      }
      log.error("processes left, will try to end them again run={}", executionRequest.runId());
      LockSupport.parkNanos(pause.toNanos());
    }
    isUnfinished = false;
  }

  private static Duration longer(Duration pause) {
    return Collections.min(List.of(pause.multipliedBy(2), MAX_PAUSE));
  }

  private boolean tryToEndAll(Duration grace) {
    // After a failed start there may be processes that were never registered.
    var ended =
        process()
            .map(each -> each.end(grace))
            .orElseGet(
                () -> ProcessTree.of(Optional.empty(), executionRequest, spawner).end(grace));
    return settings.isolation().cleanUp(executionRequest, settings.environment()) && ended;
  }

  private void reachLimit() {
    log.info(
        "limit reached run={} execution={}",
        executionRequest.runId(),
        executionRequest.execution());
    synchronized (this) {
      wish = wish == Wish.NONE ? Wish.LIMIT : wish;
    }
    process().ifPresent(working -> working.end(settings.grace()));
  }

  private String late(String during) {
    return "The agent did not start within %s; the limit is agents.limits.start. It was busy with: %s"
        .formatted(Limits.words(settings.limits().start()), during);
  }

  private void stop(Wish wanted) {
    synchronized (this) {
      wish = wanted;
    }
    while (true) {
      try {
        // A process that starts later checks the wish itself.
        process().ifPresent(working -> working.end(grace(wanted)));
        return;
      } catch (OutOfMemoryError e) {
        log.error("cannot end agent, will retry run={}", executionRequest.runId(), e);
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private Duration grace(Wish wished) {
    return wished == Wish.LOST ? Duration.ZERO : settings.grace();
  }

  private synchronized Optional<AgentProcess> process() {
    return process;
  }

  private synchronized Wish wish() {
    return wish;
  }
}
