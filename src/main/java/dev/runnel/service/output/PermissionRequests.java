package dev.runnel.service.output;

import dev.runnel.database.DatabaseException;
import dev.runnel.memory.Price;
import dev.runnel.service.agent.Dialogue;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ToolCall;
import dev.runnel.service.store.ExecutionRecords;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers an agent's requests for permission to use tools. A call that a person has permitted is
/// permitted. On the first other call the agent is interrupted, and its run asks a person about the
/// call. The agent continues with the answer in the next execution, so no request waits in memory.
///
/// Confined to the thread that reads the agent's output.
public final class PermissionRequests {
  private static final Logger log = LoggerFactory.getLogger(PermissionRequests.class);

  private static final String ASKING = "A person is asked about this call. Wait for the answer.";
  private static final String REFUSED = "This call is not permitted here, and nobody is asked.";

  private static final String HAS_PRIVATE_KEY =
      "This call holds a private key, so people cannot be shown what it does. Keep keys in files.";

  private final ExecutionRequest executionRequest;
  private final Optional<Dialogue.WithPermissions> dialogue;
  private final Steering steering;
  private static final String TOO_LONG =
      "This call is too long to ask a person about it. Put the text into a file in small steps.";

  private final ExecutionRecords records;
  private final RunMemory memory;
  private Optional<ToolCall> callToAsk = Optional.empty();
  // The memory of the call.
  private long taken;

  public PermissionRequests(
      ExecutionRequest executionRequest,
      Harness.OutputParser outputParser,
      Steering steering,
      ExecutionRecords records,
      RunMemory memory) {
    this.executionRequest = executionRequest;
    this.dialogue =
        outputParser instanceof Dialogue.WithPermissions withPermissions
            ? Optional.of(withPermissions)
            : Optional.empty();
    this.steering = steering;
    this.records = records;
    this.memory = memory;
  }

  /// Answers a line of the agent's standard output, if it is a request for permission.
  ///
  /// @param line unredacted, because the permitted call must be identical to the requested one
  void handleLine(String line) {
    dialogue.ifPresent(
        withPermissions ->
            withPermissions
                .permissionRequest(line)
                .ifPresent(
                    request -> answer(withPermissions, request, Price.parsed(line.length()))));
  }

  /// The call that a person must be asked about.
  public Optional<ToolCall> callToAsk() {
    return callToAsk;
  }

  /// Forgets the call, because the agent continues with a message. If it still needs the call, it
  /// requests it again.
  void forget() {
    callToAsk = Optional.empty();
    memory.freeInput(taken);
    taken = 0;
  }

  /// @param bytes of memory that the call takes
  private void answer(
      Dialogue.WithPermissions withPermissions, Dialogue.PermissionRequest request, long bytes) {
    var call = request.call();
    if (call.isEmpty()) {
      log.info("tool refused without asking run={}", executionRequest.runId());
      steering.write(withPermissions.refuse(request.id(), REFUSED, false));
      return;
    }
    if (!call.get().isDisplayable()) {
      log.info("tool with a private key refused run={}", executionRequest.runId());
      steering.write(withPermissions.refuse(request.id(), HAS_PRIVATE_KEY, false));
      return;
    }
    // Other calls that were requested at the same time are refused now, and requested again after
    // the answer.
    if (callToAsk.isEmpty() && isPermitted(call.get())) {
      log.info("tool permitted run={} tool={}", executionRequest.runId(), call.get().tool());
      steering.write(withPermissions.permit(request.id(), call.get()));
      return;
    }
    if (callToAsk.isEmpty()) {
      if (!memory.tryTakeInput(bytes)) {
        log.info("tool with too long an input refused run={}", executionRequest.runId());
        steering.write(withPermissions.refuse(request.id(), TOO_LONG, false));
        return;
      }
      taken = bytes;
      callToAsk = call;
    }
    steering.write(withPermissions.refuse(request.id(), ASKING, true));
  }

  private boolean isPermitted(ToolCall call) {
    try {
      return records.usePermission(executionRequest, call);
    } catch (DatabaseException e) {
      log.warn("cannot read permissions, will ask run={}", executionRequest.runId(), e);
      return false;
    }
  }
}
