package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.EnvironmentIds;
import dev.runnel.core.scope.Routes;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What becomes of a permitted start: it waits for an approval, exceeds a budget, or is frozen.
class StartControlJourneyTest {
  private static final Actor EVE = new Actor("E1", "eve");
  private static final List<Rule> ONLY_EVE_FREEZES =
      List.of(
          new Rule(
              "policy.rules[0]",
              List.of(THREAD.surface() + ":E1"),
              List.of("any"),
              Set.of(Permission.FREEZE),
              true,
              Set.of(),
              Set.of()),
          new Rule(
              "policy.rules[1]",
              List.of("any"),
              List.of("any"),
              Set.of(Permission.START, Permission.SAY, Permission.ANSWER),
              true,
              Set.of(),
              Set.of()));

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  private void says(Delivery delivery) {
    world.says(delivery);
    world.settle();
  }

  private List<String> told() {
    return world.surface.posts().stream()
        .map(post -> post.update())
        .filter(Update.Message.class::isInstance)
        .map(it -> ((Update.Message) it).text())
        .toList();
  }

  private static Delivery freezes(String id, boolean on, Actor by) {
    return delivery(id, new Intent.Ask(new Question.Freeze(on, Optional.of("a deployment"))))
        .withActor(by);
  }

  private static Conversation thread(String key) {
    return new Conversation(THREAD.surface(), "team/channel/" + key);
  }

  @Test
  void unexpectedStartFailureIsReportedToASenderWhoAwaitsTheRun() {
    world.surface.isBroken();
    var request = delivery("1", start("fix it"));
    says(request.withOrigin(request.origin().awaiting()));
    for (int tries = 1; tries <= 10; tries++) {
      world.leaps(Duration.ofMinutes(2));
    }

    assertThat(told()).contains("No run was started.");
  }

  @Nested
  class AnApproval {
    private static Delivery decides(
        String id, Actor by, @Nullable String approval, boolean approved) {
      return delivery(
              id, new Intent.Ask(new Question.Decide(Optional.ofNullable(approval), approved)))
          .withActor(by);
    }

    @BeforeEach
    void demand() {
      var rule =
          new ApprovalRule(
              "policy.approve[0]",
              List.of(),
              Set.of(),
              Set.of(),
              false,
              List.of(THREAD.surface() + ":E1", THREAD.surface() + ":" + DANA.id()),
              true,
              Duration.ofMinutes(30));
      world.obeys(new Policy(Map.of(), List.of(), List.of(rule), List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"prod", "Production", ""})
    void approvalForAnEnvironmentIsRequestedHoweverItIsNamed(String typed) {
      world.defaultsTo(
          new Defaults(
              Map.of(),
              Set.of(),
              Routes.NONE,
              new EnvironmentIds(
                  Map.of("Production", "prod", "prod", "prod"), Optional.of("prod"))));
      var rule =
          new ApprovalRule(
              "policy.approve[0]",
              List.of(),
              Set.of("prod"),
              Set.of(),
              false,
              List.of(THREAD.surface() + ":E1"),
              true,
              Duration.ofMinutes(30));
      world.obeys(new Policy(Map.of(), List.of(), List.of(rule), List.of()));
      var options =
          typed.isEmpty() ? RunOptions.NONE : RunOptions.NONE.withEnvironment(Optional.of(typed));

      says(delivery("1", new Intent.Start(new Request("fix it", options))));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(card()).isPresent();
    }

    /// An older version stored the request without the default environment.
    @Test
    void approvalOfARequestStoredWithoutAnEnvironmentStartsTheRun() {
      says(delivery("1", start("fix it")));
      world.defaultsTo(
          new Defaults(
              Map.of(),
              Set.of(),
              Routes.NONE,
              new EnvironmentIds(Map.of("prod", "prod"), Optional.of("prod"))));

      says(decides("2", EVE, null, true));

      assertThat(world.runs.runs()).hasSize(1);
    }

    private Optional<InfoCard> card() {
      return world.surface.posts().stream()
          .map(post -> post.update())
          .filter(Update.Answered.class::isInstance)
          .map(it -> ((Update.Answered) it).sheet())
          .findFirst();
    }

    @Test
    void approvalRequestHasAButtonForEachDecision() {
      says(delivery("1", start("fix it")));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(card().orElseThrow().choices())
          .extracting(InfoCard.Choice::label)
          .containsExactly("Approve", "Decline");
    }

    @Test
    void approvalStartsTheRun() {
      says(delivery("1", start("fix it")));
      says(decides("2", EVE, null, true));

      assertThat(world.runs.runs()).hasSize(1);
      assertThat(told()).containsExactly("Approved by eve. The run starts.");
    }

    @Test
    void approvalByTheIdOnTheButtonStartsTheRun() {
      says(delivery("1", start("fix it")));
      var command = card().orElseThrow().choices().getFirst().command();
      says(decides("2", EVE, command.substring("approve ".length()), true));

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void declinedApprovalIsReportedToASenderWhoAwaitsTheRun() {
      var request = delivery("1", start("fix it"));
      says(request.withOrigin(request.origin().awaiting()));
      assertThat(told()).isEmpty();

      says(decides("2", EVE, null, false));

      assertThat(told())
          .containsExactly("Declined by eve. Nothing was started.", "No run was started.");
    }

    @Test
    void withdrawnRequestIsReportedToASenderWhoAwaitsTheRun() {
      var request = delivery("1", start("fix it"));
      says(request.withOrigin(request.origin().awaiting()));
      says(delivery("2", cancel()).withActor(EVE));

      assertThat(told()).contains("No run was started.");
      assertThat(world.runs.runs()).isEmpty();
    }

    @Test
    void grantedApprovalStartsTheRunThatASenderAwaits() {
      var request = delivery("1", start("fix it"));
      says(request.withOrigin(request.origin().awaiting()));
      says(decides("2", EVE, null, true));

      assertThat(world.runs.runs()).hasSize(1);
      assertThat(told()).containsExactly("Approved by eve. The run starts.");
    }

    @Test
    void declinedApprovalStartsNothing() {
      says(delivery("1", start("fix it")));
      says(decides("2", EVE, null, false));
      world.passes(Duration.ofHours(1));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(told()).containsExactly("Declined by eve. Nothing was started.");
    }

    @Test
    void requesterCannotApproveIfTheRuleForbidsIt() {
      says(delivery("1", start("fix it")));
      says(decides("2", DANA, null, true));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(told())
          .singleElement()
          .asString()
          .startsWith("You requested it, so somebody else");
    }

    @Test
    void personWhomTheRuleDoesNotNameCannotApprove() {
      says(delivery("1", start("fix it")));
      says(decides("2", new Actor("M1", "mallory"), null, true));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(told()).singleElement().asString().startsWith("You may not decide this.");
    }

    @Test
    void approvalDoesNotApplyToARequestEditedAfterwards() {
      var asked = delivery("1", say("fix it"));
      says(asked);
      var edited = Optional.<Intent>of(say("deploy it"));
      says(delivery("2", new Intent.Amend(asked.meaning(), edited)));
      says(decides("3", EVE, null, true));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(told())
          .anySatisfy(it -> assertThat(it).startsWith("The request changed after its approval"));
    }

    @Test
    void pendingApprovalSurvivesARestart() {
      says(delivery("1", start("fix it")));
      demand();
      world.passes(Duration.ofMinutes(2));
      assertThat(world.runs.runs()).isEmpty();
      says(decides("2", EVE, null, true));

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void requestThatNobodyApprovesInTimeIsRefused() {
      says(delivery("1", start("fix it")));
      world.leaps(Duration.ofMinutes(31));
      world.settle();

      assertThat(world.runs.runs()).isEmpty();
      assertThat(told()).singleElement().asString().startsWith("Nobody approved this in time");
      says(decides("2", EVE, null, true));
      assertThat(world.runs.runs()).isEmpty();
    }

    @Test
    void approvalOfAStoppedStartStartsNothing() {
      says(delivery("1", start("fix it")));
      says(delivery("2", new Intent.Cancel(Optional.empty(), Optional.empty())));
      says(decides("3", EVE, null, true));

      assertThat(world.runs.runs()).isEmpty();
    }

    @Test
    void approvalRequestEndsWhenItsStartIsStopped() {
      says(delivery("1", start("fix it")));
      says(delivery("2", new Intent.Cancel(Optional.empty(), Optional.empty())));
      says(decides("3", EVE, null, true));

      assertThat(told()).contains("No start waits for approval here.");
    }

    @Test
    void approvalRequestEndsWhenItsSenderDeletesTheMessage() {
      var asked = delivery("1", start("fix it"));
      says(asked);
      says(delivery("2", new Intent.Amend(asked.meaning(), Optional.empty())));
      says(decides("3", EVE, null, true));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(told()).contains("No start waits for approval here.");
    }

    @Test
    void approvalAfterTheDeadlineIsTooLate() {
      // The workers come to this thread first, so that the start has not been declined yet.
      says(delivery("0", say("hello"), thread("another")).withAddressed(false));
      says(delivery("1", start("fix it")));
      var id = card().orElseThrow().choices().getFirst().command().substring("approve ".length());
      world.clock.advance(Duration.ofMinutes(30));
      says(
          delivery(
                  "2",
                  new Intent.Ask(new Question.Decide(Optional.of(id), true)),
                  thread("another"))
              .withActor(EVE));

      assertThat(told()).contains("It is too late to decide this. The request must be sent again.");
      assertThat(world.runs.runs()).isEmpty();
    }

    @Test
    void approvalIsRejectedAfterItsRuleChanged() {
      says(delivery("1", start("fix it")));
      world.obeys(
          new Policy(
              Map.of(),
              List.of(),
              List.of(
                  new ApprovalRule(
                      "policy.approve[0]",
                      List.of(),
                      Set.of(),
                      Set.of(),
                      false,
                      List.of("any"),
                      false,
                      Duration.ofMinutes(30))),
              List.of()));
      says(decides("2", EVE, null, true));

      assertThat(told())
          .containsExactly(
              "The rule that required the approval changed. The request must be sent again.");
    }

    @Test
    void approvalFromAnotherPlatformIsRejectedIfTheAccountIsUnknown() {
      says(delivery("1", start("fix it")));
      var elsewhere = new Conversation(world.elsewhere.id(), "team/channel/1");
      var id = card().orElseThrow().choices().getFirst().command().substring("approve ".length());
      var decision = new Intent.Ask(new Question.Decide(Optional.of(id), true));
      says(delivery("2", decision, elsewhere).withActor(EVE).withId(new DeliveryId("elsewhere:2")));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(world.elsewhere.told(elsewhere))
          .containsExactly(
              "Decide this where it was requested, or in the console, signed in with your account"
                  + " there.");
    }

    @Test
    void personWithAKnownAccountCanApproveFromAnotherPlatform() {
      says(delivery("1", start("fix it")));
      var id = card().orElseThrow().choices().getFirst().command().substring("approve ".length());
      var elsewhere = new Conversation(world.elsewhere.id(), "team/channel/1");
      var decision = new Intent.Ask(new Question.Decide(Optional.of(id), true));
      world.elsewhere.knowsAs("anna", THREAD.surface() + ":" + DANA.id());
      world.elsewhere.knowsAs("evelyn", THREAD.surface() + ":E1");
      says(
          delivery("2", decision, elsewhere)
              .withActor(new Actor("anna", "Anna"))
              .withId(new DeliveryId("elsewhere:2")));
      assertThat(world.runs.runs()).isEmpty();
      assertThat(world.elsewhere.told(elsewhere))
          .singleElement()
          .asString()
          .startsWith("You requested it, so somebody else");

      says(
          delivery("3", decision, elsewhere)
              .withActor(new Actor("evelyn", "Evelyn"))
              .withId(new DeliveryId("elsewhere:3")));
      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void personRefusedWhereItWasRequestedCannotApproveElsewhere() {
      var demanded =
          new ApprovalRule(
              "policy.approve[0]",
              List.of(),
              Set.of(),
              Set.of(),
              false,
              List.of(THREAD.surface() + ":E1"),
              true,
              Duration.ofMinutes(30));
      var refused =
          new Rule(
              "policy.rules[0]",
              List.of(THREAD.surface() + ":E1"),
              List.of(THREAD.surface().value()),
              Set.of(Permission.APPROVE),
              false,
              Set.of(),
              Set.of());
      var permitted =
          new Rule(
              "policy.rules[1]",
              List.of(Rule.ANY),
              List.of(Rule.ANY),
              Set.of(Permission.values()),
              true,
              Set.of(),
              Set.of());
      world.obeys(new Policy(Map.of(), List.of(refused, permitted), List.of(demanded), List.of()));
      says(delivery("1", start("fix it")));
      var id = card().orElseThrow().choices().getFirst().command().substring("approve ".length());
      var elsewhere = new Conversation(world.elsewhere.id(), "team/channel/1");
      world.elsewhere.knowsAs("evelyn", THREAD.surface() + ":E1");
      says(
          delivery("2", new Intent.Ask(new Question.Decide(Optional.of(id), true)), elsewhere)
              .withActor(new Actor("evelyn", "Evelyn"))
              .withId(new DeliveryId("elsewhere:2")));

      assertThat(world.runs.runs()).isEmpty();
      assertThat(world.elsewhere.told(elsewhere))
          .singleElement()
          .asString()
          .startsWith("You may not decide this.");
    }

    @Test
    void approveBetweenPeopleIsIgnored() {
      says(decides("1", EVE, null, true).withAddressed(false));

      assertThat(world.surface.posts()).isEmpty();
    }

    @Test
    void approvalIsRequestedOnceHoweverOftenTheStartIsAttempted() {
      says(delivery("1", start("fix it")));
      world.restart(UnaryOperator.identity());
      demand();
      world.passes(Duration.ofMinutes(1));

      assertThat(
              world.surface.posts().stream()
                  .filter(post -> post.update() instanceof Update.Answered))
          .hasSize(1);
    }

    @Test
    void approveGoesToTheAgentIfNoRequestAwaitsApproval() {
      world.obeys(Policy.NONE);
      says(delivery("1", start("fix it")));
      says(decides("2", DANA, null, true));

      assertThat(world.runs.followUps()).hasSize(1);
    }
  }

  @Nested
  class ABudget {
    private void of(Budget.Per per, long runs) {
      of(per, Optional.of(runs), Optional.empty());
    }

    private void of(Budget.Per per, Optional<Long> runs, Optional<Duration> time) {
      of(per, runs, time, List.of());
    }

    private void of(
        Budget.Per per, Optional<Long> runs, Optional<Duration> time, List<Rule> rules) {
      world.obeys(
          new Policy(
              Map.of(),
              rules,
              List.of(),
              List.of(
                  new Budget(
                      "policy.budgets[0]", per, Budget.Period.DAY, runs, time, Optional.empty()))));
    }

    private void starts(int number, Actor by) {
      says(delivery("s" + number, start("work " + number), thread("" + number)).withActor(by));
    }

    @Test
    void budgetOfThreeRunsADayRefusesTheFourthEvenAfterARestart() {
      of(Budget.Per.PERSON, 3);
      starts(1, DANA);
      starts(2, DANA);
      starts(3, DANA);
      of(Budget.Per.PERSON, 3);
      starts(4, DANA);

      assertThat(world.runs.runs()).hasSize(3);
      assertThat(told())
          .anySatisfy(
              it ->
                  assertThat(it)
                      .contains("3 of 3 runs a day", "yours", "Your Runnel admin can raise"));
    }

    @Test
    void budgetDoesNotCountAStartThatWasGivenUpDuringAnOutage() {
      of(Budget.Per.PERSON, 1);
      world.runs.isDown(Optional.empty());
      starts(1, DANA);
      for (int tries = 1; tries <= 20; tries++) {
        world.leaps(Duration.ofHours(2));
      }
      world.runs.isBack();
      world.says(delivery("s2", start("work 2"), thread("2")).withArrivedAt(world.clock.instant()));
      world.settle();

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void budgetCountsTheRunOfAStartThatWasGivenUpAndRetried() {
      of(Budget.Per.PERSON, 1);
      world.runs.losesNextAnswer();
      starts(1, DANA);
      world.runs.isDown(Optional.empty());
      for (int tries = 1; tries <= 20; tries++) {
        world.leaps(Duration.ofHours(2));
      }
      world.runs.isBack();
      var id = delivery("s1", start("work 1")).id();
      world.store().change(work -> work.inbox().retry(id));
      world.settle();

      assertThat(world.runs.runs()).hasSize(1);
      assertThat(world.store().<Boolean>commit(work -> work.starts().isKnown(id))).isTrue();
    }

    @Test
    void budgetDoesNotCountAStartThatFailedUnexpectedly() {
      of(Budget.Per.PERSON, 1);
      world.surface.isBroken();
      starts(1, DANA);
      for (int tries = 1; tries <= 10; tries++) {
        world.leaps(Duration.ofMinutes(2));
      }

      assertThat(
              world
                  .store()
                  .<Boolean>commit(
                      work -> work.starts().isKnown(delivery("s1", start("work 1")).id())))
          .isFalse();
    }

    @Test
    void budgetPerPersonDoesNotLimitOtherPeople() {
      of(Budget.Per.PERSON, 1);
      starts(1, DANA);
      starts(2, EVE);

      assertThat(world.runs.runs()).hasSize(2);
    }

    @Test
    void budgetForEverybodyIsShared() {
      of(Budget.Per.ALL, 1);
      starts(1, DANA);
      starts(2, EVE);

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void budgetPerChannelDoesNotLimitOtherChannels() {
      of(Budget.Per.CHANNEL, 1);
      starts(1, DANA);
      var other = new Conversation(THREAD.surface(), "team/another/1");
      says(delivery("other", start("work"), other));
      assertThat(world.runs.runs()).hasSize(2);

      starts(2, EVE);
      assertThat(world.runs.runs()).hasSize(2);
    }

    @Test
    void budgetPerEnvironmentDoesNotLimitOtherEnvironments() {
      of(Budget.Per.ENVIRONMENT, 1);
      starts(1, DANA);
      var web =
          new RunOptions(
              Optional.empty(),
              Optional.of("web-env"),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty());
      says(
          delivery("web", new Intent.Start(new Request("work", web)), thread("web"))
              .withActor(DANA));
      assertThat(world.runs.runs()).hasSize(2);

      starts(2, EVE);
      assertThat(world.runs.runs()).hasSize(2);
    }

    @Test
    void usedUpBudgetPermitsAStartOnTheNextDay() {
      of(Budget.Per.PERSON, 1);
      starts(1, DANA);
      world.leaps(Duration.ofHours(25));
      starts(2, DANA);

      assertThat(world.runs.runs()).hasSize(2);
    }

    @Test
    void watchBudgetCountsEachChannelAndNoPerson() {
      world.obeys(Policy.NONE.withWatchBudget());
      var alerts = new Actor("watch:C1", "The watch of this channel");
      for (int i = 1; i <= 7; i++) {
        starts(i, alerts);
      }
      assertThat(world.runs.runs()).hasSize(5);

      starts(8, new Actor("watch:C2", "The watch of this channel"));
      for (int i = 9; i <= 15; i++) {
        starts(i, DANA);
      }
      assertThat(world.runs.runs()).hasSize(13);

      world.leaps(Duration.ofMinutes(62));
      starts(16, alerts);
      assertThat(world.runs.runs()).hasSize(14);
    }

    @Test
    void configuredWatchBudgetReplacesTheDefault() {
      var own =
          new Policy(
              Map.of(),
              List.of(),
              List.of(),
              List.of(
                  new Budget(
                      "policy.budgets[0]",
                      Budget.Per.WATCH,
                      Budget.Period.DAY,
                      Optional.of(1L),
                      Optional.empty(),
                      Optional.empty())));

      assertThat(own.withWatchBudget()).isEqualTo(own);
    }

    @Test
    void nearlyUsedUpBudgetIsReported() {
      of(Budget.Per.PERSON, 5);
      for (int i = 1; i <= 5; i++) {
        starts(i, DANA);
      }

      assertThat(told())
          .singleElement()
          .asString()
          .isEqualTo(
              "Your budget is nearly used up: with this run, 4 of 5 runs a day"
                  + " (`policy.budgets[0]`).");
      assertThat(world.changes).containsOnlyOnce("a budget is nearly used");
    }

    @Test
    void nearlyUsedUpBudgetOfMinutesIsReportedAtEachStart() {
      of(Budget.Per.PERSON, Optional.empty(), Optional.of(Duration.ofMinutes(10)));
      starts(1, DANA);
      var run = world.onlyRun().id();
      world.runs.works(run, Duration.ofMinutes(7), "reading");
      world.passes(Duration.ofMinutes(1));
      starts(2, DANA);
      assertThat(told()).isEmpty();

      world.runs.works(run, Duration.ofMinutes(8), "writing");
      world.passes(Duration.ofMinutes(1));
      starts(3, DANA);
      starts(4, DANA);

      assertThat(told())
          .hasSize(2)
          .allSatisfy(
              it ->
                  assertThat(it).contains("nearly used up: with this run, 8 of 10 minutes a day"));
    }

    @Test
    void budgetOfMinutesCountsMinutesWithoutOutput() {
      of(Budget.Per.PERSON, Optional.empty(), Optional.of(Duration.ofMinutes(10)));
      starts(1, DANA);
      var run = world.onlyRun().id();
      world.runs.works(run, Duration.ofMinutes(1), "reading");
      world.passes(Duration.ofSeconds(2));
      world.runs.works(run, Duration.ofMinutes(8), "reading");
      world.passes(Duration.ofMinutes(1));
      starts(2, DANA);

      assertThat(told())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("nearly used up: with this run, 8 of 10 minutes a day");
    }

    @Test
    void followUpDoesNotUseTheBudget() {
      of(Budget.Per.PERSON, 1);
      says(delivery("1", start("fix it")));
      says(delivery("2", say("and the docs")));

      assertThat(world.runs.followUps()).hasSize(1);
    }

    static List<Outcome> refusals() {
      return List.of(
          new Outcome.Missing(),
          new Outcome.Refused("insufficient_credits", "No credits are left.", Optional.empty()));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void startThatTheRunServiceRefusesDoesNotUseTheBudget(Outcome refusal) {
      of(Budget.Per.PERSON, 1);
      world.runs.answersNext(refusal);
      starts(1, DANA);
      starts(2, DANA);

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void startThatIsFrozenWhileItWaitsDoesNotUseTheBudget() {
      of(Budget.Per.PERSON, Optional.of(1L), Optional.empty(), ONLY_EVE_FREEZES);
      world.runs.isDown(Optional.empty());
      starts(1, DANA);
      says(freezes("2", true, EVE));
      world.runs.isBack();
      world.passes(Duration.ofMinutes(10));
      says(freezes("3", false, EVE));
      starts(4, DANA);

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void startThatIsStoppedWhileItWaitsDoesNotUseTheBudget() {
      of(Budget.Per.PERSON, 1);
      world.runs.isDown(Optional.empty());
      starts(1, DANA);
      says(delivery("2", cancel(), thread("1")));
      world.runs.isBack();
      world.passes(Duration.ofMinutes(10));
      starts(3, DANA);

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void usageShowsTheBudget() {
      of(Budget.Per.PERSON, 3);
      starts(1, DANA);
      says(delivery("2", new Intent.Ask(new Question.Usage())));

      assertThat(world.surface.posts())
          .anySatisfy(
              post ->
                  assertThat(post.update())
                      .isInstanceOfSatisfying(
                          Update.Answered.class,
                          it ->
                              assertThat(it.sheet().rows())
                                  .contains(
                                      InfoCard.Row.of("Budget", "1 of 3 runs a day", "yours"))));
    }
  }

  @Nested
  class AFreeze {
    @BeforeEach
    void permit() {
      world.obeys(new Policy(Map.of(), ONLY_EVE_FREEZES, List.of(), List.of()));
    }

    @Test
    void freezeBlocksAllStartsUntilItIsLifted() {
      says(freezes("1", true, EVE));
      says(delivery("2", start("fix it")));
      assertThat(world.runs.runs()).isEmpty();
      assertThat(told())
          .anySatisfy(
              it ->
                  assertThat(it)
                      .startsWith("Nothing was started: eve froze all starts on")
                      .contains("(a deployment)"));

      says(freezes("3", false, EVE));
      says(delivery("4", start("fix it"), thread("4")));
      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void unaddressedUnfreezeInAThreadWithoutARunIsIgnored() {
      says(freezes("1", true, EVE));
      says(freezes("2", false, EVE).withAddressed(false).withConversation(thread("2")));

      assertThat(world.store().<Boolean>commit(work -> work.starts().freeze().isPresent()))
          .isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"SUCCEEDED", "BLOCKED"})
    void freezeBlocksRepliesThatWouldRestartARun(RunState state) {
      says(delivery("1", start("fix it")));
      world.runs.moves(world.runs.runs().getFirst().id(), state, "Which branch?");
      world.passes(Duration.ofMinutes(1));
      says(freezes("2", true, EVE));
      says(delivery("3", say("main")));

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(told()).anyMatch(it -> it.startsWith("Nothing was started: eve froze all starts"));

      says(freezes("4", false, EVE));
      says(delivery("5", say("main")));
      assertThat(world.runs.followUps()).hasSize(1);
    }

    @Test
    void freezeDelaysReportsToAnEndedRunAndRefusesReplies() {
      var link = URI.create("https://git.example/acme/shop/pull/7");
      says(delivery("1", start("fix it")));
      var run = world.runs.runs().getFirst().id();
      world.runs.makes(run, new Artifact("acme/shop#7", link, true, Optional.of("fix")));
      world.runs.moves(run, RunState.SUCCEEDED, "Done");
      world.passes(Duration.ofSeconds(2));
      says(freezes("2", true, EVE));
      says(
          delivery(
              "3",
              new Intent.PullRequestNeeds(
                  link, "checks:1a", "The checks failed", "The checks failed. Fix it.", true),
              thread("pull-7")));
      says(delivery("4", say("go on")));
      world.passes(Duration.ofMinutes(2));

      assertThat(world.runs.followUps()).isEmpty();
      assertThat(told())
          .last(InstanceOfAssertFactories.STRING)
          .startsWith("Nothing was started: eve froze all starts");

      says(freezes("5", false, EVE));
      assertThat(world.runs.followUps())
          .extracting("text")
          .containsExactly("The checks failed. Fix it.");
    }

    @Test
    void freezeAllowsRepliesToAnActiveRun() {
      says(delivery("1", start("fix it")));
      world.runs.moves(world.runs.runs().getFirst().id(), RunState.RUNNING, "Reading");
      says(freezes("2", true, EVE));
      says(delivery("3", say("not the docs")));

      assertThat(world.runs.followUps()).hasSize(1);
    }

    @Test
    void freezeAlsoHoldsARetriedStart() {
      world.runs.isDown(Optional.empty());
      says(delivery("1", start("fix it")));
      says(freezes("2", true, EVE));
      world.runs.isBack();
      world.passes(Duration.ofMinutes(10));

      assertThat(world.runs.runs()).isEmpty();
    }

    @Test
    void freezeRequiresThePermissionOfThePolicy() {
      says(freezes("1", true, DANA));
      says(delivery("2", start("fix it")));

      assertThat(world.runs.runs()).hasSize(1);
    }

    @Test
    void freezeWithoutAPolicyRequiresAnAdmin() {
      world.obeys(Policy.NONE);
      says(freezes("1", true, EVE));
      says(delivery("2", start("fix it")));

      assertThat(world.runs.runs()).hasSize(1);
      assertThat(told())
          .containsExactly("Only admins, named in the configuration, may freeze all starts.");
    }
  }
}
