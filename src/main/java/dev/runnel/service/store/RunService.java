package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionListener;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.Json;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.PlanReply;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunMachine;
import dev.runnel.service.run.RunMachine.Event;
import dev.runnel.service.run.RunMachine.Step;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.TranscriptRows.Entry;
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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All changes to runs, each in one transaction and as [RunMachine] permits; [RunQueries] reads
/// them. After the commit, watchers of the run are notified, and the queue if a run was queued.
/// Thread-safe.
///
/// Every visible change sets `updated_at` to a value greater than that of any run before, so that a
/// client that polls for changes since its last response misses nothing. The position in the queue
/// does not count as a change; it is computed on read.
public final class RunService {
  private static final Logger log = LoggerFactory.getLogger(RunService.class);

  /// Maximum depth of runs that are started by runs.
  public static final int DEEPEST = 3;

  private static final Duration ANSWERS_ARE_KEPT = Duration.ofDays(7);

  /// New output of an execution since the last report.
  public record NewOutput(
      List<Entry> entries,
      Optional<String> status,
      List<NewArtifact> made,
      Optional<String> agentSession,
      Usage usage) {}

  /// A change within a transaction, with the time of the change.
  private interface Change<T> {
    T make(RunTable runs, Instant at) throws SQLException;
  }

  private final Database database;
  private final InstantSource clock;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final int slots;
  private final Map<String, RunSource> sources;
  private volatile ExecutionListener listener = ExecutionListener.NONE;
  // Guarded by the database's write lock, which admits one transaction at a time.
  private Instant newest;

  /// @param queueSignal notified whenever a run is queued
  /// @param slots maximum number of concurrent executions at each depth
  /// @param sources the sources of runs by the name of Runnel's surface
  public RunService(
      Database database,
      InstantSource clock,
      RunWatchers watchers,
      QueueSignal queueSignal,
      int slots,
      Map<String, RunSource> sources) {
    this.slots = slots;
    this.sources = Map.copyOf(sources);
    this.database = database;
    this.clock = clock;
    this.watchers = watchers;
    this.queueSignal = queueSignal;
    this.newest =
        database
            .<Optional<Instant>>read(rows -> new RunTable(rows).newestChange())
            .orElse(Instant.EPOCH);
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
              var atCapacity = runs.working() >= slots;
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
              return switch (RunMachine.next(run.phase(), new Event.MessageReceived())) {
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
              return switch (RunMachine.next(run.phase(), new Event.CancelRequested())) {
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
              var next = runs.nextQueued(depth);
              if (next.isEmpty()) {
                return Optional.<Claimed>empty();
              }
              var run = next.get();
              var waited = Duration.between(runs.queuedAt(run.id()), at);
              var executionRequest = job(run, runs);
              runs.giveFollowUps(run.id(), executionRequest.execution());
              runs.claim(run.id(), executionRequest.sessionId(), at);
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

  /// Stores the process of the execution, so that the service can end it after a restart.
  ///
  /// @return whether the run was cancelled meanwhile
  public boolean launched(
      ExecutionRequest executionRequest, long pid, Optional<Instant> startedAt) {
    return change(
        (runs, at) -> {
          var hadUntaken = !runs.untakenFollowUps(List.of(executionRequest.runId())).isEmpty();
          runs.launched(executionRequest.runId(), pid, startedAt);
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

  public void heard(ExecutionRequest executionRequest, NewOutput newOutput) {
    var used =
        change(
            (runs, at) -> {
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
  public void evidence(String runId, String json) {
    change(
        (runs, at) -> {
          runs.evidence(runId, json);
          return at;
        });
  }

  /// Makes the next execution start a new agent session.
  public void forgetSession(String runId) {
    change(
        (runs, at) -> {
          runs.agentSession(runId, "");
          return at;
        });
  }

  /// @param next the run's state after the execution
  /// @param report tells the listener; empty if no execution ended
  private record Finished(ExecutionState next, Optional<Runnable> report) {}

  /// Records the end of an execution whose processes have all ended. Waiting follow-ups start the
  /// next execution.
  public ExecutionState finish(String runId, ExecutionResult executionResult) {
    var finished =
        change(
            (runs, at) -> {
              var run = runs.find(runId).orElseThrow(RequestProblem::noRun);
              var as = run.cancelAsked() ? ExecutionResult.cancelled() : executionResult;
              var waiting = !runs.waitingFollowUps(runId).isEmpty();
              if (!runs.isLaunched(runId)) {
                runs.handBackFollowUps(runId, run.execution());
                if (as.phase() == ExecutionState.CANCELLED && run.execution() == 1) {
                  runs.dropPrompt(runId);
                }
              }
              return switch (RunMachine.next(run.phase(), new Event.Ended(as.phase(), waiting))) {
                case Step.To(ExecutionState next) -> {
                  var worked = worked(run, at);
                  runs.settle(runId, worked);
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
                      next,
                      Optional.of(
                          () ->
                              listener.ended(
                                  run.source(), as.phase(), worked.minus(run.worked()))));
                }
                case Step.Stays() -> new Finished(run.phase(), Optional.empty());
                case Step.Refused(String why) -> throw new IllegalStateException(why + ": " + run);
              };
            });
    watchers.changed(runId);
    finished.report().ifPresent(Runnable::run);
    if (finished.next() == ExecutionState.QUEUED) {
      queueSignal.tell();
    }
    return finished.next();
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
        new RunMode(run.mode()));
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
    return database.write(
        (Rows rows) -> {
          var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
          newest = now.isAfter(newest) ? now : newest.plus(1, ChronoUnit.MICROS);
          return change.make(new RunTable(rows), newest);
        });
  }

  private static Optional<String> text(@Nullable String text) {
    return Optional.ofNullable(text).filter(value -> !value.isBlank());
  }
}
