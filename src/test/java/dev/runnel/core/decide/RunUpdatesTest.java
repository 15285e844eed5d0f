package dev.runnel.core.decide;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.THREAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Samples;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunUpdatesTest {
  @Test
  void nextEndIsRecognizedByItsAnswerIfTheServiceGivesNoTimes() {
    var told = reopened(ended("Fixed."));

    assertThat(RunUpdates.between(told, ended("Fixed."), NINE)).isEmpty();
    assertThat(RunUpdates.between(told, ended("Added."), NINE))
        .last()
        .isInstanceOf(Update.Succeeded.class);
  }

  private static Binding reopened(Run run) {
    return Samples.binding(
        THREAD, run, DANA, Request.of("a"), Origin.NONE, Optional.empty(), NINE, true, 1);
  }

  private static Run ended(String message) {
    return Samples.run(
        new RunId("r1"),
        "Title",
        RunState.SUCCEEDED,
        "SUCCEEDED",
        Optional.of(message),
        false,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
