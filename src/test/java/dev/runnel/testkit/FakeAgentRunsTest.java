package dev.runnel.testkit;

import static dev.runnel.testkit.AgentRunsContract.done;
import static dev.runnel.testkit.AgentRunsContract.newKey;
import static dev.runnel.testkit.AgentRunsContract.prompt;
import static dev.runnel.testkit.AgentRunsContract.startedBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FakeAgentRunsTest implements AgentRunsContract {
  private final FakeAgentRuns runs = new FakeAgentRuns(new SettableClock());

  @Override
  public AgentRuns runs() {
    return runs;
  }

  @Override
  public void moves(RunId run, RunState state, String message) {
    runs.moves(run, state, message);
  }

  @Override
  public void goesDown() {
    runs.isDown(Optional.empty());
  }

  @Test
  void aLostAnswerLeavesARunThatIsFoundByItsDelivery() {
    var key = newKey();
    runs.losesNextAnswer();

    assertThat(runs.start(prompt("Fix the test"), key)).isInstanceOf(Outcome.Unavailable.class);

    assertThat(done(startedBy(runs, key)).delivery()).contains(key);
    assertThat(runs.starts()).hasSize(1);
  }

  @Test
  void presetOutcomeHasNoEffect() {
    var refused = new Outcome.Refused("insufficient_credits", "No credits.", Optional.empty());
    runs.answersNext(refused);

    assertThat(runs.start(prompt("Fix the test"), newKey())).isEqualTo(refused);
    assertThat(runs.runs()).isEmpty();
  }

  @Test
  void repeatedStartWithTheSameKeyIsASecondRun() {
    var key = newKey();

    runs.start(prompt("Fix the test"), key);
    runs.start(prompt("Fix the test"), key);

    assertThat(runs.runs()).hasSize(2);
  }
}
