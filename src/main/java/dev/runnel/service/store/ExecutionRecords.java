package dev.runnel.service.store;

import dev.runnel.service.run.ClaimLost;
import dev.runnel.service.run.ExecutionListener;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.RunStateMachine;
import dev.runnel.service.run.RunStateMachine.Event;
import dev.runnel.service.run.RunStateMachine.Step;
import dev.runnel.service.run.ToolCall;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.run.limit.StartLimits;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.wire.RunMode;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records the progress of executions, from the claim of a queued run to its end. Only the holder
/// of a valid claim can record anything: a process that was considered lost cannot. After the
/// commit, watchers of the run are notified, and the queue if a run was queued. Thread-safe.
public final class ExecutionRecords {
  private static final Logger log = LoggerFactory.getLogger(ExecutionRecords.class);

  /// New output of an execution since the last report.
  public record NewOutput(
      List<Entry> entries,
      Optional<String> status,
      List<NewArtifact> artifacts,
      Optional<String> agentSession,
      Usage usage) {
    boolean isTextOnly() {
      return status.isEmpty() && artifacts.isEmpty() && agentSession.isEmpty() && usage.isEmpty();
    }
  }

  private final RunTransactions transactions;
  private final RunWatchers watchers;
  private final QueueSignal queueSignal;
  private final NodeMembership membership;
  private final SlotLimits limits;
  private volatile ExecutionListener listener = ExecutionListener.NONE;
  private volatile StartLimits startLimits = StartLimits.NONE;

  /// @param queueSignal notified whenever a run is queued
  /// @param membership this process among those that share the database
  /// @param limits of concurrent executions at each depth
  public ExecutionRecords(
      RunTransactions transactions,
      RunWatchers watchers,
      QueueSignal queueSignal,
      NodeMembership membership,
      SlotLimits limits) {
    this.transactions = transactions;
    this.watchers = watchers;
    this.queueSignal = queueSignal;
    this.membership = membership;
    this.limits = limits;
  }

  /// Sets the only listener of executions.
  public void listen(ExecutionListener executionListener) {
    listener = executionListener;
  }

  /// Sets the limits that count the cost of runs that were started by other runs.
  public void limitStarts(StartLimits startLimits) {
    this.startLimits = startLimits;
  }

  /// A claimed run, with the data for the listener.
  private record Claimed(ExecutionRequest request, String source, Duration waited) {}

  /// Claims the next run in the queue, with all its waiting follow-ups.
  ///
  /// @param depth each depth has its own queue, so that a run that waits for runs below it does not
  ///   block them
  public Optional<ExecutionRequest> claimNext(int depth) {
    var claimed =
        transactions.change(
            (runs, at) -> {
              if (!membership.mayClaim(runs.rows())
                  || (limits.ofAll().isPresent()
                      && runs.working(depth) >= limits.ofAll().getAsInt())) {
                return Optional.<Claimed>empty();
              }
              var maxPerPerson = limits.ofPerson(membership.slots(runs.rows()));
              var next = runs.nextQueued(depth, membership, maxPerPerson);
              if (next.isEmpty()) {
                return Optional.<Claimed>empty();
              }
              var run = next.get();
              var waited = Duration.between(runs.queuedAt(run.id()), at);
              var executionRequest = newRequest(run, runs);
              runs.followUps().assign(run.id(), executionRequest.execution());
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

  /// Records that the workspace is ready and the agent of the execution may be started from now on,
  /// so that no node repeats this execution. Call it before any process of the agent is started.
  ///
  /// @return whether the run was cancelled meanwhile
  /// @throws ClaimLost if the claim is no longer valid; the agent must not be started
  public boolean begin(ExecutionRequest executionRequest) {
    return transactions.change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          if (!membership.isClaimValid(runs.rows(), executionRequest.claim())) {
            throw new ClaimLost(executionRequest.runId());
          }
          runs.begin(executionRequest.claim(), membership.identity().place());
          new EventRows(runs.rows())
              .add(
                  executionRequest.runId(),
                  executionRequest.execution(),
                  EventRows.Type.CONTAINER_READY,
                  at);
          return runs.find(executionRequest.runId()).map(RunRow::isCancelRequested).orElse(true);
        });
  }

  private static void requireClaim(RunTable runs, ExecutionRequest executionRequest)
      throws SQLException {
    if (!runs.lockClaim(executionRequest)) {
      throw new ClaimLost(executionRequest.runId());
    }
  }

  /// Stores the process of the execution, so that the service can end it after a restart.
  ///
  /// @param acceptsMessages whether the agent accepts messages while it works
  /// @return whether the run was cancelled meanwhile
  /// @throws ClaimLost if the claim is no longer valid; the agent must be ended
  public boolean launched(
      ExecutionRequest executionRequest,
      long pid,
      Optional<Instant> startedAt,
      boolean acceptsMessages) {
    return transactions.change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          var hadUnread = !runs.followUps().unread(List.of(executionRequest.runId())).isEmpty();
          runs.launched(executionRequest.claim(), pid, startedAt);
          var run = runs.find(executionRequest.runId());
          var isSameMode =
              run.filter(it -> it.mode().equals(executionRequest.mode().value())).isPresent();
          runs.acceptsMessages(executionRequest.runId(), acceptsMessages && isSameMode);
          new EventRows(runs.rows())
              .add(
                  executionRequest.runId(),
                  executionRequest.execution(),
                  EventRows.Type.AGENT_STARTED,
                  at);
          if (hadUnread) {
            // From now on the agent has received them, which is a visible change.
            runs.touch(executionRequest.runId(), at);
          }
          return run.map(RunRow::isCancelRequested).orElse(true);
        });
  }

  /// @throws ClaimLost if the claim is no longer valid
  public void recordOutput(ExecutionRequest executionRequest, NewOutput newOutput) {
    if (newOutput.isTextOnly()) {
      append(executionRequest, newOutput.entries());
      return;
    }
    var used =
        transactions.change(
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
              if (!newOutput.artifacts().isEmpty()) {
                var before =
                    runs.find(executionRequest.runId())
                        .map(RunRow::artifactItems)
                        .orElse(List.of());
                var now =
                    new FileRows(runs.rows())
                        .add(executionRequest.runId(), newOutput.artifacts(), before, at);
                if (!now.equals(before)) {
                  runs.artifacts(executionRequest.runId(), now, at);
                }
              }
              return newOutput.usage().isEmpty()
                  ? Usage.NONE
                  : runs.addUsage(executionRequest.runId(), newOutput.usage());
            });
    watchers.changed(executionRequest.runId());
    if (!used.equals(Usage.NONE)) {
      listener.used(used);
    }
  }

  /// A follow-up and the line with which it is written to an agent.
  public record Offered(String id, String line) {}

  /// Stores that the waiting follow-ups are offered to the working agent. They remain waiting until
  /// [#markRead].
  ///
  /// @param lines creates the agent's line from the id and the message; empty if the agent accepts
  ///   none now
  /// @return the follow-ups that were not offered to this execution before, oldest first
  /// @throws ClaimLost if the claim is no longer valid
  public List<Offered> offer(
      ExecutionRequest executionRequest, BiFunction<String, String, Optional<String>> lines) {
    List<FollowUpRows.Waiting> waiting =
        transactions.read(rows -> new FollowUpRows(rows).offerable(executionRequest));
    if (waiting.isEmpty()) {
      return List.of();
    }
    return transactions.change(
        (runs, _) -> {
          requireClaim(runs, executionRequest);
          var offered = new ArrayList<Offered>();
          for (var each : runs.followUps().offerable(executionRequest)) {
            var line = lines.apply(each.id(), each.message());
            if (line.isEmpty()) {
              break;
            }
            runs.followUps().offer(each.id(), executionRequest.execution());
            offered.add(new Offered(each.id(), line.get()));
          }
          return offered;
        });
  }

  /// Whether the agent must be ended, so that the next execution can begin.
  public boolean isInterrupted(ExecutionRequest executionRequest) {
    return transactions.read(rows -> new RunTable(rows).isInterrupted(executionRequest.claim()));
  }

  /// Stores that the working agent has read a follow-up.
  ///
  /// @throws ClaimLost if the claim is no longer valid
  public void markRead(ExecutionRequest executionRequest, String followUp) {
    transactions.change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          var message = runs.followUps().markRead(executionRequest, followUp);
          if (message.isPresent()) {
            new TranscriptRows(runs.rows())
                .add(
                    executionRequest.runId(),
                    executionRequest.execution(),
                    List.of(new Entry(TranscriptLine.Kind.ASKED, message.get())),
                    at);
            runs.touch(executionRequest.runId(), at);
            log.info(
                "follow-up read by working agent run={} followup={}",
                executionRequest.runId(),
                followUp);
          }
          return at;
        });
    watchers.changed(executionRequest.runId());
  }

  /// Stores that the agent has ended without reading the follow-ups that are still offered.
  ///
  /// @throws ClaimLost if the claim is no longer valid
  public void withdrawOffers(ExecutionRequest executionRequest) {
    transactions.change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          runs.followUps().withdrawOffers(executionRequest);
          return at;
        });
  }

  /// Stores the evidence of the execution, which becomes visible when it has ended.
  ///
  /// @param json the `evidence` member of the run
  /// @throws ClaimLost if the claim is no longer valid
  public void evidence(ExecutionRequest executionRequest, String json) {
    transactions.change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          runs.evidence(executionRequest.runId(), json);
          return at;
        });
  }

  /// Stores that a person is asked about a call. The execution ends with it.
  ///
  /// @return the number of requests of the run, including this one
  /// @throws ClaimLost if the claim is no longer valid
  public int requestPermission(ExecutionRequest executionRequest, ToolCall call) {
    return transactions.change(
        (runs, _) -> {
          requireClaim(runs, executionRequest);
          var permissions = runs.toolPermissions(executionRequest.runId()).withRequest(call);
          runs.toolPermissions(executionRequest.runId(), permissions);
          return permissions.requests();
        });
  }

  /// Uses the permission of a call, if a person gave it. A permission for one call is consumed
  /// before the agent can make the call.
  ///
  /// @return whether it is permitted
  /// @throws ClaimLost if the claim is no longer valid
  public boolean usePermission(ExecutionRequest executionRequest, ToolCall call) {
    return transactions.change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          var permissions = runs.toolPermissions(executionRequest.runId());
          if (!permissions.permits(call)) {
            return false;
          }
          runs.toolPermissions(executionRequest.runId(), permissions.afterUse(call));
          return true;
        });
  }

  /// Transcript lines do not change the run, so they need not be serialized with changes.
  private void append(ExecutionRequest executionRequest, List<Entry> entries) {
    transactions.writeConcurrently(
        rows -> {
          requireClaim(new RunTable(rows), executionRequest);
          new TranscriptRows(rows)
              .add(
                  executionRequest.runId(),
                  executionRequest.execution(),
                  entries,
                  transactions.now());
          return entries;
        });
    watchers.changed(executionRequest.runId());
  }

  /// Makes the next execution start a new agent session.
  ///
  /// @throws ClaimLost if the claim is no longer valid
  public void forgetSession(ExecutionRequest executionRequest) {
    transactions.change(
        (runs, at) -> {
          requireClaim(runs, executionRequest);
          runs.agentSession(executionRequest.runId(), "");
          return at;
        });
  }

  /// @param next the run's state after the execution
  /// @param report notifies the listener; empty if no execution ended
  private record Finished(
      String runId, int depth, ExecutionState next, Optional<Runnable> report) {}

  /// Records the end of an execution whose processes have all ended. Waiting follow-ups start the
  /// next execution.
  ///
  /// @param claim the claim of the execution
  /// @return the run's new state; empty if the claim was no longer valid, and nothing changed
  public Optional<ExecutionState> finish(String claim, ExecutionResult executionResult) {
    return settle(claim, (runs, run, at) -> finished(runs, run, executionResult, at), true);
  }

  /// Records that a node stopped working on an execution, all of whose processes have ended: the
  /// run returns to the queue if its agent was never started, else the execution ends.
  ///
  /// @return the run's new state; empty if the claim was no longer valid, and nothing changed
  public Optional<ExecutionState> returnToQueue(String claim, ExecutionResult executionResult) {
    return settle(claim, (runs, run, at) -> returned(runs, run, claim, executionResult, at), true);
  }

  /// Corrects the claims in an embedded database, if an older version was used after a rollback.
  ///
  /// @param node the id of the process that started the agents; blank if that process has ended
  public void correctClaims(String node) {
    if (!membership.isAlone()
        || !transactions.<Boolean>read(rows -> new RunTable(rows).hasIncorrectClaims())) {
      return;
    }
    transactions.change(
        (runs, at) -> {
          runs.correctClaims(node, membership.identity().name(), at);
          return at;
        });
  }

  /// Ends the executions of lost nodes, or returns their runs to the queue. Their processes may
  /// still be running until those nodes stop or reconnect.
  public void endLostExecutions() {
    var now = transactions.now();
    List<String> expired = transactions.read(rows -> NodeMembership.expired(rows, now));
    for (var node : expired) {
      if (transactions.change(
          (runs, _) -> NodeMembership.end(runs.rows(), node, transactions.now()))) {
        log.warn("node lost node={}", node);
      }
    }
    List<String> claims = transactions.read(NodeMembership::claimsOfEnded);
    claims.forEach(this::endLostExecutions);
  }

  private void endLostExecutions(String claim) {
    var _ =
        settle(
            claim,
            (runs, run, at) -> returned(runs, run, claim, ExecutionResult.nodeLost(), at),
            false);
  }

  /// Ends an execution or returns its run to the queue, within a transaction.
  private interface Settlement {
    Finished of(RunTable runs, RunRow run, Instant at) throws SQLException;
  }

  /// @param processesEnded whether all processes of the execution have ended
  private Optional<ExecutionState> settle(
      String claim, Settlement settlement, boolean processesEnded) {
    var finished =
        transactions.change(
            (runs, at) -> {
              if (processesEnded) {
                runs.deleteClaim(claim);
              }
              var run = runs.claimedAs(claim);
              return run.isEmpty()
                  ? Optional.<Finished>empty()
                  : Optional.of(settlement.of(runs, run.get(), at));
            });
    if (finished.isEmpty()) {
      log.warn("execution already ended by another node claim={}", claim);
      // The run could not be claimed here until its processes on this node had ended, so wake the
      // queue.
      queueSignal.signal();
      return Optional.empty();
    }
    watchers.changed(finished.get().runId());
    finished.get().report().ifPresent(Runnable::run);
    // The run waits again, or another run of the same person waits for a slot: see SlotLimits.
    queueSignal.signal(finished.get().depth());
    return finished.map(Finished::next);
  }

  private Finished returned(
      RunTable runs, RunRow run, String claim, ExecutionResult executionResult, Instant at)
      throws SQLException {
    if (run.isCancelRequested() || !runs.mayStartAgain(claim)) {
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
    var result = run.isCancelRequested() ? ExecutionResult.cancelled() : executionResult;
    var waiting = !runs.followUps().waiting(runId).isEmpty();
    var permissions = runs.toolPermissions(runId);
    var isAsking = result.state() == ExecutionState.BLOCKED && permissions.asked() != null;
    var remaining = isAsking ? permissions : permissions.afterEnd();
    // A waiting message cannot be an answer, because it was sent before the question was posted.
    runs.changeToolPermissions(
        runId, permissions, waiting ? remaining.withoutRequest() : remaining);
    if (!runs.isLaunched(runId)) {
      runs.followUps().returnUndelivered(runId, run.execution());
      if (result.state() == ExecutionState.CANCELLED && run.execution() == 1) {
        runs.dropPrompt(runId);
      }
    }
    return switch (RunStateMachine.next(run.state(), new Event.Ended(result.state(), waiting))) {
      case Step.ChangesTo(ExecutionState next) -> {
        var worked = worked(run, at);
        runs.settle(runId, worked);
        runs.revokeKeys(runId);
        new EventRows(runs.rows())
            .add(runId, run.execution(), EventRows.Type.ofEnd(result.state()), at);
        if (next == ExecutionState.QUEUED) {
          runs.queue(runId, at);
        } else {
          runs.end(runId, result, at);
        }
        log.info(
            "execution ended run={} execution={} as={} next={}",
            runId,
            run.execution(),
            result.state(),
            next);
        yield new Finished(
            runId,
            run.depth(),
            next,
            Optional.of(
                () -> {
                  listener.ended(run.source(), result.state(), worked.minus(run.worked()));
                  if (run.parentRunId().isPresent()) {
                    startLimits.used(runId, worked, run.dollars());
                  }
                }));
      }
      case Step.Stays() -> new Finished(runId, run.depth(), run.state(), Optional.empty());
      case Step.Refused(String why) -> throw new IllegalStateException(why + ": " + run);
    };
  }

  private ExecutionRequest newRequest(RunRow run, RunTable runs) throws SQLException {
    var waiting = runs.followUps().waiting(run.id());
    var parts = new ArrayList<String>();
    var prompt = runs.firstPrompt(run.id()).filter(_ -> run.execution() == 0);
    if (prompt.isPresent() && (!prompt.get().isEmpty() || waiting.isEmpty())) {
      parts.add(prompt.get());
    }
    runs.toolPermissions(run.id()).instructions(run.execution() + 1).ifPresent(parts::add);
    waiting.forEach(each -> parts.add(each.promptText()));
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

  private static Optional<String> text(@Nullable String text) {
    return Optional.ofNullable(text).filter(value -> !value.isBlank());
  }
}
