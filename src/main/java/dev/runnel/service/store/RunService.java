package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionListener;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.Json;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.RunStateMachine;
import dev.runnel.service.run.RunStateMachine.Event;
import dev.runnel.service.run.RunStateMachine.Step;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.text.PlanReply;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpOutcome;
import dev.runnel.wire.RunMode;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.RunStateValue;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All changes to runs, each in one transaction and as [RunStateMachine] permits; [RunQueries] reads
/// them. After the commit, watchers of the run are notified, and the queue if a run was queued.
/// Thread-safe.
///
/// Changes are made one at a time, also by several nodes: an embedded database has one writer, and
/// on a server each change takes a lock first. What an execution reports counts only while its
/// claim holds: a process that was taken for lost changes nothing any more.
///
/// Every visible change sets `updated_at` to a value greater than that of any run before, so that a
/// client that polls for changes since its last response misses nothing. The position in the queue
/// does not count as a change; it is computed on read.
public final class RunService {
  private static final Logger log = LoggerFactory.getLogger(RunService.class);

  /// Maximum depth of runs that are started by runs.
  public static final int DEEPEST = 3;

  /// The name of the lock that admits one transaction at a time.
  static final String WRITER = "runnel runs ";

  private static final Duration ANSWERS_ARE_KEPT = Duration.ofDays(7);

  /// New output of an execution since the last report.
  public record NewOutput(
      List<Entry> entries,
      Optional<String> status,
      List<NewArtifact> made,
      Optional<String> agentSession,
      Usage usage) {
    boolean isTextOnly() {
      return status.isEmpty() && made.isEmpty() && agentSession.isEmpty() && usage.isNothing();
    }
  }

  /// A change within a transaction, with the time of the change.
  private interface Change<T> {
    T make(RunTable runs, Instant at) throws SQLException;
  }

  private final Database database;
  private final InstantSource clock;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final NodeMembership membership;
  private final SlotLimits limits;
  private final Map<String, RunSource> sources;
  private volatile ExecutionListener listener = ExecutionListener.NONE;

  /// Callers wait here, not each with a connection in the queue of the database's lock.
  private final ReentrantLock oneAtATime = new ReentrantLock(true);

  /// @param queueSignal notified whenever a run is queued
  /// @param membership this process among those that share the database
  /// @param limits of concurrent executions at each depth
  /// @param sources the sources of runs by the name of Runnel's surface
  public RunService(
      Database database,
      InstantSource clock,
      RunWatchers watchers,
      QueueSignal queueSignal,
      NodeMembership membership,
      SlotLimits limits,
      Map<String, RunSource> sources) {
    this.membership = membership;
    this.limits = limits;
    this.sources = Map.copyOf(sources);
    this.database = database;
    this.clock = clock;
    this.watchers = watchers;
    this.queueSignal = queueSignal;
    change(
        (runs, at) -> {
          runs.forgetAnswers(at.minus(ANSWERS_ARE_KEPT));
          return at;
        });
  }

  /// @param factoryUid the factory that the run is dispatched to
  /// @return a [CreatedRun]
  public String create(
      NewRun run, Caller caller, Optional<String> factoryUid, Optional<IdempotencyKey> key) {
    var answer =
        once(
            factoryUid.map(uid -> "create in " + uid).orElse("create"),
            key,
            (runs, at) -> {
              var id = new RunCreation(runs, sources, at).asked(run, caller, factoryUid);
              var slots = membership.slots(runs.rows());
              var atCapacity = runs.working() >= slots || runs.isHeld(id, limits.ofPerson(slots));
              return Json.write(new CreatedRun(id, RunStateValue.QUEUED, id, atCapacity, Map.of()));
            });
    queueSignal.tell();
    return answer;
  }

  /// Creates the run of one due schedule, if there is one.
  ///
  /// @param resolved adds the configuration of the named identity, and defaults
  public boolean startDue(UnaryOperator<NewRun> resolved) {
    var started =
        change(
            (runs, at) -> {
              var due = Schedules.due(runs.rows(), at);
              if (due.isEmpty()) {
                return false;
              }
              var schedule = due.get();
              String error = null;
              try {
                var run = resolved.apply(NewRun.parse(Schedules.request(schedule.body())));
                new RunCreation(runs, sources, at).scheduled(run, schedule);
              } catch (RequestProblem problem) {
                error = problem.detail();
                log.warn("schedule started no run schedule={} why={}", schedule.id(), error);
              }
              Schedules.ran(runs.rows(), schedule, at, error);
              return true;
            });
    if (started) {
      queueSignal.tell();
    }
    return started;
  }

  /// @return a [FollowUpAccepted]
  /// @throws RequestProblem if there is no such run
  /// @param mode the mode of the execution that the message starts, if it starts one
  public String followUp(
      String runId, String message, Optional<RunMode> mode, Optional<IdempotencyKey> key) {
    var answer =
        once(
            "follow-up " + runId,
            key,
            (runs, at) -> {
              var run = runs.find(runId).orElseThrow(RequestProblem::noRun);
              if (run.phase() == ExecutionState.QUEUED
                  && run.execution() == 0
                  && runs.waitingFollowUps(runId).isEmpty()) {
                runs.appendToPrompt(runId, message, at);
                runs.addFollowUp(
                    UUID.randomUUID().toString(),
                    runId,
                    message,
                    key.map(IdempotencyKey::value),
                    true,
                    at);
                if (mode.isPresent()) {
                  runs.mode(runId, mode.get());
                }
                return Json.write(
                    new FollowUpAccepted(null, FollowUpOutcome.QUEUED_PROMPT, Map.of()));
              }
              var id = UUID.randomUUID().toString();
              runs.addFollowUp(id, runId, message, key.map(IdempotencyKey::value), false, at);
              if (mode.isEmpty()
                  && repliesToPlan(run)
                  && PlanReply.of(message) == PlanReply.DECLINED) {
                runs.giveFollowUps(runId, run.execution());
                runs.end(runId, ExecutionResult.declined(), at);
                new EventRows(runs.rows())
                    .add(runId, run.execution(), EventRows.Type.RUN_CANCELLED, at);
                return Json.write(
                    new FollowUpAccepted(id, FollowUpOutcome.HANDOFF_EXECUTION, Map.of()));
              }
              runs.mode(runId, mode.orElse(nextMode(run, message)));
              log.info("follow-up stored run={} followup={} phase={}", runId, id, run.phase());
              return switch (RunStateMachine.next(run.phase(), new Event.MessageReceived())) {
                case Step.To(ExecutionState next) when next == ExecutionState.QUEUED -> {
                  runs.queue(runId, at);
                  yield Json.write(
                      new FollowUpAccepted(id, FollowUpOutcome.HANDOFF_EXECUTION, Map.of()));
                }
                case Step.To _, Step.Stays _ -> {
                  runs.touch(runId, at);
                  yield Json.write(
                      new FollowUpAccepted(id, FollowUpOutcome.QUEUE_PENDING, Map.of()));
                }
                case Step.Refused(String why) -> throw RequestProblem.invalid(why);
              };
            });
    watchers.changed(runId);
    queueSignal.tell();
    return answer;
  }

  /// A plan that is approved is carried out; other words change the plan. Other modes do not
  /// change.
  private static RunMode nextMode(RunRow run, String message) {
    var mode = new RunMode(run.mode());
    if (!mode.equals(RunMode.PLAN)) {
      return mode;
    }
    return repliesToPlan(run) && PlanReply.of(message) == PlanReply.APPROVED
        ? RunMode.NORMAL
        : RunMode.PLAN;
  }

  /// Whether the run has made a plan that nobody approved.
  private static boolean repliesToPlan(RunRow run) {
    return new RunMode(run.mode()).equals(RunMode.PLAN) && run.phase() == ExecutionState.BLOCKED;
  }

  /// Cancels a queued run at once, or requests cancellation of a running one. Waiting follow-ups
  /// are handed back, and a prompt that no agent received is not sent any more.
  ///
  /// @param asked when the caller made the request; a request made before the run was cancelled
  ///   succeeds, too
  /// @return whether processes must be ended first
  /// @throws RequestProblem if there is no such run, or it has ended
  public boolean cancel(String runId, Instant asked) {
    var since = asked.truncatedTo(ChronoUnit.MICROS);
    var running =
        change(
            (runs, at) -> {
              var run = runs.find(runId).orElseThrow(RequestProblem::noRun);
              if (run.phase() == ExecutionState.CANCELLED
                  && run.finishedAt().map(end -> !end.isBefore(since)).orElse(false)) {
                return false;
              }
              return switch (RunStateMachine.next(run.phase(), new Event.CancelRequested())) {
                case Step.To _ -> {
                  runs.giveFollowUps(runId, 0);
                  if (run.execution() == 0) {
                    runs.dropPrompt(runId);
                  }
                  runs.end(runId, ExecutionResult.cancelled(), at);
                  new EventRows(runs.rows())
                      .add(runId, run.execution(), EventRows.Type.RUN_CANCELLED, at);
                  log.info("run cancelled run={}", runId);
                  yield false;
                }
                case Step.Stays() -> {
                  if (!run.cancelAsked()) {
                    runs.giveFollowUps(runId, 0);
                    runs.askToCancel(runId, at);
                  }
                  yield true;
                }
                case Step.Refused(String why) -> throw RequestProblem.invalid(why);
              };
            });
    watchers.changed(runId);
    return running;
  }

  /// Sets who learns of executions; there is one.
  public void listen(ExecutionListener executionListener) {
    listener = executionListener;
  }

  /// A claimed run, with what its listener learns.
  private record Claimed(ExecutionRequest request, String source, Duration waited) {}

  /// Claims the run whose turn it is, with all its waiting follow-ups.
  ///
  /// @param depth each depth has its own queue, so that a run that waits for runs below it does not
  ///   block them
  public Optional<ExecutionRequest> claimNext(int depth) {
    var claimed =
        change(
            (runs, at) -> {
              if (!membership.mayClaim(runs.rows())
                  || (limits.ofAll().isPresent()
                      && runs.working(depth) >= limits.ofAll().getAsInt())) {
                return Optional.<Claimed>empty();
              }
              var most = limits.ofPerson(membership.slots(runs.rows()));
              var next = runs.nextQueued(depth, membership, most);
              if (next.isEmpty()) {
                return Optional.<Claimed>empty();
              }
              var run = next.get();
              var waited = Duration.between(runs.queuedAt(run.id()), at);
              var executionRequest = job(run, runs);
              runs.giveFollowUps(run.id(), executionRequest.execution());
              runs.claim(executionRequest, membership, at);
              var events = new EventRows(runs.rows());
              events.add(run.id(), executionRequest.execution(), EventRows.Type.RUN_CLAIMED, at);
              events.add(
                  run.id(), executionRequest.execution(), EventRows.Type.SESSION_STARTED, at);
              new TranscriptRows(runs.rows())
                  .add(
                      run.id(),
                      executionRequest.execution(),
                      List.of(new Entry(TranscriptLine.Kind.ASKED, executionRequest.prompt())),
                      at);
              return Optional.of(new Claimed(executionRequest, run.source(), waited));
            });
    claimed.ifPresent(
        it -> {
          watchers.changed(it.request().runId());
          listener.claimed(it.source(), it.waited());
        });
    return claimed.map(Claimed::request);
  }

  /// Records that the agent of the execution may be started from now on, so that nobody does this
  /// execution again. To be called before anything of the agent is started.
  ///
  /// @return whether the run was cancelled meanwhile
  /// @throws ClaimLost if the agent must not be started
  public boolean begin(ExecutionRequest executionRequest) {
    return change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          if (!membership.stands(runs.rows(), executionRequest.claim())) {
            throw new ClaimLost(executionRequest.runId());
          }
          runs.begin(executionRequest.claim(), membership.identity().place());
          return runs.find(executionRequest.runId()).map(RunRow::cancelAsked).orElse(true);
        });
  }

  private static void requireClaim(RunTable runs, ExecutionRequest executionRequest)
      throws SQLException {
    if (!runs.holds(executionRequest)) {
      throw new ClaimLost(executionRequest.runId());
    }
  }

  /// Stores the process of the execution, so that the service can end it after a restart.
  ///
  /// @return whether the run was cancelled meanwhile
  /// @throws ClaimLost if the agent must end
  public boolean launched(
      ExecutionRequest executionRequest, long pid, Optional<Instant> startedAt) {
    return change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          var hadUntaken = !runs.untakenFollowUps(List.of(executionRequest.runId())).isEmpty();
          runs.launched(executionRequest.claim(), pid, startedAt);
          new EventRows(runs.rows())
              .add(
                  executionRequest.runId(),
                  executionRequest.execution(),
                  EventRows.Type.AGENT_STARTED,
                  at);
          if (hadUntaken) {
            // From now on the agent has received them, which is a visible change.
            runs.touch(executionRequest.runId(), at);
          }
          return runs.find(executionRequest.runId()).map(RunRow::cancelAsked).orElse(true);
        });
  }

  /// @throws ClaimLost if the output belongs to nothing any more
  public void heard(ExecutionRequest executionRequest, NewOutput newOutput) {
    if (newOutput.isTextOnly()) {
      append(executionRequest, newOutput.entries());
      return;
    }
    var used =
        change(
            (runs, at) -> {
              requireClaim(runs, executionRequest);
              new TranscriptRows(runs.rows())
                  .add(
                      executionRequest.runId(),
                      executionRequest.execution(),
                      newOutput.entries(),
                      at);
              if (newOutput.status().isPresent()) {
                runs.status(executionRequest.runId(), newOutput.status().get(), at);
              }
              if (newOutput.agentSession().isPresent()) {
                runs.agentSession(executionRequest.runId(), newOutput.agentSession().get());
              }
              if (!newOutput.made().isEmpty()) {
                var before =
                    runs.find(executionRequest.runId())
                        .map(RunRow::artifactItems)
                        .orElse(List.of());
                var now =
                    new FileRows(runs.rows())
                        .add(executionRequest.runId(), newOutput.made(), before, at);
                if (!now.equals(before)) {
                  runs.artifacts(executionRequest.runId(), now, at);
                }
              }
              return newOutput.usage().isNothing()
                  ? Usage.NONE
                  : runs.addUsage(executionRequest.runId(), newOutput.usage());
            });
    watchers.changed(executionRequest.runId());
    if (!used.equals(Usage.NONE)) {
      listener.used(used);
    }
  }

  /// Stores what was seen of the run's last execution, which becomes visible with its end.
  ///
  /// @param json the `evidence` member of the run
  /// @throws ClaimLost if another node has the execution
  public void evidence(ExecutionRequest executionRequest, String json) {
    change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          runs.evidence(executionRequest.runId(), json);
          return at;
        });
  }

  /// Lines are no change of the run, so they need no turn among the changes.
  private void append(ExecutionRequest executionRequest, List<Entry> entries) {
    database.write(
        rows -> {
          requireClaim(new RunTable(rows), executionRequest);
          new TranscriptRows(rows)
              .add(
                  executionRequest.runId(),
                  executionRequest.execution(),
                  entries,
                  clock.instant().truncatedTo(ChronoUnit.MICROS));
          return entries;
        });
    watchers.changed(executionRequest.runId());
  }

  /// Makes the next execution start a new agent session.
  ///
  /// @throws ClaimLost if another execution may have a session meanwhile
  public void forgetSession(ExecutionRequest executionRequest) {
    change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          runs.agentSession(executionRequest.runId(), "");
          return at;
        });
  }

  /// @param next the run's state after the execution
  /// @param report tells the listener; empty if no execution ended
  private record Finished(
      String runId, int depth, ExecutionState next, Optional<Runnable> report) {}

  /// Records the end of an execution whose processes have all ended. Waiting follow-ups start the
  /// next execution.
  ///
  /// @param claim the claim of the execution
  /// @return the run's state after it; empty if the claim did not hold any more, and nothing
  ///   changed
  public Optional<ExecutionState> finish(String claim, ExecutionResult executionResult) {
    return settle(claim, (runs, run, at) -> finished(runs, run, executionResult, at), true);
  }

  /// Records that a node stopped working on an execution, all of whose processes have ended: the
  /// run returns to the queue if its agent was never started, else the execution ends.
  ///
  /// @return the run's state after it; empty if the claim did not hold any more, and nothing
  ///   changed
  public Optional<ExecutionState> giveBack(String claim, ExecutionResult executionResult) {
    return settle(claim, (runs, run, at) -> givenBack(runs, run, claim, executionResult, at), true);
  }

  /// Gives this node's name to executions that have none, in an embedded database: after a rollback
  /// an older version may have worked on it.
  ///
  /// @param node the process that began them; blank for one that is gone
  public void adopt(String node) {
    if (!membership.isAlone()
        || database.<List<?>>read(rows -> new RunTable(rows).unclaimed()).isEmpty()) {
      return;
    }
    change(
        (runs, at) -> {
          for (var run : runs.unclaimed()) {
            var claim = UUID.randomUUID().toString();
            runs.adopt(run, claim, node, membership.identity().name(), at);
          }
          return at;
        });
  }

  /// Ends what lost nodes were working on, or returns it to the queue. Their processes may go on:
  /// they end with those nodes, or when those nodes come back.
  public void endLost() {
    var now = clock.instant();
    List<String> expired = database.read(rows -> NodeMembership.expired(rows, now));
    for (var node : expired) {
      if (change((runs, _) -> NodeMembership.end(runs.rows(), node, clock.instant()))) {
        log.warn("node lost node={}", node);
      }
    }
    List<String> claims = database.read(NodeMembership::claimsOfEnded);
    claims.forEach(this::endLost);
  }

  private void endLost(String claim) {
    var _ =
        settle(
            claim,
            (runs, run, at) -> givenBack(runs, run, claim, ExecutionResult.lost(), at),
            false);
  }

  /// How the execution of a run is settled, within a transaction.
  private interface Settling {
    Finished of(RunTable runs, RunRow run, Instant at) throws SQLException;
  }

  /// @param haveEnded whether all processes of the execution have ended
  private Optional<ExecutionState> settle(String claim, Settling settling, boolean haveEnded) {
    var finished =
        change(
            (runs, at) -> {
              if (haveEnded) {
                runs.forgetClaim(claim);
              }
              var run = runs.claimedAs(claim);
              return run.isEmpty()
                  ? Optional.<Finished>empty()
                  : Optional.of(settling.of(runs, run.get(), at));
            });
    if (finished.isEmpty()) {
      log.warn("execution had been ended by another node claim={}", claim);
      // This node leaves the run alone until its own processes have ended.
      queueSignal.tell();
      return Optional.empty();
    }
    watchers.changed(finished.get().runId());
    finished.get().report().ifPresent(Runnable::run);
    // The run waits, or another one of its person may have waited for its end: see SlotLimits.
    queueSignal.tell(finished.get().depth());
    return finished.map(Finished::next);
  }

  private Finished givenBack(
      RunTable runs, RunRow run, String claim, ExecutionResult executionResult, Instant at)
      throws SQLException {
    if (run.cancelAsked() || !runs.mayStartAgain(claim)) {
      return finished(runs, run, executionResult, at);
    }
    log.info("execution returned to the queue run={} execution={}", run.id(), run.execution());
    runs.unclaim(run, at);
    runs.revokeKeys(run.id());
    return new Finished(run.id(), run.depth(), ExecutionState.QUEUED, Optional.empty());
  }

  private Finished finished(RunTable runs, RunRow run, ExecutionResult executionResult, Instant at)
      throws SQLException {
    var runId = run.id();
    var as = run.cancelAsked() ? ExecutionResult.cancelled() : executionResult;
    var waiting = !runs.waitingFollowUps(runId).isEmpty();
    if (!runs.isLaunched(runId)) {
      runs.handBackFollowUps(runId, run.execution());
      if (as.phase() == ExecutionState.CANCELLED && run.execution() == 1) {
        runs.dropPrompt(runId);
      }
    }
    return switch (RunStateMachine.next(run.phase(), new Event.Ended(as.phase(), waiting))) {
      case Step.To(ExecutionState next) -> {
        var worked = worked(run, at);
        runs.settle(runId, worked);
        runs.revokeKeys(runId);
        new EventRows(runs.rows())
            .add(runId, run.execution(), EventRows.Type.ofEnd(as.phase()), at);
        if (next == ExecutionState.QUEUED) {
          runs.queue(runId, at);
        } else {
          runs.end(runId, as, at);
        }
        log.info(
            "execution ended run={} execution={} as={} next={}",
            runId,
            run.execution(),
            as.phase(),
            next);
        yield new Finished(
            runId,
            run.depth(),
            next,
            Optional.of(
                () -> listener.ended(run.source(), as.phase(), worked.minus(run.worked()))));
      }
      case Step.Stays() -> new Finished(runId, run.depth(), run.phase(), Optional.empty());
      case Step.Refused(String why) -> throw new IllegalStateException(why + ": " + run);
    };
  }

  private ExecutionRequest job(RunRow run, RunTable runs) throws SQLException {
    var waiting = runs.waitingFollowUps(run.id());
    var parts = new ArrayList<String>();
    var prompt = runs.firstPrompt(run.id()).filter(_ -> run.execution() == 0);
    if (prompt.isPresent() && (!prompt.get().isEmpty() || waiting.isEmpty())) {
      parts.add(prompt.get());
    }
    parts.addAll(waiting);
    var config = run.configNode();
    return new ExecutionRequest(
        run.id(),
        run.execution() + 1,
        String.join("\n\n", parts),
        run.sessionId().orElseGet(() -> UUID.randomUUID().toString()),
        run.agentSession(),
        text(config.path("model_id").asText(null)),
        text(config.path("base_prompt").asText(null)),
        config.toString(),
        new RunMode(run.mode()),
        UUID.randomUUID().toString());
  }

  private static Duration worked(RunRow run, Instant now) {
    return run.executionStartedAt()
        .map(start -> run.worked().plus(Duration.between(start, now)))
        .orElse(run.worked());
  }

  private String once(String operation, Optional<IdempotencyKey> key, Change<String> change) {
    return change(
        (runs, at) -> {
          if (key.isEmpty()) {
            return change.make(runs, at);
          }
          var given = runs.answer(operation, key.get());
          if (given.isPresent()) {
            return given.get();
          }
          var answer = change.make(runs, at);
          runs.keepAnswer(operation, key.get(), answer, at);
          return answer;
        });
  }

  private <T> T change(Change<T> change) {
    oneAtATime.lock();
    try {
      return database.write(
          (Rows rows) -> {
            rows.alone(WRITER);
            var runs = new RunTable(rows);
            var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
            var newest = runs.newestChange().map(last -> last.plus(1, ChronoUnit.MICROS));
            return change.make(runs, newest.filter(now::isBefore).orElse(now));
          });
    } finally {
      oneAtATime.unlock();
    }
  }

  private static Optional<String> text(@Nullable String text) {
    return Optional.ofNullable(text).filter(value -> !value.isBlank());
  }
}
