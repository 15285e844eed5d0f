package dev.runnel.core;

import static dev.runnel.core.ThreadTalk.SAM;
import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.core.ThreadTalk.message;
import static dev.runnel.core.ThreadTalk.now;
import static dev.runnel.core.ThreadTalk.says;
import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.ConversationPolicy.Audience;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// People say in three short messages what is one, correct what they said, and take it back.
class SeveralMessagesTest {
  @TempDir Path folder;
  private World world;

  @BeforeEach
  void begin() {
    world = new World(folder);
    begins(world, RunState.RUNNING);
    world.surface.hasManners(new ConversationPolicy(Audience.EVERYONE, Duration.ofSeconds(1)));
  }

  @AfterEach
  void close() {
    world.close();
  }

  private List<String> followUps() {
    return world.runs.followUps().stream().map(each -> each.text()).toList();
  }

  @Nested
  class Together {
    @Test
    void quickMessagesBecomeOneFollowUpInOrder() {
      says(world, "2", "use the new API");
      world.settle();
      assertThat(followUps()).isEmpty();
      says(world, "3", "and add a test");
      says(world, "4", "please");
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).containsExactly("use the new API\n\nand add a test\n\nplease");
      for (var id : List.of("2", "3", "4")) {
        assertThat(world.surface.signs(message(id))).containsExactly(MessageStatus.DELIVERED);
      }
    }

    @Test
    void laterMessageIsASeparateFollowUp() {
      says(world, "2", "use the new API");
      world.passes(Duration.ofSeconds(2));
      says(world, "3", "and add a test");
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).containsExactly("use the new API", "and add a test");
    }

    @Test
    void messagesDuringAnOutageBecomeOneFollowUp() {
      world.runs.isDown(Optional.empty());
      says(world, "2", "use the new API");
      world.passes(Duration.ofSeconds(10));
      says(world, "3", "and add a test");
      world.passes(Duration.ofSeconds(10));
      world.runs.isBack();
      world.passes(Duration.ofMinutes(2));

      assertThat(followUps()).containsExactly("use the new API\n\nand add a test");
    }

    @Test
    void attemptedFollowUpIsNotExtendedByALaterMessage() {
      says(world, "2", "use the new API");
      says(world, "3", "and add a test");
      world.runs.losesNextAnswer();
      world.clock.advance(Duration.ofSeconds(1));
      world.settle();
      says(world, "4", "please");
      world.passes(Duration.ofMinutes(1));

      assertThat(followUps()).containsExactly("use the new API\n\nand add a test", "please");
      assertThat(world.surface.signs(message("3"))).containsExactly(MessageStatus.DELIVERED);
    }

    @Test
    void partsOfACombinedMessageAreNotCountedAsSeparateMessages() {
      says(world, "2", "go on");
      says(world, "3", "please");
      world.passes(Duration.ofSeconds(2));
      world.runs.losesNextAnswer();
      says(world, "4", "please");
      world.passes(Duration.ofMinutes(1));

      assertThat(followUps()).containsExactly("go on\n\nplease", "please");
    }

    @Test
    void messagesOfDifferentPeopleAreNotCombined() {
      says(world, "2", "use the new API");
      world.says(now(world, "3", SAM, say("no, the old one")));
      says(world, "4", "the new one!");
      world.passes(Duration.ofSeconds(3));

      assertThat(followUps()).containsExactly("use the new API", "no, the old one", "the new one!");
    }

    @Test
    void commandBetweenMessagesIsNotSentToTheAgent() {
      says(world, "2", "use the new API");
      world.says(now(world, "3", DANA, new Intent.Retry(Optional.empty())));
      says(world, "4", "please");
      world.passes(Duration.ofSeconds(3));

      assertThat(followUps()).containsExactly("use the new API", "please");
    }

    @Test
    void stopWithdrawsAllWaitingMessagesAndReportsTheirNumber() {
      says(world, "2", "use the new API");
      says(world, "3", "and add a test");
      world.says(now(world, "4", DANA, cancel()));
      world.passes(Duration.ofSeconds(5));

      assertThat(followUps()).isEmpty();
      assertThat(world.surface.posts(THREAD).getLast().update())
          .isInstanceOfSatisfying(
              Update.Cancelled.class,
              end -> {
                assertThat(end.stop().orElseThrow().unsent()).isEqualTo(2);
                assertThat(end.unread()).containsExactly("use the new API", "and add a test");
              });
      assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.CANCELLED);
      assertThat(world.surface.signs(message("3"))).containsExactly(MessageStatus.CANCELLED);
    }

    @Test
    void newRunGetsAllMessagesIfTheOldOneCannotContinue() {
      world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done.");
      world.passes(Duration.ofSeconds(2));
      world.runs.answersNext(new Outcome.Refused("gone", "It is over.", Optional.empty()));
      says(world, "2", "use the new API");
      says(world, "3", "and add a test");
      world.passes(Duration.ofSeconds(3));

      assertThat(world.runs.starts().getLast().prompt().text())
          .startsWith("use the new API\n\nand add a test");
      assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.QUEUED);
      assertThat(world.surface.signs(message("3"))).containsExactly(MessageStatus.DELIVERED);
    }
  }

  @Nested
  class Amended {
    private void edits(String id, String original, Intent now) {
      world.says(now(world, id, DANA, new Intent.Amend("said:" + original, Optional.of(now))));
      world.settle();
    }

    private void deletes(String id, String original) {
      world.says(now(world, id, DANA, new Intent.Amend("said:" + original, Optional.empty())));
      world.settle();
    }

    @Test
    void editReplacesAWaitingMessage() {
      says(world, "2", "use teh new API");
      edits("3", "2", say("use the new API"));
      edits("4", "2", say("use the newest API"));
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).containsExactly("use the newest API");
      assertThat(world.surface.told(THREAD)).isEmpty();
    }

    @Test
    void editReplacesAWaitingMessageDuringAnOutage() {
      world.runs.isDown(Optional.empty());
      says(world, "2", "use teh new API");
      world.passes(Duration.ofSeconds(10));
      edits("3", "2", say("use the new API"));
      world.runs.isBack();
      world.passes(Duration.ofMinutes(2));

      assertThat(followUps()).containsExactly("use the new API");
      assertThat(world.surface.told(THREAD)).isEmpty();
    }

    @Test
    void deletionWithdrawsAWaitingMessage() {
      says(world, "2", "use the new API");
      deletes("3", "2");
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).isEmpty();
      assertThat(world.surface.told(THREAD)).isEmpty();
    }

    @Test
    void editOfADeliveredMessageIsReportedAsTooLate() {
      says(world, "2", "use teh new API");
      world.passes(Duration.ofSeconds(2));
      edits("3", "2", say("use the new API"));
      edits("4", "2", say("use the newest API"));
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).containsExactly("use teh new API");
      assertThat(world.surface.told(THREAD))
          .containsExactly(
              "The agent already has your message as it was before the edit. Send the change in a"
                  + " new message.");
    }

    @Test
    void changeOfAMessageQueuedAtTheServiceIsReportedAsTooLate() {
      world.runs.keepsReplies(true);
      says(world, "2", "use teh new API");
      world.passes(Duration.ofSeconds(2));
      edits("3", "2", say("use the new API"));
      deletes("4", "2");
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).containsExactly("use teh new API");
      assertThat(world.surface.told(THREAD))
          .containsExactly(
              "Your message is already queued for the agent as it was. Send the change in a new"
                  + " message.",
              "It is too late to take this back: the agent gets it. Write what it should ignore, or"
                  + " `stop`.");
    }

    @Test
    void deletionOfADeliveredMessageIsIgnored() {
      says(world, "2", "use the new API");
      world.passes(Duration.ofSeconds(2));
      deletes("3", "2");
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).hasSize(1);
      assertThat(world.surface.told(THREAD)).isEmpty();
    }

    @Test
    void editIntoACommandWithdrawsTheMessage() {
      says(world, "2", "stop it");
      edits("3", "2", cancel());
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).isEmpty();
      assertThat(world.runs.cancels()).isEmpty();
      assertThat(world.surface.told(THREAD))
          .singleElement()
          .asString()
          .contains("withdrew your message");
    }

    @Test
    void editByAnotherPersonIsIgnored() {
      says(world, "2", "use the new API");
      world.says(
          now(world, "3", SAM, new Intent.Amend("said:2", Optional.of(say("mine bitcoin")))));
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).containsExactly("use the new API");
    }

    @Test
    void editOfAnUnknownMessageStartsNothing() {
      edits("3", "unknown", say("fix everything"));
      world.passes(Duration.ofSeconds(2));

      assertThat(followUps()).isEmpty();
      assertThat(world.runs.runs()).hasSize(1);
      assertThat(world.surface.told(THREAD)).isEmpty();
    }
  }
}
