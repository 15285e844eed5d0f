package dev.runnel.service.run;

/// Which step a run takes when something happens to it. Pure: it knows neither rows nor processes.
///
/// An end is not final: a message to an ended run starts its next execution.
public final class RunMachine {
  /// What happens to a run.
  public sealed interface Event {
    /// A slot is free and it is this run's turn.
    record Claimed() implements Event {}

    /// Somebody sent a follow-up.
    record Told() implements Event {}

    /// Somebody wants it to stop.
    record CancelAsked() implements Event {}

    /// The processes of the execution are gone.
    ///
    /// @param messagesWait whether follow-ups came that no execution has seen yet
    record Ended(ExecutionState as, boolean messagesWait) implements Event {}
  }

  /// What becomes of it.
  public sealed interface Step {
    record To(ExecutionState next) implements Step {}

    /// Nothing changes yet.
    record Stays() implements Step {}

    /// @param why for people
    record Refused(String why) implements Step {}
  }

  private RunMachine() {}

  public static Step next(ExecutionState executionState, Event event) {
    return switch (event) {
      case Event.Claimed() ->
          executionState == ExecutionState.QUEUED
              ? new Step.To(ExecutionState.INPROGRESS)
              : new Step.Refused("Only a queued run can be started");
      case Event.Told() ->
          switch (executionState) {
            case QUEUED, INPROGRESS -> new Step.Stays();
            case BLOCKED, SUCCEEDED, FAILED, ERROR, CANCELLED -> new Step.To(ExecutionState.QUEUED);
          };
      case Event.CancelAsked() ->
          switch (executionState) {
            case QUEUED -> new Step.To(ExecutionState.CANCELLED);
            // It is cancelled when its processes are gone, not before.
            case INPROGRESS -> new Step.Stays();
            case BLOCKED ->
                new Step.Refused("The run waits for an answer; nothing is running to cancel");
            case SUCCEEDED, FAILED, ERROR, CANCELLED ->
                new Step.Refused("The run has already ended");
          };
      case Event.Ended(ExecutionState as, boolean messagesWait) ->
          executionState == ExecutionState.INPROGRESS
              ? new Step.To(messagesWait ? ExecutionState.QUEUED : as)
              : new Step.Refused("Only a run in progress can end");
    };
  }
}
