package dev.runnel.service.store;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.RunStateMachine;
import dev.runnel.service.run.RunStateMachine.Event;
import dev.runnel.service.run.RunStateMachine.Step;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.ToolPermissions;
import dev.runnel.service.run.TriggerMetadata;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.text.PlanReply;
import dev.runnel.text.ToolReply;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpOutcome;
import dev.runnel.wire.RunMode;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.RunStateValue;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What callers ask of runs: to create them, to say more to them, to cancel them. Each is one
/// transaction and as [RunStateMachine] permits. [ExecutionRecords] has the changes that executions
/// make, and [RunQueries] reads runs. After the commit, watchers of the run are notified, and the
/// queue if a run was queued. Thread-safe.
public final class RunService {
  private static final Logger log = LoggerFactory.getLogger(RunService.class);

  /// Maximum number of runs below one that starts them, at all depths, that are made in a day.
  static final int MAX_IN_FAMILY = 100;

  /// Maximum depth of runs that are started by runs.
  public static final int DEEPEST = 3;

  private static final Duration ANSWERS_ARE_KEPT = Duration.ofDays(7);

  private final RunTransactions transactions;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final NodeMembership membership;
  private final SlotLimits limits;
  private final Map<String, RunSource> sources;
  private volatile StartLimits startLimits = StartLimits.NONE;

  /// @param queueSignal notified whenever a run is queued
  /// @param membership this process among those that share the database
  /// @param limits of concurrent executions at each depth
  /// @param sources the sources of runs by the name of Runnel's surface
  public RunService(
      RunTransactions transactions,
      RunWatchers watchers,
      QueueSignal queueSignal,
      NodeMembership membership,
      SlotLimits limits,
      Map<String, RunSource> sources) {
    this.membership = membership;
    this.limits = limits;
    this.sources = Map.copyOf(sources);
    this.transactions = transactions;
    this.watchers = watchers;
    this.queueSignal = queueSignal;
    transactions.change(
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
        transactions.once(
            factoryUid.map(uid -> "create in " + uid).orElse("create"),
            key,
            (runs, at) -> {
              requireUnfrozen();
              var id = new RunCreation(runs, sources, at).asked(run, caller, factoryUid);
              countInFamily(runs, id);
              var slots = membership.slots(runs.rows());
              var atCapacity =
                  runs.working() >= slots || runs.queue().isHeld(id, limits.ofPerson(slots));
              return ServiceJson.write(
                  new CreatedRun(id, RunStateValue.QUEUED, id, atCapacity, Map.of()));
            });
    queueSignal.tell();
    return answer;
  }

  private void requireUnfrozen() {
    var why = startLimits.frozen();
    if (why.isPresent()) {
      throw RequestProblem.invalid(why.get());
    }
  }

  /// The run of an agent counts as one of the person who asked for the first run of its family.
  private void countInFamily(RunTable runs, String id) throws SQLException {
    var run = runs.find(id).orElseThrow();
    var asked =
        runs.find(run.rootRunId())
            .filter(_ -> run.parentRunId().isPresent())
            .flatMap(root -> TriggerMetadata.delivery(root.metadataEntries()));
    var refusal = asked.flatMap(delivery -> startLimits.refuse(delivery, id));
    if (refusal.isPresent()) {
      throw RequestProblem.invalid(refusal.get());
    }
  }

  /// Creates the run of one due schedule, if there is one.
  ///
  /// @param resolved adds the configuration of the named identity, and defaults
  public boolean startDue(UnaryOperator<NewRun> resolved) {
    var started =
        transactions.change(
            (runs, at) -> {
              var due = Schedules.due(runs.rows(), at);
              if (due.isEmpty()) {
                return false;
              }
              var schedule = due.get();
              String error = null;
              try {
                requireUnfrozen();
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
  /// @param interrupts whether a working agent is ended, so that the message starts an execution
  ///   now
  public String followUp(
      String runId,
      String message,
      Optional<RunMode> mode,
      boolean interrupts,
      Optional<IdempotencyKey> key) {
    var answer =
        transactions.once(
            "follow-up " + runId,
            key,
            (runs, at) -> {
              var run = runs.find(runId).orElseThrow(RequestProblem::noRun);
              var answers = answersAboutTool(runs, run);
              requireAsked(message, answers);
              if (run.phase() == ExecutionState.QUEUED
                  && run.execution() == 0
                  && runs.followUps().waiting(runId).isEmpty()) {
                runs.appendToPrompt(runId, message, at);
                runs.followUps()
                    .add(
                        UUID.randomUUID().toString(),
                        runId,
                        message,
                        key.map(IdempotencyKey::value),
                        true,
                        at);
                if (mode.isPresent()) {
                  runs.mode(runId, mode.get());
                }
                return ServiceJson.write(
                    new FollowUpAccepted(null, FollowUpOutcome.QUEUED_PROMPT, Map.of()));
              }
              var id = UUID.randomUUID().toString();
              runs.followUps().add(id, runId, message, key.map(IdempotencyKey::value), false, at);
              if (mode.isEmpty()
                  && answers.isEmpty()
                  && repliesToPlan(run)
                  && PlanReply.of(message) == PlanReply.DECLINED) {
                runs.followUps().give(runId, run.execution());
                endPermissions(runs, runId);
                runs.end(runId, ExecutionResult.declined(), at);
                new EventRows(runs.rows())
                    .add(runId, run.execution(), EventRows.Type.RUN_CANCELLED, at);
                return ServiceJson.write(
                    new FollowUpAccepted(id, FollowUpOutcome.HANDOFF_EXECUTION, Map.of()));
              }
              if (answers.isPresent()) {
                runs.toolPermissions(runId, answers.get().answered(message, run.execution() + 1));
              }
              runs.mode(
                  runId,
                  mode.orElseGet(
                      () ->
                          answers.isPresent() ? new RunMode(run.mode()) : nextMode(run, message)));
              if (interrupts) {
                runs.askToInterrupt(runId);
              }
              log.info("follow-up stored run={} followup={} phase={}", runId, id, run.phase());
              return switch (RunStateMachine.next(run.phase(), new Event.MessageReceived())) {
                case Step.To(ExecutionState next) when next == ExecutionState.QUEUED -> {
                  runs.queue(runId, at);
                  yield ServiceJson.write(
                      new FollowUpAccepted(id, FollowUpOutcome.HANDOFF_EXECUTION, Map.of()));
                }
                case Step.To _, Step.Stays _ -> {
                  runs.touch(runId, at);
                  yield ServiceJson.write(
                      new FollowUpAccepted(
                          id,
                          runs.takesMessages(runId) && !interrupts
                              ? FollowUpOutcome.LIVE_SESSION
                              : FollowUpOutcome.QUEUE_PENDING,
                          Map.of()));
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

  /// An answer that names its request permits no other.
  private static void requireAsked(String message, Optional<ToolPermissions> asking) {
    var request = ToolReply.answered(message);
    if (ToolReply.of(message).isAllowed()
        && request.isPresent()
        && asking.filter(it -> it.requests() == request.getAsInt()).isEmpty()) {
      throw RequestProblem.invalid("The run no longer asks this, so this permits nothing");
    }
  }

  /// What was decided about the tools of the run, if it asks about one now.
  private static Optional<ToolPermissions> answersAboutTool(RunTable runs, RunRow run)
      throws SQLException {
    return Optional.of(runs.toolPermissions(run.id()))
        .filter(it -> run.phase() == ExecutionState.BLOCKED && it.asked() != null);
  }

  private static void endPermissions(RunTable runs, String runId) throws SQLException {
    var permissions = runs.toolPermissions(runId);
    runs.changeToolPermissions(runId, permissions, permissions.ended());
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
        transactions.change(
            (runs, at) -> {
              var run = runs.find(runId).orElseThrow(RequestProblem::noRun);
              if (run.phase() == ExecutionState.CANCELLED
                  && run.finishedAt().map(end -> !end.isBefore(since)).orElse(false)) {
                return false;
              }
              return switch (RunStateMachine.next(run.phase(), new Event.CancelRequested())) {
                case Step.To _ -> {
                  runs.followUps().give(runId, 0);
                  if (run.execution() == 0) {
                    runs.dropPrompt(runId);
                  }
                  endPermissions(runs, runId);
                  runs.end(runId, ExecutionResult.cancelled(), at);
                  new EventRows(runs.rows())
                      .add(runId, run.execution(), EventRows.Type.RUN_CANCELLED, at);
                  log.info("run cancelled run={}", runId);
                  yield false;
                }
                case Step.Stays() -> {
                  if (!run.cancelAsked()) {
                    runs.followUps().give(runId, 0);
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

  /// Sets the limits of the people who ask for runs.
  public void limitStarts(StartLimits startLimits) {
    this.startLimits = startLimits;
  }
}
