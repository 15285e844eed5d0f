package dev.runnel.service.run;

/// The state machine of runs. Pure: it knows neither rows nor processes.
///
/// An ended run is not final: a follow-up starts its next execution.
public final class RunStateMachine {
  /// An event that concerns a run.
  public sealed interface Event {
    /// A free slot claimed this run.
    record Claimed() implements Event {}

    /// A follow-up arrived.
    record MessageReceived() implements Event {}

    /// A caller asked to cancel the run.
    ///
    /// @param includesBlocked whether also if it waits for a person; the Agent Run API refuses that
    ///   unless the caller asks for it
    record CancelRequested(boolean includesBlocked) implements Event {}

    /// All processes of the execution have ended.
    ///
    /// @param messagesWait whether follow-ups are waiting that no execution has received
    record Ended(ExecutionState state, boolean messagesWait) implements Event {}
  }

  /// The resulting step.
  public sealed interface Step {
    record ChangesTo(ExecutionState next) implements Step {}

    /// The state does not change yet.
    record Stays() implements Step {}

    /// @param why for people
    record Refused(String why) implements Step {}
  }

  private RunStateMachine() {}

  public static Step next(ExecutionState executionState, Event event) {
    return switch (event) {
      case Event.Claimed() ->
          executionState == ExecutionState.QUEUED
              ? new Step.ChangesTo(ExecutionState.INPROGRESS)
              : new Step.Refused("Only a queued run can be started");
      case Event.MessageReceived() ->
          switch (executionState) {
            case QUEUED, INPROGRESS -> new Step.Stays();
            case BLOCKED, SUCCEEDED, FAILED, ERROR, CANCELLED ->
                new Step.ChangesTo(ExecutionState.QUEUED);
          };
      case Event.CancelRequested(var includesBlocked) ->
          switch (executionState) {
            case QUEUED -> new Step.ChangesTo(ExecutionState.CANCELLED);
            // It becomes cancelled only after its processes have ended.
            case INPROGRESS -> new Step.Stays();
            case BLOCKED ->
                includesBlocked
                    ? new Step.ChangesTo(ExecutionState.CANCELLED)
                    : new Step.Refused(
                        "The run waits for an answer; nothing is running to cancel."
                            + " include_blocked=true ends it nevertheless");
            case SUCCEEDED, FAILED, ERROR, CANCELLED ->
                new Step.Refused("The run has already ended");
          };
      case Event.Ended(ExecutionState state, boolean messagesWait) ->
          executionState == ExecutionState.INPROGRESS
              ? new Step.ChangesTo(messagesWait ? ExecutionState.QUEUED : state)
              : new Step.Refused("Only a run in progress can end");
    };
  }
}
