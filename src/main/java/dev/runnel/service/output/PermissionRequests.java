package dev.runnel.service.output;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.Dialogue;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ToolCall;
import dev.runnel.service.store.ExecutionRecords;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers the requests of one agent to use a tool. A call that a person permitted is permitted.
/// For the first other call the agent is interrupted, so that its run can ask a person about it:
/// the agent continues with the answer in the next execution, and nothing waits in memory.
///
/// Confined to the thread that reads the agent's output.
public final class PermissionRequests {
  private static final Logger log = LoggerFactory.getLogger(PermissionRequests.class);

  private static final String WAIT = "A person is asked about this call. Wait for the answer.";
  private static final String REFUSED = "This call is not permitted here, and nobody is asked.";

  private static final String UNSEEN =
      "This call holds a private key, so people cannot be shown what it does. Keep keys in files.";

  private final ExecutionRequest executionRequest;
  private final Optional<Dialogue.WithPermissions> dialogue;
  private final Steering steering;
  private final ExecutionRecords records;
  private Optional<ToolCall> wanted = Optional.empty();

  public PermissionRequests(
      ExecutionRequest executionRequest,
      Harness.OutputParser outputParser,
      Steering steering,
      ExecutionRecords records) {
    this.executionRequest = executionRequest;
    this.dialogue =
        outputParser instanceof Dialogue.WithPermissions open
            ? Optional.of(open)
            : Optional.empty();
    this.steering = steering;
    this.records = records;
  }

  /// Answers the request that a line of the agent's standard output is, if it is one.
  ///
  /// @param line with its secrets, because a permitted call must be the call that was requested
  void parse(String line) {
    dialogue.ifPresent(
        open -> open.permissionRequest(line).ifPresent(request -> answer(open, request)));
  }

  /// The call that a person is to be asked about.
  public Optional<ToolCall> wanted() {
    return wanted;
  }

  /// The agent goes on with a message: if it still wants to make the call, it requests it again.
  void forget() {
    wanted = Optional.empty();
  }

  private void answer(Dialogue.WithPermissions open, Dialogue.PermissionRequest request) {
    var call = request.call();
    if (call.isEmpty()) {
      log.info("tool refused without asking run={}", executionRequest.runId());
      steering.write(open.refuse(request.id(), REFUSED, false));
      return;
    }
    if (!call.get().canBeShown()) {
      log.info("tool with a private key refused run={}", executionRequest.runId());
      steering.write(open.refuse(request.id(), UNSEEN, false));
      return;
    }
    // What was requested at the same time is requested again after the answer.
    if (wanted.isEmpty() && isPermitted(call.get())) {
      log.info("tool permitted run={} tool={}", executionRequest.runId(), call.get().tool());
      steering.write(open.permit(request.id(), call.get()));
      return;
    }
    if (wanted.isEmpty()) {
      wanted = call;
    }
    steering.write(open.refuse(request.id(), WAIT, true));
  }

  private boolean isPermitted(ToolCall call) {
    try {
      return records.makePermitted(executionRequest, call);
    } catch (DatabaseException e) {
      log.warn("cannot read permissions, will ask run={}", executionRequest.runId(), e);
      return false;
    }
  }
}
