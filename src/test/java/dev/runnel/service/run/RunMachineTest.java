package dev.runnel.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.RunMachine.Event;
import dev.runnel.service.run.RunMachine.Step;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunMachineTest {
  @Nested
  class AQueuedRun {
    @Test
    void startsWhenItIsItsTurn() {
      assertThat(RunMachine.next(Phase.QUEUED, new Event.Claimed()))
          .isEqualTo(new Step.To(Phase.INPROGRESS));
    }

    @Test
    void isCancelledAtOnce() {
      assertThat(RunMachine.next(Phase.QUEUED, new Event.CancelAsked()))
          .isEqualTo(new Step.To(Phase.CANCELLED));
    }

    @Test
    void staysQueuedWhenSomethingIsSaidToIt() {
      assertThat(RunMachine.next(Phase.QUEUED, new Event.Told())).isEqualTo(new Step.Stays());
    }
  }

  @Nested
  class ARunInProgress {
    @Test
    void isNotCancelledBeforeItsProcessesAreGone() {
      assertThat(RunMachine.next(Phase.INPROGRESS, new Event.CancelAsked()))
          .isEqualTo(new Step.Stays());
      assertThat(RunMachine.next(Phase.INPROGRESS, new Event.Ended(Phase.CANCELLED, false)))
          .isEqualTo(new Step.To(Phase.CANCELLED));
    }

    @ParameterizedTest
    @EnumSource(
        value = Phase.class,
        names = {"BLOCKED", "SUCCEEDED", "FAILED", "ERROR", "CANCELLED"})
    void goesOnWithWhatWasSaidMeanwhileHoweverItEnded(Phase as) {
      assertThat(RunMachine.next(Phase.INPROGRESS, new Event.Ended(as, true)))
          .isEqualTo(new Step.To(Phase.QUEUED));
      assertThat(RunMachine.next(Phase.INPROGRESS, new Event.Ended(as, false)))
          .isEqualTo(new Step.To(as));
    }

    @Test
    void isNotStartedTwice() {
      assertThat(RunMachine.next(Phase.INPROGRESS, new Event.Claimed()))
          .isInstanceOf(Step.Refused.class);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Phase.class,
      names = {"BLOCKED", "SUCCEEDED", "FAILED", "ERROR", "CANCELLED"})
  void anEndedOrBlockedRunIsTakenUpByAMessageAndCannotBeCancelled(Phase phase) {
    assertThat(RunMachine.next(phase, new Event.Told())).isEqualTo(new Step.To(Phase.QUEUED));
    assertThat(RunMachine.next(phase, new Event.CancelAsked())).isInstanceOf(Step.Refused.class);
    assertThat(RunMachine.next(phase, new Event.Claimed())).isInstanceOf(Step.Refused.class);
    assertThat(RunMachine.next(phase, new Event.Ended(Phase.SUCCEEDED, false)))
        .isInstanceOf(Step.Refused.class);
  }
}
