package dev.runnel.console.detail;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.SAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.testkit.Samples;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class DecisionTest {
  /// A message of Dana's.
  private static DeliveryTrace done(String note) {
    return new DeliveryTrace(
        Optional.of(Samples.delivery("1", Samples.say("add a test"))),
        DeliveryTrace.State.DONE,
        1,
        NINE,
        Optional.of(note),
        Optional.empty());
  }

  private static Decision decision(DeliveryTrace trace, Actor requester) {
    return Decision.of(trace, requester, UnaryOperator.identity(), NINE);
  }

  @Test
  void theResultIsAPhraseWithoutTheMarkupOfChats() {
    assertThat(decision(done("to pass it on to the run `7c832b0c`"), SAM).result())
        .isEqualTo("Decided to pass it on to the run 7c832b0c");
    assertThat(decision(done(""), SAM).result()).isEqualTo("done");
  }

  @Test
  void decisionShowsTheNameThatTheRequesterHad() {
    assertThat(decision(done("to start a run"), new Actor(DANA.id(), "Dana S.")).who())
        .isEqualTo("Dana S.");
    assertThat(decision(done("to start a run"), SAM).who()).isEqualTo(DANA.name());
  }
}
