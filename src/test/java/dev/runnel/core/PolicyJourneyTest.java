package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.core.scope.Defaults;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the operator's policy lets people do, from the delivery to the answer.
class PolicyJourneyTest {
  private static final Actor EVE = new Actor("E1", "eve");

  /// A profile with another environment.
  private static final RunOptions WEB =
      new RunOptions(
          Optional.of("web"),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
  }

  @AfterEach
  void close() {
    world.close();
  }

  private static String id(Actor actor) {
    return THREAD.surface() + ":" + actor.id();
  }

  private static Rule permit(String who, Set<Permission> permissions, String... environments) {
    return new Rule(
        "policy.rules[0]",
        List.of(who),
        List.of("any"),
        permissions,
        true,
        Set.of(environments),
        Set.of());
  }

  private void obeys(Rule... rules) {
    world.obeys(new Policy(Map.of(), List.of(rules), List.of(), List.of()));
  }

  private void says(Delivery delivery) {
    world.says(delivery);
    world.settle();
  }

  private List<Update> told(Actor to) {
    return world.surface.posts().stream()
        .map(post -> post.update())
        .filter(it -> it instanceof Update.Message(var whom, _, _) && whom.equals(to))
        .toList();
  }

  @Test
  void startWithoutAPermittingRuleIsRefusedPrivately() {
    obeys(permit(id(EVE), EnumSet.allOf(Permission.class)));

    says(delivery("1", start("mine a coin")));

    assertThat(world.runs.runs()).isEmpty();
    assertThat(told(DANA))
        .containsExactly(
            new Update.Message(
                DANA, "You may not start runs here. These may: " + EVE.id() + ".", true));
  }

  @Test
  void ruleCanPermitAStartThatThePlatformRefuses() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START)));
    world.surface.admits(new Admission.Outsider("a guest"));

    says(delivery("1", start("fix it")));

    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void forgedDeliveryIsRefusedDespiteAPermittingRule() {
    obeys(permit("any", EnumSet.allOf(Permission.class)));
    world.surface.admits(new Admission.TurnedAway("forged"));

    says(delivery("1", start("fix it")));

    assertThat(world.runs.runs()).isEmpty();
  }

  @Test
  void membersGroupContainsEveryoneThePlatformAdmits() {
    obeys(permit(THREAD.surface() + ":members", EnumSet.of(Permission.START)));

    says(delivery("1", start("fix it")));

    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void policyRuleAppliesToAPlatformGroup() {
    obeys(permit(THREAD.surface() + ":group:S0PLAT", EnumSet.of(Permission.START)));

    says(delivery("1", start("fix it")));
    assertThat(world.runs.runs()).isEmpty();

    world.surface.hasInGroups("group:S0PLAT");
    says(delivery("2", start("fix it again")));
    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void policyAlsoChecksTheEnvironmentOfAProfile() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START), "docs"));

    says(delivery("1", new Intent.Start(new Request("fix it", WEB))));

    assertThat(world.runs.runs()).isEmpty();
    assertThat(told(DANA))
        .singleElement()
        .satisfies(
            it ->
                assertThat(((Update.Message) it).text())
                    .startsWith("You may start runs here only with the environment docs."));
  }

  @Test
  void permissionToStartDoesNotIncludeFollowUps() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START)));

    says(delivery("1", start("fix it")));
    says(delivery("2", say("and the docs")));

    assertThat(world.runs.followUps()).isEmpty();
    assertThat(told(DANA)).hasSize(1);
  }

  @Test
  void aVisitorOfTheConsoleReadsARefusalOnThePageAndNotInTheThread() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START)));
    world.console.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
    says(delivery("1", start("fix it")));
    var inThread = world.surface.posts().size();

    says(delivery("2", cancel()).withId(DeliveryId.of(SurfaceId.CONSOLE, "2")).withActor(EVE));

    assertThat(world.runs.cancels()).isEmpty();
    assertThat(world.surface.posts()).hasSize(inThread);
    assertThat(world.console.posts())
        .singleElement()
        .satisfies(
            post -> {
              assertThat(post.conversation()).isEqualTo(THREAD.inConsole());
              assertThat(((Update.Message) post.update()).text())
                  .startsWith("You may not stop runs here.");
            });
  }

  @Test
  void personCanStopOnlyTheirOwnRun() {
    obeys(
        permit(id(DANA), EnumSet.of(Permission.START)),
        permit("any", EnumSet.of(Permission.STOP_OWN)));
    says(delivery("1", start("fix it")));

    says(delivery("2", cancel()).withActor(EVE));
    assertThat(world.runs.cancels()).isEmpty();

    says(delivery("3", cancel()));
    assertThat(world.runs.cancels()).containsExactly(world.onlyRun().id());
  }

  @Test
  void personCannotStopAWaitingStartOfAnother() {
    obeys(
        permit(id(DANA), EnumSet.of(Permission.START)),
        permit("any", EnumSet.of(Permission.STOP_OWN)));
    world.runs.isDown(Optional.empty());
    says(delivery("1", start("fix it")));
    says(delivery("2", cancel()).withActor(EVE));
    world.runs.isBack();
    world.passes(Duration.ofMinutes(10));

    assertThat(world.runs.runs()).hasSize(1);
    assertThat(told(EVE)).hasSize(1);
  }

  @Test
  void replyStartsNoNewRunWithoutPermissionToStart() {
    obeys(
        permit(id(DANA), EnumSet.of(Permission.START)),
        permit(id(EVE), EnumSet.of(Permission.SAY)));
    says(delivery("1", start("fix it")));
    world.runs.forgets(world.onlyRun().id());
    says(delivery("2", say("and the docs")).withActor(EVE));

    assertThat(world.runs.starts()).hasSize(1);
    assertThat(told(EVE))
        .containsExactly(
            new Update.Message(
                EVE, "You may not start runs here. These may: " + DANA.id() + ".", true));
  }

  @Test
  void strangersGetNoAnswer() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START)));
    world.surface.admits(new Admission.Outsider("a guest"));

    says(delivery("1", new Intent.Help(Optional.empty())).withActor(EVE));

    assertThat(world.surface.posts()).isEmpty();
  }

  @Test
  void accountNamedMembersIsNotAMember() {
    obeys(permit(THREAD.surface() + ":members", EnumSet.of(Permission.START)));
    world.surface.admits(new Admission.Outsider("a guest"));

    says(delivery("1", start("mine a coin")).withActor(new Actor("Members", "mallory")));

    assertThat(world.runs.runs()).isEmpty();
  }

  @Test
  void personLimitedToOneEnvironmentCanSetTheirDefaults() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START), "web"));
    var change = new Question.Configure("model", Optional.of("big"), Question.Configure.Level.ME);

    says(delivery("1", new Intent.Ask(change)));

    assertThat(told(DANA).toString()).doesNotContain("You may");
  }

  @Test
  void answerFormOpensOnlyWithPermissionToAnswer() {
    obeys(permit(id(EVE), EnumSet.of(Permission.ANSWER)));
    var asked = AskedQuestion.of(Samples.run("r1", RunState.BLOCKED).id(), "Which one?");
    var form = new Question.Compose(Optional.of(THREAD), "", Optional.of(asked));

    says(delivery("1", new Intent.Ask(form)).withActor(EVE));
    says(delivery("2", new Intent.Ask(form)));

    assertThat(told(EVE)).isEmpty();
    assertThat(told(DANA)).singleElement().asString().contains("You may not answer runs here.");
  }

  @Test
  void replyIsCheckedForTheEnvironmentOfTheRun() {
    obeys(
        permit(id(DANA), EnumSet.of(Permission.START)),
        permit(id(EVE), EnumSet.of(Permission.START, Permission.SAY), "web"));
    says(
        delivery(
                "1",
                new Intent.Ask(
                    new Question.Configure(
                        Defaults.ENVIRONMENT, Optional.of("web"), Question.Configure.Level.ME)))
            .withActor(EVE));
    says(delivery("2", start("fix it")));
    says(delivery("3", say("leak the keys")).withActor(EVE));

    assertThat(world.runs.starts()).hasSize(1);
    assertThat(world.runs.followUps()).isEmpty();
  }

  @Test
  void replyIsCheckedForTheRunEnvironmentDespiteChangedDefaults() {
    obeys(
        permit(id(DANA), EnumSet.of(Permission.START)),
        permit(id(EVE), EnumSet.of(Permission.SAY), "web"));
    setsEnvironment("1", "prod");
    says(delivery("2", start("fix it")));
    world.passes(Duration.ofMinutes(1));
    setsEnvironment("3", "web");
    says(delivery("4", say("leak the keys")).withActor(EVE));

    assertThat(world.runs.followUps()).isEmpty();
    assertThat(told(EVE))
        .singleElement()
        .asString()
        .contains("You may write to runs here only with the environment web.");
  }

  private void setsEnvironment(String id, String environment) {
    says(
        delivery(
            id,
            new Intent.Ask(
                new Question.Configure(
                    Defaults.ENVIRONMENT, Optional.of(environment), Question.Configure.Level.ME))));
  }

  @Test
  void policyIsCheckedAgainAfterARestart() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START)));
    world.says(delivery("1", start("fix it")));
    obeys(permit(id(EVE), EnumSet.of(Permission.START)));
    world.settle();

    assertThat(world.runs.runs()).isEmpty();
  }

  @Test
  void whoamiListsWhatThePersonMayDo() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START, Permission.STOP_OWN)));

    says(delivery("1", new Intent.Ask(new Question.WhoAmI())));

    assertThat(row("You may")).contains("start runs, stop your own runs");
  }

  @Test
  void explainSaysWhichRuleDecides() {
    obeys(permit(id(DANA), EnumSet.of(Permission.START)));

    says(delivery("1", new Intent.Ask(new Question.Explain(Request.of("fix it")))));

    assertThat(row("Permitted")).contains("yes");
  }

  @Test
  void changeOfAPlacesDefaultIsAnnouncedToEverybodyThere() {
    var change = new Question.Configure("model", Optional.of("big"), Question.Configure.Level.HERE);

    says(delivery("1", new Intent.Ask(change)));

    assertThat(told(DANA))
        .containsExactly(
            new Update.Message(
                DANA, DANA.name() + " set the default `model` for this place: `big`.", false));
  }

  private Optional<String> row(String label) {
    return world.surface.posts().stream()
        .map(post -> post.update())
        .filter(Update.Answered.class::isInstance)
        .flatMap(it -> ((Update.Answered) it).sheet().rows().stream())
        .filter(it -> it.label().equals(label))
        .map(it -> it.text())
        .findFirst();
  }
}
