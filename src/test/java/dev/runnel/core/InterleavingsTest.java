package dev.runnel.core;

import static dev.runnel.testkit.Samples.SURFACE;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.FlowStory.Plot;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Interleavings;
import dev.runnel.testkit.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/// What people say, the workers, the agent and time, in every order that they can fall together,
/// with answers that are lost and with crashes: one run for a start, no effect twice, each end told
/// once, nothing left waiting, no run that goes on after a stop, no answer after "stopped". What
/// holds is in [FlowStory].
///
/// `-Dinterleavings.more=1` lets others go first once more in each performance: some minutes.
@Tag("slow")
class InterleavingsTest {
  private static final int MORE = Integer.getInteger("interleavings.more", 0);
  private static final Conversation OPENED = new Conversation(SURFACE, "team/channel/opened-1");
  private static final Delivery START = delivery("1", start("fix it"));
  private static final Delivery FOLLOW_UP = delivery("2", say("and that"));
  private static final Delivery STOP = delivery("3", cancel());

  private String name = "";

  @BeforeEach
  void remember(TestInfo test) {
    name = test.getDisplayName();
  }

  @Test
  void startAndEndAreCorrectInAnyOrder() {
    var plot = inTheThread(List.of(START), RunState.RUNNING, RunState.SUCCEEDED);

    play(plot, Interleavings.ALL, 0, 0);
    play(plot, 2, 1, 1);
  }

  @Test
  void startAndStopAreCorrectInAnyOrder() {
    var plot = inTheThread(List.of(START, STOP), RunState.SUCCEEDED);

    play(plot, 3, 0, 0);
    play(plot, 1, 1, 1);
  }

  @Test
  void startFollowUpAndEndAreCorrectInAnyOrder() {
    var plot = inTheThread(List.of(START, FOLLOW_UP), RunState.SUCCEEDED, RunState.SUCCEEDED);

    play(plot, 2, 0, 0);
    play(plot, 1, 1, 0);
    play(plot, 1, 0, 1);
  }

  @Test
  void startTwoFollowUpsAndEndAreCorrectInAnyOrder() {
    var plot =
        inTheThread(
            List.of(START, FOLLOW_UP, delivery("4", say("and this"))),
            RunState.SUCCEEDED,
            RunState.SUCCEEDED,
            RunState.SUCCEEDED);

    play(plot, 1, 0, 0);
    play(plot, 0, 1, 0);
    play(plot, 0, 0, 1);
  }

  @Test
  void twoFollowUpsAndAStopAreCorrectInAnyOrder() {
    var plot =
        inTheThread(
            List.of(START, FOLLOW_UP, delivery("4", say("and this")), STOP), RunState.SUCCEEDED);

    play(plot, 1, 0, 0);
    play(plot, 0, 1, 1);
  }

  @Test
  void questionReminderAndAnswerAreCorrectInAnyOrder() {
    var plot =
        new Plot(
            List.of(START, FOLLOW_UP),
            List.of(RunState.BLOCKED, RunState.SUCCEEDED),
            List.of(THREAD),
            1,
            new Reminders(List.of(Duration.ofMinutes(30))),
            false);

    play(plot, 1, 0, 0);
    play(plot, 0, 1, 1);
  }

  @Test
  void repeatedQuestionAfterItsAnswerIsCorrectInAnyOrder() {
    var plot = inTheThread(List.of(START, FOLLOW_UP), RunState.BLOCKED, RunState.BLOCKED);

    play(plot, 2, 0, 0);
    play(plot, 1, 1, 0);
    play(plot, 0, 1, 1);
  }

  @Test
  void startFollowUpAndStopAreCorrectInAnyOrder() {
    var plot = inTheThread(List.of(START, FOLLOW_UP, STOP), RunState.SUCCEEDED, RunState.SUCCEEDED);

    play(plot, 2, 0, 0);
    play(plot, 1, 1, 0);
    play(plot, 1, 0, 1);
  }

  @Test
  void waitingReplyAndStopAreCorrectInAnyOrder() {
    var plot =
        new Plot(
            List.of(START, FOLLOW_UP, STOP),
            List.of(RunState.RUNNING, RunState.SUCCEEDED, RunState.SUCCEEDED),
            List.of(THREAD),
            1,
            Reminders.NONE,
            true);

    play(plot, 2, 0, 0);
    play(plot, 1, 1, 0);
    play(plot, 1, 0, 1);
  }

  @Test
  void threadOpeningAndReplyAreCorrectInAnyOrder() {
    var plot = inAnOpenedThread(unaddressed("2", say("and that")));

    play(plot, 2, 0, 0);
    play(plot, 1, 1, 0);
    play(plot, 0, 1, 1);
  }

  @Test
  void threadOpeningAndStopAreCorrectInAnyOrder() {
    var plot = inAnOpenedThread(unaddressed("3", cancel()));

    play(plot, 2, 0, 0);
    play(plot, 1, 1, 0);
    play(plot, 0, 1, 1);
  }

  @Test
  void twoConcurrentNodesAreCorrectInAnyOrder() {
    play(
        new Plot(
            List.of(START, FOLLOW_UP),
            List.of(RunState.BLOCKED, RunState.SUCCEEDED),
            List.of(THREAD),
            2),
        2,
        0,
        0);
    play(new Plot(List.of(START, STOP), List.of(RunState.SUCCEEDED), List.of(THREAD), 2), 2, 0, 0);
  }

  private void play(Plot plot, int turns, int faults, int crashes) {
    var bound = turns == Interleavings.ALL ? turns : turns + MORE;
    var played =
        new Interleavings(bound, faults, crashes).play(stage -> new FlowStory(plot, stage));
    System.out.printf(
        "%s: %d turns, %d faults, %d crashes: %d schedules, %d states%n",
        name, bound, faults, crashes, played.performances(), played.states());
    assertThat(played.ended()).isPositive();
  }

  private static Plot inTheThread(List<Delivery> said, RunState... agent) {
    return new Plot(said, List.of(agent), List.of(THREAD), 1);
  }

  private static Plot inAnOpenedThread(Delivery reply) {
    var place = new Conversation(SURFACE, "team/channel/~1");
    var command =
        new Delivery(
            new DeliveryId("fake:1"),
            "said:1",
            place,
            Samples.DANA,
            start("fix it"),
            true,
            new Origin(Optional.empty(), Optional.of("reply"), Optional.empty(), true),
            Samples.NINE);
    return new Plot(
        List.of(command, reply),
        List.of(RunState.SUCCEEDED, RunState.SUCCEEDED),
        List.of(place, OPENED),
        1);
  }

  private static Delivery unaddressed(String id, Intent intent) {
    var said = delivery(id, intent, OPENED);
    return said.withAddressed(false);
  }
}
