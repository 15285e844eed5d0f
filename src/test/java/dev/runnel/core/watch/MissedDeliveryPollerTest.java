package dev.runnel.core.watch;

import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.MissedDeliveries.ListedDelivery;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a platform said while nobody listened.
class MissedDeliveryPollerTest {
  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.catchesUp();
    world.says(delivery("1", start("fix the test")));
    world.settle();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void undeliveredReplyReachesItsRunThroughTheCatchUp() {
    world.passes(Duration.ofMinutes(1));
    world.surface.lists(said(exactly(delivery("2", say("add a test")))));

    world.catchesUp();
    world.settle();

    assertThat(world.surface.missedIn()).containsExactly(THREAD);
    assertThat(world.runs.followUps()).extracting("text").containsExactly("add a test");
  }

  @Test
  void listedDeliveryThatArrivedBeforeHasNoSecondEffect() {
    world.says(delivery("2", say("add a test")));
    world.settle();
    world.surface.lists(said(exactly(listed(delivery("2", say("add a test"))))));

    world.catchesUp();
    world.catchesUp();
    world.settle();

    assertThat(world.runs.followUps()).hasSize(1);
  }

  @Test
  void listedDeliveryIsAlsoRecognizedByItsKindAndTime() {
    var label = other(delivery("1", start("fix the test")));
    world.surface.lists(said(new ListedDelivery(label, NINE, false)));
    world.catchesUp();
    world.settle();
    assertThat(world.runs.runs()).hasSize(1);
    assertThat(world.surface.told(THREAD)).isEmpty();

    var unlabel = other(delivery("2", cancel()));
    world.surface.lists(
        said(new ListedDelivery(label, NINE, false), new ListedDelivery(unlabel, NINE, false)));
    world.catchesUp();
    world.settle();
    assertThat(world.onlyRun().state()).isEqualTo(RunState.CANCELLED);
  }

  @Test
  void listedClosingThatArrivedBeforeStopsNoLaterRun() {
    var link = URI.create("https://git.example/acme/shop/pull/7");
    var closed =
        new Intent.PullRequestChanged(link, PullRequestState.CLOSED, NINE, Optional.of(cancel()));
    world.says(delivery("2", closed));
    world.settle();
    world.says(delivery("3", start("once more")));
    world.settle();
    assertThat(world.runs.runs()).hasSize(2);

    world.surface.lists(said(new ListedDelivery(other(delivery("2", closed)), NINE, false)));
    world.catchesUp();
    world.settle();

    assertThat(world.runs.cancels()).hasSize(1);
  }

  @Test
  void abandonedStatusPostIsMadeByTheCatchUp() {
    world.surface.answersPosts(Optional.of(new Posting.Undeliverable("Invite me first.")));
    world.says(delivery("2", start("add a test"), OTHER_THREAD));
    world.settle();
    world.surface.answersPosts(Optional.empty());
    world.settle();
    assertThat(world.surface.kinds(OTHER_THREAD)).isEmpty();

    world.catchesUp();
    world.settle();
    world.catchesUp();
    world.settle();

    assertThat(world.surface.kinds(OTHER_THREAD)).containsExactly("Status");
    assertThat(world.surface.posts(THREAD)).hasSize(1);
    assertThat(world.surface.posts(THREAD).getFirst().edits()).isZero();
  }

  @Test
  void aListThatIsLongerThanOneCheckIsContinuedSoonWhereItStopped() {
    var stopped = NINE.plus(Duration.ofMinutes(5));
    world.clock.advance(Duration.ofMinutes(40));
    listsUntil(stopped, Optional.empty());

    var again = world.catchesUp();
    world.settle();

    assertThat(again).isEqualTo(world.clock.instant().plus(Duration.ofMinutes(1)));
    assertThat(world.runs.followUps()).hasSize(1);

    // An issue that changed later may have an earlier message.
    world.clock.advance(Duration.ofMinutes(1));
    world.surface.lists(MissedDeliveries.Listed.NOTHING);
    world.catchesUp();
    assertThat(world.surface.missedSince()).isEqualTo(NINE.minus(Duration.ofMinutes(2)));
    assertThat(world.surface.missedFrom()).isEqualTo(stopped);

    world.clock.advance(Duration.ofMinutes(15));
    world.catchesUp();
    assertThat(world.surface.missedSince()).isEqualTo(NINE.plus(Duration.ofMinutes(39)));
    assertThat(world.surface.missedFrom()).isEqualTo(world.surface.missedSince());
  }

  @Test
  void longListIsReadFromItsBeginningByAnotherProcess() {
    world.clock.advance(Duration.ofMinutes(40));
    listsUntil(NINE.plus(Duration.ofMinutes(5)), Optional.empty());
    world.catchesUp();

    world.restart(store -> store);
    world.catchesUp();

    assertThat(world.surface.missedFrom()).isEqualTo(NINE.minus(Duration.ofMinutes(2)));
  }

  @Test
  void longListIsContinuedThoughAPartIsRefusedAndReadAgainLater() {
    world.clock.advance(Duration.ofMinutes(40));
    listsUntil(NINE.plus(Duration.ofMinutes(5)), Optional.of("400 of one list"));
    world.catchesUp();
    world.surface.lists(MissedDeliveries.Listed.NOTHING);
    world.clock.advance(Duration.ofMinutes(1));
    world.catchesUp();
    assertThat(world.surface.missedFrom()).isEqualTo(NINE.plus(Duration.ofMinutes(5)));

    world.clock.advance(Duration.ofMinutes(15));
    world.catchesUp();
    assertThat(world.surface.missedFrom()).isEqualTo(NINE.minus(Duration.ofMinutes(2)));
  }

  @Test
  void aListThatStopsWhereItBeganIsNotContinuedForEver() {
    world.clock.advance(Duration.ofMinutes(40));
    listsUntil(NINE.minus(Duration.ofMinutes(2)), Optional.empty());

    assertThat(world.catchesUp()).isEqualTo(world.clock.instant().plus(Duration.ofMinutes(15)));
  }

  private void listsUntil(Instant stopped, Optional<String> unread) {
    world.surface.lists(
        new MissedDeliveries.Listed(
            List.of(exactly(delivery("2", say("add a test")))), unread, Optional.of(stopped)));
  }

  @Test
  void pollerContinuesSlightlyBeforeWhereItLeftOff() {
    world.clock.advance(Duration.ofMinutes(40));

    world.catchesUp();
    assertThat(world.surface.missedSince()).isEqualTo(NINE.minus(Duration.ofMinutes(2)));

    world.catchesUp();
    assertThat(world.surface.missedSince()).isEqualTo(NINE.plus(Duration.ofMinutes(38)));
  }

  @Test
  void aMarkInTheFutureIsIgnoredAndAllOfTheLastDayIsRead() {
    world.clock.advance(Duration.ofHours(3));
    world.catchesUp();
    world.workersAreAheadBy(Duration.ofHours(2));

    world.catchesUp();
    assertThat(world.surface.missedSince()).isEqualTo(NINE.minus(Duration.ofHours(23)));

    world.catchesUp();
    assertThat(world.surface.missedSince()).isEqualTo(NINE.plus(Duration.ofMinutes(58)));
  }

  @Test
  void catchUpIgnoresDeliveriesOlderThanADay() {
    world.clock.advance(Duration.ofDays(9));

    world.catchesUp();

    assertThat(world.surface.missedSince()).isEqualTo(NINE.plus(Duration.ofDays(8)));
  }

  @Test
  void catchUpRepeatsTheSameTimeIfThePlatformDoesNotAnswer() {
    world.clock.advance(Duration.ofMinutes(40));
    world.surface.lists(new MissedDeliveries.Unknown(Optional.of(Duration.ofSeconds(30)), "429"));
    var now = world.clock.instant();

    assertThat(world.catchesUp()).isEqualTo(now.plusSeconds(30));

    world.surface.lists(MissedDeliveries.Listed.NOTHING);
    world.clock.advance(Duration.ofSeconds(30));
    assertThat(world.catchesUp()).isEqualTo(now.plusSeconds(30).plus(Duration.ofMinutes(15)));
    assertThat(world.surface.missedSince()).isEqualTo(NINE.minus(Duration.ofMinutes(2)));
  }

  @Test
  void catchUpWaitsForTheRequestedPause() {
    var pause = Duration.ofMinutes(40);
    world.elsewhere.lists(new MissedDeliveries.Unknown(Optional.of(pause), "429"));
    world.surface.lists(new MissedDeliveries.Unknown(Optional.empty(), "503"));
    assertThat(world.catchesUp()).isEqualTo(NINE.plus(Duration.ofMinutes(1)));

    world.elsewhere.refusesCredential(Optional.of("It was asked."));
    world.surface.lists(MissedDeliveries.Listed.NOTHING);
    world.clock.advance(Duration.ofMinutes(30));
    assertThat(world.catchesUp()).isEqualTo(NINE.plus(pause));
    assertThat(world.elsewhere.refusals()).isZero();

    world.clock.advance(Duration.ofMinutes(10));
    world.catchesUp();
    assertThat(world.elsewhere.refusals()).isOne();
  }

  @Test
  void catchUpRepeatsFromTheSameTimeAfterARefusedList() {
    world.clock.advance(Duration.ofMinutes(40));
    world.surface.lists(
        new MissedDeliveries.Listed(
            List.of(exactly(delivery("2", say("add a test")))),
            Optional.of("400 of one list"),
            Optional.empty()));
    world.catchesUp();
    world.settle();
    assertThat(world.runs.followUps()).hasSize(1);

    world.clock.advance(Duration.ofMinutes(15));
    world.surface.lists(MissedDeliveries.Listed.NOTHING);
    world.catchesUp();

    assertThat(world.surface.missedSince()).isEqualTo(NINE.minus(Duration.ofMinutes(2)));
  }

  @Test
  void catchUpRepeatsTheSameTimeIfTheTokenIsRejected() {
    world.clock.advance(Duration.ofMinutes(40));
    world.surface.refusesCredential(Optional.of("The fake does not accept the token."));
    world.catchesUp();
    world.clock.advance(Duration.ofMinutes(1));
    world.surface.refusesCredential(Optional.empty());

    world.catchesUp();

    assertThat(world.surface.missedSince()).isEqualTo(NINE.minus(Duration.ofMinutes(2)));
  }

  @Test
  void newInstallationDoesNotCatchUpOnThePast() {
    try (var fresh = new World(folder.resolve("fresh"))) {
      fresh.surface.lists(said(exactly(delivery("1", start("old")))));

      fresh.catchesUp();
      fresh.settle();

      assertThat(fresh.surface.missedSince()).isEqualTo(Instant.EPOCH);
      assertThat(fresh.runs.runs()).isEmpty();
    }
  }

  private static MissedDeliveries said(ListedDelivery... heard) {
    return new MissedDeliveries.Listed(List.of(heard));
  }

  private static ListedDelivery exactly(Delivery delivery) {
    return new ListedDelivery(delivery, NINE, true);
  }

  /// The same words under the id that a list gives.
  private static Delivery listed(Delivery delivered) {
    return with(delivered, delivered.meaning());
  }

  /// The same, and its meaning is spelled otherwise.
  private static Delivery other(Delivery delivered) {
    return with(delivered, "listed:" + delivered.meaning());
  }

  private static Delivery with(Delivery delivered, String meaning) {
    return delivered
        .withId(new DeliveryId("fake:listed-" + delivered.id().value()))
        .withMeaning(meaning);
  }
}
