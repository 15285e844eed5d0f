package dev.runnel.core;

import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.testkit.World;
import dev.runnel.text.PlanReply;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A plan that is asked for, approved, changed and declined.
class PlanJourneyTest {
  private static final String PLAN = "1. look\n2. fix\n\n" + PlanReply.QUESTION;

  private static final String EARLY =
      "This was sent before the plan was posted here, so I did not take it as approval. If you"
          + " agree with the plan, please write `approve`.";

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void plans() {
    world = new World(folder);
    hears("1", "plan: fix the cart --model fast");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void planIsRequestedWithItsOptions() {
    var prompt = world.runs.starts().getFirst().prompt();

    assertThat(prompt.text()).isEqualTo("fix the cart");
    assertThat(prompt.options().plan()).isTrue();
    assertThat(prompt.options().model()).contains("fast");
  }

  @Test
  void requestThatBeginsWithPlanIsNotAPlanRequest() {
    assertThat(MessageParser.words("plan the release").orElseThrow())
        .isEqualTo(new Intent.Say(Request.of("plan the release")));
    assertThat(MessageParser.command("plan:")).isInstanceOf(Intent.Unclear.class);
    assertThat(MessageParser.command("plan: x"))
        .isInstanceOfSatisfying(
            Intent.Start.class, it -> assertThat(it.request().options().plan()).isTrue());
  }

  @Test
  void planButtonStillApprovesAfterARestart() {
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.passes(Duration.ofSeconds(2));
    assertThat(AnswerChoices.of(blocked().question()).isAboutPlan()).isTrue();
    assertThat(AnswerChoices.of(blocked().question()).question()).startsWith("1. look\n2. fix");

    world.restart(UnaryOperator.identity());
    var asked = AskedQuestion.of(world.onlyRun()).orElseThrow();
    world.says(
        delivery("2", new Intent.SayTo(asked.run(), Request.of("Approve"), Optional.of(asked)))
            .withActor(SAM));
    world.settle();

    assertThat(answers()).containsExactly("Approve");
  }

  @Test
  void commentWithApproveApprovesThePlan() {
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.passes(Duration.ofSeconds(2));
    hears("2", "approve");

    assertThat(answers()).containsExactly("Approve");
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "approve", "1", "LGTM"})
  void yesSentBeforeThePlanWasPostedDoesNotApproveIt(String yes) {
    var early = world.clock.instant();
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.passes(Duration.ofSeconds(2));
    saidAt(early, "2", yes);

    assertThat(answers()).isEmpty();
    assertThat(world.surface.told(THREAD)).containsExactly(EARLY);

    hears("3", yes);
    assertThat(answers()).hasSize(1);
  }

  @Test
  void yesDoesNotApproveAPlanThatIsNotPostedYet() {
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.clock.advance(Duration.ofSeconds(1));
    hears("2", "yes");

    assertThat(answers()).isEmpty();
    assertThat(blocked().question()).isEqualTo(PLAN);
    assertThat(world.surface.told(THREAD)).containsExactly(EARLY);
  }

  @Test
  void yesToAnEarlierPlanDoesNotApproveTheNextOne() {
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.passes(Duration.ofSeconds(2));
    var early = world.clock.instant();
    world.passes(Duration.ofSeconds(2));
    hears("2", "use Postgres instead");
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, "1. drop\n\n" + PlanReply.QUESTION);
    world.passes(Duration.ofSeconds(2));
    saidAt(early, "3", "yes");

    assertThat(answers()).containsExactly("use Postgres instead");
  }

  @Test
  void changeSentBeforeThePlanWasPostedReachesTheAgent() {
    var early = world.clock.instant();
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.passes(Duration.ofSeconds(2));
    saidAt(early, "2", "use Postgres instead");

    assertThat(answers()).containsExactly("use Postgres instead");
  }

  /// The plan may be ready before the service has the message.
  @Test
  void yesDuringPlanningIsNotAnApproval() {
    world.runs.moves(world.onlyRun().id(), RunState.RUNNING, "Planning");
    world.passes(Duration.ofSeconds(2));
    hears("2", "yes");

    assertThat(answers()).hasSize(1);
    assertThat(answers().getFirst()).startsWith("yes\n\n(");
    assertThat(PlanReply.of(answers().getFirst())).isEqualTo(PlanReply.CHANGE);
  }

  @Test
  void aDeclinedPlanEndsInTheThread() {
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.passes(Duration.ofSeconds(2));
    hears("2", "decline");
    world.runs.moves(world.onlyRun().id(), RunState.CANCELLED, "The plan was declined.");
    world.passes(Duration.ofSeconds(2));

    assertThat(answers()).containsExactly("Decline");
    assertThat(world.surface.kinds(THREAD)).endsWith("Cancelled");
  }

  @Test
  void runThatReplacesALostPlanRunAlsoMakesAPlan() {
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, PLAN);
    world.passes(Duration.ofSeconds(2));
    world.runs.forgets(world.onlyRun().id());
    hears("2", "use Postgres instead");

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.runs.starts().getLast().prompt().options().plan()).isTrue();
  }

  @Test
  void aRunThatReplacesALostOneKeepsItsOptions() {
    world.runs.forgets(world.onlyRun().id());
    hears("2", "use Postgres instead");

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.runs.starts().getLast().prompt().options().model()).contains("fast");
    assertThat(world.runs.starts().getLast().prompt().options().plan()).isTrue();
  }

  @Test
  void optionsOfTheReplyReplaceThoseOfTheLostRun() {
    world.runs.forgets(world.onlyRun().id());
    hears("2", "use Postgres instead --model small --env staging");
    var options = world.runs.starts().getLast().prompt().options();

    assertThat(options.model()).contains("small");
    assertThat(options.environment()).contains("staging");

    world.runs.runs().forEach(run -> world.runs.forgets(run.id()));
    hears("3", "use Oracle instead --profile web");
    assertThat(world.runs.starts().getLast().prompt().options().model()).isEmpty();
    assertThat(world.runs.starts().getLast().prompt().options().environment()).contains("web-env");
  }

  private void hears(String id, String words) {
    saidAt(world.clock.instant(), id, words);
  }

  private void saidAt(Instant at, String id, String words) {
    var said = new Snapshot(Optional.of(at), Optional.empty(), Optional.empty());
    world.says(delivery(id, MessageParser.words(words).orElseThrow()).withSnapshot(said));
    world.settle();
  }

  private Update.Blocked blocked() {
    return world.surface.posts(THREAD).stream()
        .map(each -> each.update())
        .filter(Update.Blocked.class::isInstance)
        .map(Update.Blocked.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private List<String> answers() {
    return world.runs.followUps().stream().map(each -> each.text()).toList();
  }
}
