package dev.runnel.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.RunStateMachine.Event;
import dev.runnel.service.run.RunStateMachine.Step;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunStateMachineTest {
  @Nested
  class AQueuedRun {
    @Test
    void queuedRunStartsWhenItIsClaimed() {
      assertThat(RunStateMachine.next(ExecutionState.QUEUED, new Event.Claimed()))
          .isEqualTo(new Step.ChangesTo(ExecutionState.INPROGRESS));
    }

    @Test
    void queuedRunIsCancelledImmediately() {
      assertThat(RunStateMachine.next(ExecutionState.QUEUED, new Event.CancelRequested(false)))
          .isEqualTo(new Step.ChangesTo(ExecutionState.CANCELLED));
    }

    @Test
    void queuedRunStaysQueuedWhenAMessageArrives() {
      assertThat(RunStateMachine.next(ExecutionState.QUEUED, new Event.MessageReceived()))
          .isEqualTo(new Step.Stays());
    }
  }

  @Nested
  class ARunInProgress {
    @Test
    void runInProgressIsCancelledOnlyAfterItsProcessesHaveEnded() {
      assertThat(RunStateMachine.next(ExecutionState.INPROGRESS, new Event.CancelRequested(false)))
          .isEqualTo(new Step.Stays());
      assertThat(
              RunStateMachine.next(
                  ExecutionState.INPROGRESS, new Event.Ended(ExecutionState.CANCELLED, false)))
          .isEqualTo(new Step.ChangesTo(ExecutionState.CANCELLED));
    }

    @ParameterizedTest
    @EnumSource(
        value = ExecutionState.class,
        names = {"BLOCKED", "SUCCEEDED", "FAILED", "ERROR", "CANCELLED"})
    void runInProgressIsQueuedAgainIfAMessageArrivedMeanwhile(ExecutionState as) {
      assertThat(RunStateMachine.next(ExecutionState.INPROGRESS, new Event.Ended(as, true)))
          .isEqualTo(new Step.ChangesTo(ExecutionState.QUEUED));
      assertThat(RunStateMachine.next(ExecutionState.INPROGRESS, new Event.Ended(as, false)))
          .isEqualTo(new Step.ChangesTo(as));
    }

    @Test
    void runInProgressIsNotStartedTwice() {
      assertThat(RunStateMachine.next(ExecutionState.INPROGRESS, new Event.Claimed()))
          .isInstanceOf(Step.Refused.class);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ExecutionState.class,
      names = {"BLOCKED", "SUCCEEDED", "FAILED", "ERROR", "CANCELLED"})
  void endedOrBlockedRunIsQueuedByAMessageButCannotBeCancelled(ExecutionState executionState) {
    assertThat(RunStateMachine.next(executionState, new Event.MessageReceived()))
        .isEqualTo(new Step.ChangesTo(ExecutionState.QUEUED));
    assertThat(RunStateMachine.next(executionState, new Event.CancelRequested(false)))
        .isInstanceOf(Step.Refused.class);
    assertThat(RunStateMachine.next(executionState, new Event.Claimed()))
        .isInstanceOf(Step.Refused.class);
    assertThat(
            RunStateMachine.next(executionState, new Event.Ended(ExecutionState.SUCCEEDED, false)))
        .isInstanceOf(Step.Refused.class);
  }

  @Test
  void aBlockedRunIsCancelledWhereTheCallerAsksForThat() {
    assertThat(RunStateMachine.next(ExecutionState.BLOCKED, new Event.CancelRequested(true)))
        .isEqualTo(new Step.ChangesTo(ExecutionState.CANCELLED));
  }

  @ParameterizedTest
  @EnumSource(
      value = ExecutionState.class,
      names = {"SUCCEEDED", "FAILED", "ERROR", "CANCELLED"})
  void endedRunCannotBeCancelledEvenOnRequest(ExecutionState ended) {
    assertThat(RunStateMachine.next(ended, new Event.CancelRequested(true)))
        .isInstanceOf(Step.Refused.class);
  }
}
