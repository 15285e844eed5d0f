package dev.runnel.core.decide;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.Samples;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A run that was started through the API, and of which Runnel knows only the title.
class ApiRunPlanTest {
  private final FakeAgentRuns runs = new FakeAgentRuns(InstantSource.fixed(NINE));

  private Plan retry(Conversation conversation) {
    var run = runs.addsStranger("Nightly report");
    var binding =
        Samples.binding(
            conversation,
            runs.moves(run.id(), RunState.FAILED, "No"),
            DANA,
            Request.of(run.title()),
            Origin.NONE,
            Optional.empty(),
            NINE,
            false,
            1);
    return Planner.plan(
        delivery("1", new Intent.Retry(Optional.of(run.id())), THREAD),
        new Planner.Situation(Optional.empty(), Optional.of(binding), List.of(), Optional.empty()),
        NINE);
  }

  @Test
  void apiRunIsNotRetriedWithItsTitleAsTheRequest() {
    assertThat(retry(Conversation.parse("fake:other"))).isInstanceOf(Plan.StartRun.class);
    assertThat(retry(ApiRuns.conversation(runs.addsStranger("Nightly report").id())))
        .isInstanceOf(Plan.Tell.class);
  }
}
