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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Operations of callers on runs: create, follow up, cancel. Each is one transaction, as
/// [RunStateMachine] permits. [ExecutionRecords] makes the changes of executions, and [RunQueries]
/// reads runs. After the commit, watchers of the run are notified, and the queue if a run was
/// queued. Thread-safe.
public final class RunService {
  private static final Logger log = LoggerFactory.getLogger(RunService.class);

  /// Maximum number of descendants of a root run that are created in a day.
  static final int MAX_DESCENDANTS = 100;

  /// Maximum nesting depth of runs that are started by runs.
  public static final int MAX_DEPTH = 3;

  private final RunTransactions transactions;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final NodeMembership membership;
  private final SlotLimits limits;
  private final Map<String, RunSource> sources;
  private final AgentMessages agentMessages = new AgentMessages();
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
  }

  /// @param factoryUid the factory that the run is dispatched to
  /// @return a [CreatedRun]
  public String create(
      NewRun run, Caller caller, Optional<String> factoryUid, Optional<IdempotencyKey> key) {
    var answer =
        transactions.create(
            factoryUid.map(uid -> "create in " + uid).orElse("create"),
            key,
            (runs, at) -> {
              requireNotFrozen();
              requireWorking(runs, caller);
              var family = family(runs, caller);
              if (family.isPresent()) {
                agentMessages.add(family.get(), run, at);
              }
              var id = new RunCreation(runs, sources, at).create(run, caller, factoryUid);
              checkStartLimits(runs, id);
              var slots = membership.slots(runs.rows());
              var atCapacity =
                  runs.working() >= slots || runs.queue().isHeld(id, limits.ofPerson(slots));
              return ServiceJson.write(
                  new CreatedRun(id, RunStateValue.QUEUED, id, atCapacity, Map.of()));
            });
    queueSignal.signal();
    return answer;
  }

  private void requireNotFrozen() {
    var why = startLimits.frozen();
    if (why.isPresent()) {
      throw new RequestProblem(RequestProblem.Code.FEATURE_NOT_AVAILABLE, why.get());
    }
  }

  /// Refuses a request of an agent whose key was revoked after the request had been authenticated.
  private static void requireWorking(RunTable runs, Caller caller) throws SQLException {
    if (caller.scope() instanceof Caller.Scope.Below(String own)
        && runs.find(own)
            .filter(run -> run.state() == ExecutionState.INPROGRESS && !run.isCancelRequested())
            .isEmpty()) {
      throw new RequestProblem(
          RequestProblem.Code.NOT_AUTHORIZED, "The run of this key has ended or is being ended");
    }
  }

  /// The root run of the runs to which an agent's own run belongs; empty if the caller is no agent.
  private static Optional<String> family(RunTable runs, Caller caller) throws SQLException {
    return caller.scope() instanceof Caller.Scope.Below(String own)
        ? runs.find(own).map(RunRow::rootRunId)
        : Optional.empty();
  }

  /// Counts a run that an agent started toward the limits of the person who requested its root run.
  private void checkStartLimits(RunTable runs, String id) throws SQLException {
    var run = runs.find(id).orElseThrow();
    var asked =
        runs.find(run.rootRunId())
            .filter(_ -> run.parentRunId().isPresent())
            .flatMap(root -> TriggerMetadata.delivery(root.metadataEntries()));
    var refusal = asked.flatMap(delivery -> startLimits.refuse(delivery, id));
    if (refusal.isPresent()) {
      throw new RequestProblem(RequestProblem.Code.BUDGET_EXCEEDED, refusal.get());
    }
  }

  /// Creates the run of one due schedule, if there is one.
  ///
  /// @param resolved adds the configuration of the named identity, and defaults
  public boolean startNextDue(UnaryOperator<NewRun> resolved) {
    var started =
        transactions.change(
            (runs, at) -> {
              var due = Schedules.nextToRun(runs.rows(), at);
              if (due.isEmpty()) {
                return false;
              }
              var schedule = due.get();
              String error = null;
              try {
                requireNotFrozen();
                var run = resolved.apply(NewRun.parse(Schedules.runRequest(schedule.body())));
                new RunCreation(runs, sources, at).createScheduled(run, schedule);
              } catch (RequestProblem problem) {
                error = problem.detail();
                log.warn("schedule started no run schedule={} why={}", schedule.id(), error);
              }
              Schedules.recordRun(runs.rows(), schedule, at, error);
              return true;
            });
    if (started) {
      queueSignal.signal();
    }
    return started;
  }

  /// @return a [FollowUpAccepted]
  /// @throws RequestProblem if there is no such run, the message is too large, or the caller is an
  ///   agent whose own run has ended or is being ended, or whose family has sent too much
  /// @param mode the mode of the execution that the message starts, if it starts one
  /// @param interrupts whether to end a working agent, so that the message starts an execution now
  public String followUp(
      String runId,
      String message,
      Caller caller,
      Optional<RunMode> mode,
      boolean interrupts,
      Optional<IdempotencyKey> key) {
    AgentMessages.requireSize(message, caller.scope() instanceof Caller.Scope.Below);
    var followUp =
        new FollowUp(
            UUID.randomUUID().toString(),
            message,
            mode,
            interrupts,
            key.filter(IdempotencyKey::isKeyed).map(IdempotencyKey::value));
    var answer =
        transactions.once(
            "follow-up " + runId,
            key,
            (runs, at) -> {
              requireWorking(runs, caller);
              var run = runs.find(runId).orElseThrow(RequestProblem::noRun);
              var family = family(runs, caller);
              if (family.isPresent()) {
                agentMessages.add(family.get(), message, at);
              }
              var pending = pendingToolPermissions(runs, run);
              requireCurrentRequest(message, pending);
              if (run.state() == ExecutionState.QUEUED
                  && run.execution() == 0
                  && runs.followUps().waiting(runId).isEmpty()) {
                return appendToPrompt(runs, run, followUp, at);
              }
              followUp.add(runs, runId, false, at);
              return mode.isEmpty()
                      && pending.isEmpty()
                      && hasPendingPlan(run)
                      && PlanReply.of(message) == PlanReply.DECLINED
                  ? declinePlan(runs, run, followUp, at)
                  : queueOrPass(runs, run, followUp, pending, at);
            });
    watchers.changed(runId);
    queueSignal.signal();
    return answer;
  }

  /// @param mode see [#followUp]
  /// @param interrupts see [#followUp]
  private record FollowUp(
      String id, String message, Optional<RunMode> mode, boolean interrupts, Optional<String> key) {
    void add(RunTable runs, String runId, boolean inPrompt, Instant at) throws SQLException {
      runs.followUps().add(id, runId, message, key, inPrompt, at);
    }

    String accepted(FollowUpOutcome outcome) {
      return ServiceJson.write(new FollowUpAccepted(id, outcome, Map.of()));
    }
  }

  /// Adds the message to the prompt of a run that no agent has begun.
  private static String appendToPrompt(RunTable runs, RunRow run, FollowUp followUp, Instant at)
      throws SQLException {
    runs.appendToPrompt(run.id(), followUp.message(), at);
    followUp.add(runs, run.id(), true, at);
    if (followUp.mode().isPresent()) {
      runs.mode(run.id(), followUp.mode().get());
    }
    return ServiceJson.write(new FollowUpAccepted(null, FollowUpOutcome.QUEUED_PROMPT, Map.of()));
  }

  /// Ends the run, whose plan waits for approval.
  private static String declinePlan(RunTable runs, RunRow run, FollowUp followUp, Instant at)
      throws SQLException {
    runs.followUps().assign(run.id(), run.execution());
    clearPermissions(runs, run.id());
    runs.end(run.id(), ExecutionResult.declined(), at);
    new EventRows(runs.rows()).add(run.id(), run.execution(), EventRows.Type.RUN_CANCELLED, at);
    return followUp.accepted(FollowUpOutcome.LIVE_SESSION);
  }

  /// Queues a run that has ended or waits for a person, so that its next execution gets the
  /// message. If the run is queued or in progress, the message waits for that execution, or for the
  /// working agent.
  ///
  /// @param pending see [#pendingToolPermissions]
  private String queueOrPass(
      RunTable runs, RunRow run, FollowUp followUp, Optional<ToolPermissions> pending, Instant at)
      throws SQLException {
    if (pending.isPresent()) {
      runs.toolPermissions(
          run.id(), pending.get().withAnswer(followUp.message(), run.execution() + 1));
    }
    var nextMode =
        followUp
            .mode()
            .orElseGet(
                () ->
                    pending.isPresent()
                        ? new RunMode(run.mode())
                        : nextMode(run, followUp.message()));
    if (!nextMode.value().equals(run.mode())) {
      runs.mode(run.id(), nextMode);
      runs.acceptsMessages(run.id(), false);
    }
    if (followUp.interrupts()) {
      runs.requestInterrupt(run.id());
    }
    log.info("follow-up stored run={} followup={} state={}", run.id(), followUp.id(), run.state());
    return switch (RunStateMachine.next(run.state(), new Event.MessageReceived())) {
      case Step.ChangesTo(ExecutionState next) when next == ExecutionState.QUEUED -> {
        requireNotFrozen();
        runs.queue(run.id(), at);
        yield followUp.accepted(FollowUpOutcome.HANDOFF_EXECUTION);
      }
      case Step.ChangesTo _, Step.Stays _ -> {
        runs.touch(run.id(), at);
        yield followUp.accepted(
            runs.acceptsMessages(run.id())
                ? FollowUpOutcome.LIVE_SESSION
                : FollowUpOutcome.QUEUE_PENDING);
      }
      case Step.Refused(String why) -> throw RequestProblem.invalid(why);
    };
  }

  /// After a plan, an approval switches to carrying it out, and any other message changes the plan.
  /// Other modes do not change.
  private static RunMode nextMode(RunRow run, String message) {
    var mode = new RunMode(run.mode());
    if (!mode.equals(RunMode.PLAN)) {
      return mode;
    }
    return hasPendingPlan(run) && PlanReply.of(message) == PlanReply.APPROVED
        ? RunMode.NORMAL
        : RunMode.PLAN;
  }

  /// An answer that names its request is only valid for that request.
  private static void requireCurrentRequest(String message, Optional<ToolPermissions> pending) {
    var request = ToolReply.answered(message);
    if (ToolReply.of(message).isAllowed()
        && request.isPresent()
        && pending.filter(it -> it.requests() == request.getAsInt()).isEmpty()) {
      throw RequestProblem.invalid("The run no longer asks this, so the answer has no effect");
    }
  }

  /// The tool permissions of the run, if it is currently asking about a tool; empty if not.
  private static Optional<ToolPermissions> pendingToolPermissions(RunTable runs, RunRow run)
      throws SQLException {
    return Optional.of(runs.toolPermissions(run.id()))
        .filter(it -> run.state() == ExecutionState.BLOCKED && it.asked() != null);
  }

  private static void clearPermissions(RunTable runs, String runId) throws SQLException {
    var permissions = runs.toolPermissions(runId);
    runs.changeToolPermissions(runId, permissions, permissions.afterEnd());
  }

  /// Whether the run has a plan that waits for approval.
  private static boolean hasPendingPlan(RunRow run) {
    return new RunMode(run.mode()).equals(RunMode.PLAN) && run.state() == ExecutionState.BLOCKED;
  }

  /// Cancels a run and, in the same transaction, the runs below it that have not ended: a run that
  /// is queued or waits for a person at once; of a run in progress it requests the cancellation.
  /// Waiting follow-ups become undelivered, and a prompt that no agent received is not sent to a
  /// later one.
  ///
  /// @param includesBlocked whether the run is cancelled if it waits for a person, too
  /// @param asked when the caller made the request; a request made before the run was cancelled
  ///   succeeds, too
  /// @return the runs whose processes must be ended first
  /// @throws RequestProblem if there is no such run, or it has ended; but a cancelled run is no
  ///   problem if a run below it has not ended
  public List<String> cancel(String runId, boolean includesBlocked, Instant asked) {
    var since = asked.truncatedTo(ChronoUnit.MICROS);
    var cancellation =
        transactions.change(
            (runs, at) -> {
              var run = runs.find(runId).orElseThrow(RequestProblem::noRun);
              var below = runs.unfinishedBelow(runId);
              var isRepeated =
                  run.state() == ExecutionState.CANCELLED
                      && (!below.isEmpty()
                          || run.finishedAt().map(end -> !end.isBefore(since)).orElse(false));
              var ending = new ArrayList<String>();
              if (!isRepeated && cancel(runs, run, includesBlocked, at)) {
                ending.add(runId);
              }
              var next = at;
              for (var id : below) {
                next = next.plus(1, ChronoUnit.MICROS);
                if (cancel(runs, runs.find(id).orElseThrow(), true, next)) {
                  ending.add(id);
                }
              }
              return new Cancellation(below, ending);
            });
    watchers.changed(runId);
    cancellation.below().forEach(watchers::changed);
    return cancellation.ending();
  }

  /// @param below the runs below the cancelled one that had not ended
  /// @param ending see [#cancel]
  private record Cancellation(List<String> below, List<String> ending) {}

  /// @return whether processes must be ended first
  private static boolean cancel(RunTable runs, RunRow run, boolean includesBlocked, Instant at)
      throws SQLException {
    return switch (RunStateMachine.next(run.state(), new Event.CancelRequested(includesBlocked))) {
      case Step.ChangesTo _ -> {
        runs.followUps().assign(run.id(), 0);
        if (run.execution() == 0) {
          runs.dropPrompt(run.id());
        }
        clearPermissions(runs, run.id());
        runs.end(run.id(), ExecutionResult.cancelled(), at);
        new EventRows(runs.rows()).add(run.id(), run.execution(), EventRows.Type.RUN_CANCELLED, at);
        log.info("run cancelled run={}", run.id());
        yield false;
      }
      case Step.Stays() -> {
        if (!run.isCancelRequested()) {
          runs.followUps().assign(run.id(), 0);
          runs.requestCancel(run.id(), at);
          // Its agent must start no runs while it is being ended.
          runs.revokeKeys(run.id());
        }
        yield true;
      }
      case Step.Refused(String why) -> throw RequestProblem.invalid(why);
    };
  }

  /// Sets the limits of the people who ask for runs.
  public void limitStarts(StartLimits startLimits) {
    this.startLimits = startLimits;
  }
}
