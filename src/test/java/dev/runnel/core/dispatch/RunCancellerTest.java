package dev.runnel.core.dispatch;

import static dev.runnel.core.ThreadTalk.SAM;
import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.core.ThreadTalk.message;
import static dev.runnel.core.ThreadTalk.now;
import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.ThreadTalk;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A stop wins, by whatever door it comes, and what is said of it is true.
class RunCancellerTest {
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
  void stopIsReportedWithItsRequesterAndTimes() {
    begins(world, RunState.RUNNING);
    world.runs.answersNext(new Outcome.Unavailable(Optional.of(Duration.ofSeconds(60)), "PENDING"));
    var asked = world.clock.instant();
    world.says(now(world, "2", SAM, cancel()));
    world.settle();
    assertThat(status().stop()).contains(StopRequest.asked(SAM, asked));

    world.passes(Duration.ofSeconds(90));
    var end = (Update.Cancelled) world.surface.posts(THREAD).getLast().update();
    assertThat(end.stop().map(StopRequest::by)).contains(SAM);
    assertThat(end.stop().map(StopRequest::asked)).contains(asked);
    assertThat(end.stop().flatMap(StopRequest::done).orElseThrow()).isAfter(asked.plusSeconds(59));
    assertThat(status().stop()).isEmpty();
  }

  @Test
  void statusShowsAStopUntilTheServiceConfirmsIt() {
    var run = begins(world, RunState.RUNNING);
    world.runs.answersNext(new Outcome.Done(run));
    world.says(now(world, "2", SAM, cancel()));
    world.passes(Duration.ofSeconds(3));
    assertThat(status().stop().map(StopRequest::by)).contains(SAM);

    world.runs.moves(run.id(), RunState.RUNNING, "Tidying up");
    world.passes(Duration.ofSeconds(3));
    assertThat(status().stop()).isPresent();

    world.runs.moves(run.id(), RunState.CANCELLED, "Cancelled");
    world.passes(Duration.ofSeconds(3));
    assertThat(world.surface.posts(THREAD).getLast().update())
        .isInstanceOfSatisfying(
            Update.Cancelled.class,
            end -> assertThat(end.stop().flatMap(StopRequest::done)).isPresent());
  }

  @Test
  void stopOfAFinishedRunReportsThatItHadFinished() {
    var run = begins(world, RunState.RUNNING);
    world.runs.moves(run.id(), RunState.SUCCEEDED, "Done.");
    world.says(now(world, "2", DANA, cancel()));
    world.settle();

    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded", "Message");
    assertThat(world.surface.told(THREAD)).containsExactly("It had already finished.");
  }

  @Test
  void refusedStopExplainsWhereToStopTheRun() {
    var run = begins(world, RunState.RUNNING);
    world.runs.answersNext(
        new Outcome.Refused("no", "It cannot be stopped through the API.", Optional.empty()));
    world.says(now(world, "2", DANA, cancel()));
    world.settle();

    assertThat(world.surface.told(THREAD))
        .containsExactly("It cannot be stopped through the API.\n" + run.session().orElseThrow());
    assertThat(status().stop()).isEmpty();
    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.REFUSED);
  }

  @Test
  void waitingStopIsReportedAsQueued() {
    begins(world, RunState.RUNNING);
    world.runs.isDown(Optional.empty());
    world.says(now(world, "2", DANA, cancel()));
    world.passes(Duration.ofSeconds(40));

    assertThat(world.surface.told(THREAD))
        .singleElement()
        .asString()
        .contains("The stop is queued");
  }

  @Test
  void aStopThatTheServicePutsOffDoesNotCallItUnreachable() {
    begins(world, RunState.RUNNING);
    for (int tries = 0; tries < 40; tries++) {
      world.runs.answersNext(
          new Outcome.Unavailable(Optional.of(Duration.ofSeconds(2)), "Its execution begins"));
    }
    world.says(now(world, "2", DANA, cancel()));
    world.passes(Duration.ofSeconds(40));

    assertThat(world.surface.told(THREAD))
        .singleElement()
        .asString()
        .contains("The stop is queued")
        .doesNotContain("cannot be reached");
  }

  @Test
  void reactionOnTheRequestStopsTheRun() {
    var run = begins(world, RunState.RUNNING);
    reacts("2", THREAD, message("1"));

    assertThat(world.runs.cancels()).containsExactly(run.id());
    assertThat(world.surface.signs(message("1"))).containsExactly(MessageStatus.CANCELLED);
  }

  @Test
  void reactionOnTheStatusPostStopsTheRun() {
    var run = begins(world, RunState.RUNNING);
    reacts("2", new Conversation(Samples.SURFACE, "team/channel/post-1"), new PostRef("post-1"));

    assertThat(world.runs.cancels()).containsExactly(run.id());
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Cancelled");
  }

  @Test
  void reactionOnAWaitingRequestWithdrawsIt() {
    world.runs.isDown(Optional.empty());
    world.says(delivery("1", start("fix the test")));
    world.settle();
    world.runs.isBack();
    reacts("2", new Conversation(Samples.SURFACE, "team/channel/elsewhere"), message("1"));
    world.passes(Duration.ofMinutes(1));

    assertThat(world.runs.runs()).isEmpty();
    assertThat(world.surface.told(THREAD)).containsExactly("Stopped before it started.");
  }

  @Test
  void reactionOnAnotherMessageStopsNothing() {
    begins(world, RunState.RUNNING);
    reacts("2", THREAD, new PostRef("somebodys"));

    assertThat(world.runs.cancels()).isEmpty();
    assertThat(world.surface.told(THREAD)).isEmpty();
  }

  @Test
  void aReactionOnTheRequestOfTheFirstOfTwoRunsStopsThatOne() {
    var first = begins(world, RunState.RUNNING);
    world.says(now(world, "2", DANA, new Intent.New(Request.of("write the docs"))));
    world.passes(Duration.ofSeconds(3));
    reacts("3", THREAD, message("1"));

    assertThat(world.runs.runs()).hasSize(2);
    assertThat(world.runs.cancels()).containsExactly(first.id());
  }

  @Test
  void aReactionOnAReplyThatWaitsLeavesTheRunAndTheReplyAlone() {
    begins(world, RunState.RUNNING);
    world.runs.isDown(Optional.empty());
    ThreadTalk.says(world, "2", "and add a test");
    world.passes(Duration.ofSeconds(3));
    reacts("3", THREAD, message("2"));
    world.runs.isBack();
    world.passes(Duration.ofMinutes(2));

    assertThat(world.runs.cancels()).isEmpty();
    assertThat(world.runs.followUps()).extracting("text").containsExactly("and add a test");
  }

  private void reacts(String id, Conversation where, PostRef post) {
    var said = now(world, id, SAM, new Intent.StopAt(post));
    world.says(said.movedTo(where));
    world.passes(Duration.ofSeconds(3));
  }

  private Update.Status status() {
    return (Update.Status) world.surface.posts(THREAD).getFirst().update();
  }

  @Test
  void followUpAfterAStopClearsTheStopRequest() {
    Run run = begins(world, RunState.RUNNING);
    world.says(now(world, "2", DANA, cancel()));
    world.passes(Duration.ofSeconds(2));
    ThreadTalk.says(world, "3", "go on");
    world.passes(Duration.ofSeconds(2));
    world.runs.moves(run.id(), RunState.CANCELLED, "By somebody else");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.posts(THREAD).getLast().update())
        .isInstanceOfSatisfying(Update.Cancelled.class, end -> assertThat(end.stop()).isEmpty());
  }
}
