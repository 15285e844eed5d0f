package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.dispatch.SameIssueAction;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One issue through two doors: its link in a chat, and a label on it.
class SameIssueJourneyTest {
  private static final Conversation ISSUE =
      new Conversation(new SurfaceId("elsewhere"), "acme/shop#7");
  private static final Conversation OTHER_CHANNEL = new Conversation(SURFACE, "team/other/1");
  private static final String LINK = "https://elsewhere.example/acme/shop%237";

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.elsewhere.hasIssues();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void requestForAnIssueWithARunOffersToJoinOrSeparate() {
    label("1");
    asks("2", "fix " + LINK + ", please");

    assertThat(world.runs.starts()).hasSize(1);
    assertThat(card().title()).startsWith("A run is already working on this issue.");
    assertThat(card().choices())
        .extracting(InfoCard.Choice::command)
        .containsExactly("join", "separate");
  }

  @Test
  void joinSendsTheRequestToTheRunAndBothPlacesGetTheAnswer() {
    label("1");
    asks("2", "fix " + LINK);
    world.restart(UnaryOperator.identity());
    says("3", "join");

    assertThat(told()).containsExactly("fix " + LINK);
    assertThat(world.runs.starts()).hasSize(1);
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done");
    world.passes(Duration.ofSeconds(3));
    assertThat(world.surface.kinds(THREAD)).contains("Succeeded");
    assertThat(world.elsewhere.kinds(ISSUE)).contains("Succeeded");
  }

  @Test
  void aMentionGoesToTheRunThatWasJoined() {
    label("1");
    asks("2", "fix " + LINK);
    says("3", "join");
    says("4", "use the new API");

    assertThat(told()).containsExactly("fix " + LINK, "use the new API");
  }

  @Test
  void repeatedJoinCountsOnce() {
    label("1");
    asks("2", "fix " + LINK);
    world.says(delivery("3", MessageParser.words("join").orElseThrow()));
    world.says(delivery("4", MessageParser.words("join").orElseThrow()).withActor(SAM));
    world.settle();

    assertThat(told()).containsExactly("fix " + LINK);
    assertThat(world.surface.told(THREAD))
        .anyMatch(it -> it.endsWith("No such question is open here."));
  }

  @Test
  void separateStartsAnotherRun() {
    label("1");
    asks("2", "fix " + LINK);
    says("3", "separate");

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.runs.starts().getLast().prompt().text()).startsWith("fix " + LINK);
    assertThat(told()).isEmpty();
  }

  @Test
  void aLabelJoinsTheRunOfAThreadWithoutAMessageToTheAgent() {
    joins();
    asks("1", "fix " + LINK);
    label("2");

    assertThat(world.runs.starts()).hasSize(1);
    assertThat(told()).isEmpty();
    assertThat(world.elsewhere.told(ISSUE))
        .singleElement()
        .asString()
        .startsWith("A run is already working on this issue");
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done");
    world.passes(Duration.ofSeconds(3));
    assertThat(world.elsewhere.kinds(ISSUE)).contains("Succeeded");
  }

  @Test
  void simultaneousRequestAndLabelStartOneRun() {
    joins();
    world.says(delivery("1", say("fix " + LINK)));
    world.says(labelled("2"));
    world.passes(Duration.ofSeconds(10));

    assertThat(world.runs.starts()).hasSize(1);
  }

  @Test
  void requestWaitsWhileTheOtherStartIsUncertain() {
    joins();
    world.runs.isDown(Optional.empty());
    label("1");
    asks("2", "fix " + LINK);
    world.runs.isBack();
    world.passes(Duration.ofMinutes(3));

    assertThat(world.runs.starts()).hasSize(1);
    assertThat(told()).containsExactly("fix " + LINK);
  }

  @Test
  void aRequestThatWaitsForAnotherStartIsMarkedAndExplainedOnce() {
    joins();
    world.runs.isDown(Optional.empty());
    label("1");
    asks("2", "fix " + LINK);
    var message = new PostRef("message-2");
    assertThat(world.surface.signs(message)).containsExactly(MessageStatus.QUEUED);
    world.passes(Duration.ofMinutes(5));

    assertThat(world.surface.receipts()).containsExactly(message);
    assertThat(world.surface.told(THREAD))
        .singleElement()
        .asString()
        .startsWith("Your request waits");
  }

  @Test
  void requestForAnIssueWhoseRunEndedStartsANewRun() {
    label("1");
    world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done");
    world.passes(Duration.ofSeconds(3));
    asks("2", "fix " + LINK);

    assertThat(world.runs.starts()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"start", "new: fix LINK", "fix LINK and LINK-too"})
  void separateRunStartsOnRequest(String how) {
    if (how.equals("start")) {
      world.dispatches(DispatchOptions.DEFAULT.withSameIssue(SameIssueAction.START));
    }
    label("1");
    asks("2", how.equals("start") ? "fix " + LINK : how.replace("LINK", LINK));

    assertThat(world.runs.starts()).hasSize(2);
  }

  @Test
  void runIsNotRevealedToAPersonWithoutPermissionInItsPlace() {
    asks("1", "fix " + LINK);
    obeys(permits("elsewhere"));
    label("2");

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.elsewhere.told(ISSUE)).isEmpty();
  }

  @Test
  void aLabelDoesNotJoinARunWhereItsSenderMayNotWrite() {
    joins();
    asks("1", "fix " + LINK);
    obeys(permits("elsewhere"));
    label("2");

    assertThat(world.runs.starts()).hasSize(2);
  }

  @Test
  void joinIsRefusedAfterTheLossOfWritePermission() {
    label("1");
    asks("2", "fix " + LINK);
    obeys(permits("fake"));
    says("3", "join");

    assertThat(told()).isEmpty();
    assertThat(world.surface.told(THREAD)).contains("You may not write to that run.");
    assertThat(world.audit())
        .last()
        .asString()
        .contains("\"verdict\":\"refused\"", "the sender may not write to the run");
  }

  @Test
  void mentionAfterTheLossOfWritePermissionDoesNotReachTheRun() {
    label("1");
    asks("2", "fix " + LINK);
    says("3", "join");
    obeys(permits("fake"));
    says("4", "use the new API");

    assertThat(told()).containsExactly("fix " + LINK);
  }

  @Test
  void runInAPrivateChannelIsNotRevealedToAPersonOutsideIt() {
    asks("1", "fix " + LINK);
    world.surface.isPrivate();
    says("2", SAM, OTHER_CHANNEL, "fix " + LINK);
    world.runs.moves(first().id(), RunState.SUCCEEDED, "The secret");
    world.passes(Duration.ofSeconds(3));

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(told()).isEmpty();
    assertThat(world.surface.kinds(THREAD)).contains("Succeeded");
    assertThat(world.surface.kinds(OTHER_CHANNEL)).containsOnly("Status");
  }

  @Test
  void aLabelDoesNotJoinARunOfAPrivateChannel() {
    joins();
    asks("1", "fix " + LINK);
    world.surface.isPrivate();
    label("2", SAM);

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.elsewhere.told(ISSUE)).isEmpty();
  }

  @Test
  void requestFromAnotherChannelStartsAnotherRun() {
    asks("1", "fix " + LINK);
    says("2", SAM, OTHER_CHANNEL, "fix " + LINK);

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.surface.kinds(OTHER_CHANNEL)).containsOnly("Status");
  }

  @Test
  void requestInTheSamePrivateChannelOffersToJoin() {
    asks("1", "fix " + LINK);
    world.surface.isPrivate();
    says("2", SAM, OTHER_THREAD, "fix " + LINK);

    assertThat(world.runs.starts()).hasSize(1);
    assertThat(world.surface.kinds(OTHER_THREAD)).contains("Answered");
  }

  @Test
  void onlyTheRequesterOfAPrivateRunCanJoinItFromAnotherChannel() {
    asks("1", "fix " + LINK);
    world.surface.isPrivate();
    says("2", DANA, OTHER_CHANNEL, "fix " + LINK);
    says("3", SAM, OTHER_CHANNEL, "join");
    assertThat(told()).isEmpty();
    assertThat(world.surface.told(OTHER_CHANNEL)).contains("You may not write to that run.");

    says("4", DANA, OTHER_CHANNEL, "join");
    assertThat(told()).containsExactly("fix " + LINK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"say it word for word", "status", "retry"})
  void personWhoMayNotJoinCannotReachAJoinedRun(String words) {
    joins();
    asks("1", "fix " + LINK);
    says("2", DANA, OTHER_CHANNEL, "fix " + LINK);
    says("3", SAM, OTHER_CHANNEL, words);

    assertThat(told()).containsExactly("fix " + LINK);
    assertThat(world.surface.told(OTHER_CHANNEL))
        .last()
        .asString()
        .startsWith("That run is from another channel or repository.");
  }

  @Test
  void aStopReachesTheRunThatAnotherPersonJoined() {
    joins();
    asks("1", "fix " + LINK);
    says("2", DANA, OTHER_CHANNEL, "fix " + LINK);
    says("3", SAM, OTHER_CHANNEL, "stop");

    assertThat(world.runs.cancels()).containsExactly(first().id());
  }

  @Test
  void issueMessageDoesNotReachARunWhoseChannelBecamePrivate() {
    joins();
    asks("1", "fix " + LINK);
    label("2");
    world.surface.isPrivate();
    says("3", SAM, ISSUE, "say it word for word");
    assertThat(told()).isEmpty();

    says("4", SAM, ISSUE, "stop");
    assertThat(world.runs.cancels()).containsExactly(first().id());
  }

  @Test
  void requestOnTheIssueOfAnEndedPrivateRunStartsAnother() {
    joins();
    asks("1", "fix " + LINK);
    label("2");
    world.runs.moves(first().id(), RunState.SUCCEEDED, "Fixed.");
    world.passes(Duration.ofSeconds(5));
    world.surface.isPrivate();

    says("3", SAM, ISSUE, "fix it again");

    assertThat(world.runs.runs()).hasSize(2);
    assertThat(world.runs.followUps()).isEmpty();
  }

  @Test
  void messageWaitsWhileThePrivacyOfTheRunsChannelIsUnknown() {
    joins();
    asks("1", "fix " + LINK);
    label("2");
    world.surface.backgroundIsDown(true);
    says("3", SAM, ISSUE, "and the docs");
    assertThat(told()).isEmpty();

    world.surface.backgroundIsDown(false);
    world.passes(Duration.ofSeconds(10));

    assertThat(told()).containsExactly("and the docs");
  }

  @Test
  void aMessageWaitsWhileThePlatformOfTheRunRefusesTheCredential() {
    joins();
    asks("1", "fix " + LINK);
    label("2");
    world.surface.refusesCredential(Optional.of("Slack does not accept the token."));
    world.says(
        delivery("3", say("and the docs"), ISSUE)
            .withActor(SAM)
            .withId(new DeliveryId("elsewhere:3")));
    world.passes(Duration.ofMinutes(3));
    assertThat(told()).isEmpty();
    assertThat(world.elsewhere.told(ISSUE)).noneMatch(it -> it.contains("belongs to another"));

    world.surface.refusesCredential(Optional.empty());
    world.passes(Duration.ofMinutes(2));

    assertThat(told()).containsExactly("and the docs");
  }

  private static Rule permits(String surface) {
    return new Rule(
        "policy.rules[0]",
        List.of("any"),
        List.of(surface),
        EnumSet.allOf(Permission.class),
        true,
        Set.of(),
        Set.of());
  }

  private void obeys(Rule rule) {
    world.obeys(new Policy(Map.of(), List.of(rule), List.of(), List.of()));
  }

  private void joins() {
    world.dispatches(DispatchOptions.DEFAULT.withSameIssue(SameIssueAction.JOIN));
  }

  private void label(String id) {
    label(id, DANA);
  }

  private void label(String id, Actor actor) {
    world.says(labelled(id).withActor(actor));
    world.settle();
  }

  private static Delivery labelled(String id) {
    return new Delivery(
        new DeliveryId("elsewhere:" + id),
        "label:" + id,
        ISSUE,
        DANA,
        start("Work on this issue."),
        true,
        new Origin(Optional.of(URI.create(LINK)), Optional.empty(), Optional.empty(), false),
        NINE);
  }

  /// Somebody mentions Runnel in a thread.
  private void asks(String id, String words) {
    says(id, words);
  }

  private void says(String id, String words) {
    says(id, DANA, THREAD, words);
  }

  private void says(String id, Actor actor, Conversation where, String words) {
    world.says(delivery(id, MessageParser.words(words).orElseThrow(), where).withActor(actor));
    world.settle();
  }

  private Run first() {
    return world.runs.runs().getFirst();
  }

  private List<String> told() {
    return world.runs.followUps().stream().map(each -> each.text()).toList();
  }

  private InfoCard card() {
    return world.surface.posts(THREAD).stream()
        .map(each -> each.update())
        .filter(Update.Answered.class::isInstance)
        .map(each -> ((Update.Answered) each).sheet())
        .findFirst()
        .orElseThrow();
  }
}
