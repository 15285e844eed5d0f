package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Deliveries overtake each other on their way; their platform tells when each was said.
class OvertakingTest {
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

  @Test
  void repliesWithinOneSecondReachTheAgentInTheOrderOfWriting() {
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ofSeconds(1)));
    world.says(delivery("0", start("fix it")));
    world.settle();
    world.clock.advance(Duration.ofSeconds(10));

    world.says(at(12, now(delivery("2", say("and add a test")))));
    world.says(at(11, now(delivery("1", say("rename it first")))));
    world.passes(Duration.ofSeconds(2));

    assertThat(world.runs.followUps())
        .extracting("text")
        .containsExactly("rename it first\n\nand add a test");
  }

  @Test
  void aLabelThatArrivesAfterItsRemovalStartsNothing() {
    world.says(at(20, unlabelled("2")));
    world.settle();
    world.says(at(10, delivery("1", start("Work on this issue."))));
    world.settle();

    assertThat(world.runs.runs()).isEmpty();
    assertThat(world.surface.posts()).isEmpty();
  }

  @Test
  void aLabelThatWasPutOnAgainStartsARun() {
    world.says(at(20, unlabelled("2")));
    world.settle();
    world.says(at(30, delivery("3", start("Work on this issue."))));
    world.settle();

    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void replyWrittenBeforeAStopButReceivedAfterItDoesNotReachTheRun() {
    world.says(at(1, delivery("0", start("fix it"))));
    world.settle();
    world.says(at(20, delivery("2", cancel())));
    world.settle();
    world.says(at(10, delivery("1", say("and add a test"))));
    world.settle();

    assertThat(world.runs.followUps()).isEmpty();
    assertThat(world.runs.runs()).hasSize(1);
  }

  @Test
  void aRequestThatIsCaughtUpTogetherWithAnEarlierStopStartsItsRun() {
    world.says(at(10, delivery("1", cancel())));
    world.says(at(20, delivery("2", say("do it differently"))));
    world.settle();

    assertThat(world.runs.runs()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void stopThatArrivesAfterALaterRequestReportsThatItStopsNothing(Intent request) {
    world.says(at(1, delivery("0", start("fix it"))));
    world.settle();
    world.says(at(20, delivery("2", cancel())));
    world.settle();
    world.says(at(30, delivery("3", request)));
    world.settle();
    world.says(at(10, delivery("1", cancel())));
    world.settle();

    assertThat(world.runs.cancels()).hasSize(1);
    assertThat(world.runs.runs().getLast().state()).isEqualTo(RunState.QUEUED);
    assertThat(world.surface.told(THREAD)).last().asString().startsWith("Your stop arrived late");
  }

  static Stream<Intent> requests() {
    return Stream.of(
        say("continue with the docs"),
        new Intent.New(Request.of("write the docs")),
        new Intent.Retry(Optional.empty()));
  }

  @Test
  void aStopThatWasSentAfterTheLatestRequestStopsTheRun() {
    world.says(at(1, delivery("0", start("fix it"))));
    world.settle();
    world.says(at(10, delivery("1", say("and add a test"))));
    world.settle();
    world.says(at(10, delivery("2", cancel())));
    world.settle();

    assertThat(world.runs.cancels()).hasSize(1);
  }

  @Test
  void aRemovedLabelThatArrivesAfterTheNextLabelStopsNothing() {
    world.says(at(20, delivery("3", start("Work on this issue."))));
    world.settle();
    world.says(at(10, unlabelled("2")));
    world.settle();

    assertThat(world.runs.cancels()).isEmpty();
    assertThat(world.surface.told(THREAD)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void stopByARefusedSenderWithdrawsNothing(Admission refusal) {
    world.surface.admits(refusal);
    world.says(at(20, delivery("2", cancel())));
    world.settle();
    world.surface.admits(Admission.ADMITTED);
    world.says(at(10, delivery("1", start("fix it"))));
    world.settle();

    assertThat(world.runs.runs()).hasSize(1);
  }

  static Stream<Admission> refusals() {
    return Stream.of(
        new Admission.TurnedAway("a stranger"),
        new Admission.Outsider("a guest"),
        new Admission.Refused("a guest", "Only members may."));
  }

  private static Delivery unlabelled(String id) {
    return new Delivery(
        new DeliveryId("fake:" + id),
        "said:" + id,
        THREAD,
        DANA,
        new Intent.Cancel(Optional.empty(), Optional.of("removed the label `agent`")),
        false,
        Origin.NONE,
        NINE);
  }

  /// It arrives now.
  private Delivery now(Delivery delivery) {
    return delivery.withArrivedAt(world.clock.instant());
  }

  private static Delivery at(int second, Delivery delivery) {
    return delivery.withSnapshot(
        new Snapshot(Optional.of(NINE.plusSeconds(second)), Optional.empty(), Optional.empty()));
  }
}
