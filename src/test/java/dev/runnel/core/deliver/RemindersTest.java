package dev.runnel.core.deliver;

import static dev.runnel.core.ThreadTalk.SAM;
import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.core.ThreadTalk.message;
import static dev.runnel.core.ThreadTalk.now;
import static dev.runnel.core.ThreadTalk.says;
import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.ConversationPolicy.Audience;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What people see of a run besides its posts: reminders of a question, signs on their messages;
/// and whom it listens to.
class RemindersTest {
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

  @Nested
  class OfAQuestion {
    @BeforeEach
    void asks() {
      world.reminds(Reminders.DEFAULT);
      begins(world, RunState.BLOCKED);
    }

    private List<Integer> reminders() {
      return world.surface.posts(THREAD).stream()
          .map(post -> post.update())
          .filter(Update.Reminder.class::isInstance)
          .map(update -> ((Update.Reminder) update).number())
          .toList();
    }

    @Test
    void questionHasAtMostThreeReminders() {
      world.leaps(Duration.ofMinutes(29));
      assertThat(reminders()).isEmpty();
      world.leaps(Duration.ofMinutes(1));
      assertThat(reminders()).containsExactly(1);
      world.leaps(Duration.ofHours(4));
      assertThat(reminders()).containsExactly(1, 2);
      world.leaps(Duration.ofHours(24));
      assertThat(reminders()).containsExactly(1, 2, 3);
      world.leaps(Duration.ofDays(5));
      assertThat(reminders()).hasSize(3);
    }

    @Test
    void reminderStatesHowLongTheAgentHasWaited() {
      world.leaps(Duration.ofMinutes(31));

      var reminder = (Update.Reminder) world.surface.posts(THREAD).getLast().update();
      assertThat(Duration.between(reminder.asked(), reminder.at())).hasMinutes(30);
      assertThat(reminder.question()).isEqualTo("Which branch?");
      assertThat(reminder.requester()).isEqualTo(DANA);
    }

    @Test
    void answeredQuestionHasNoReminder() {
      says(world, "2", "main");
      world.settle();
      world.leaps(Duration.ofHours(30));

      assertThat(reminders()).isEmpty();
    }

    @Test
    void questionOfAContinuedRunHasNoReminder() {
      world.runs.moves(world.onlyRun().id(), RunState.RUNNING, "Never mind");
      world.passes(Duration.ofSeconds(2));
      world.leaps(Duration.ofHours(30));

      assertThat(reminders()).isEmpty();
    }

    @Test
    void reminderOfANewQuestionCountsFromThatQuestion() {
      world.leaps(Duration.ofMinutes(20));
      says(world, "2", "main");
      world.settle();
      world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, "Which branch?");
      world.passes(Duration.ofSeconds(2));
      world.leaps(Duration.ofMinutes(25));
      assertThat(reminders()).isEmpty();
      world.leaps(Duration.ofMinutes(6));

      assertThat(reminders()).containsExactly(1);
    }

    @Test
    void reminderSurvivesARestart() {
      world.restart(UnaryOperator.identity());
      world.leaps(Duration.ofMinutes(31));

      assertThat(reminders()).containsExactly(1);
    }

    @Test
    void waitingReminderDelaysNoResult() {
      world.runs.moves(world.onlyRun().id(), RunState.SUCCEEDED, "Done.");
      world.passes(Duration.ofSeconds(2));

      assertThat(world.surface.kinds(THREAD))
          .containsExactly("Status", "QuestionClosed", "Succeeded");
    }
  }

  @Test
  void reminderTimesMustIncrease() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Reminders(List.of(Duration.ofHours(1), Duration.ofMinutes(1))));
    assertThatIllegalArgumentException().isThrownBy(() -> new Reminders(List.of(Duration.ZERO)));
  }

  @Nested
  class Signs {
    @Test
    void reactionsFollowTheStateOfTheRun() {
      var run = begins(world, RunState.QUEUED);
      assertThat(world.surface.signs(message("1"))).containsExactly(MessageStatus.QUEUED);
      for (var state :
          List.of(RunState.RUNNING, RunState.BLOCKED, RunState.RUNNING, RunState.FAILED)) {
        world.runs.moves(run.id(), state, "Now " + state);
        world.passes(Duration.ofSeconds(2));
        assertThat(world.surface.signs(message("1")))
            .containsExactly(MessageStatus.of(state).orElseThrow());
      }
    }

    @Test
    void onlyTheNewestStatusReactionIsSet() {
      world.surface.answersSigns(Optional.of(new Posting.Later(Optional.empty(), "429")));
      var run = begins(world, RunState.RUNNING);
      world.runs.moves(run.id(), RunState.SUCCEEDED, "Done.");
      world.passes(Duration.ofSeconds(2));
      world.surface.answersSigns(Optional.empty());
      world.passes(Duration.ofMinutes(2));

      assertThat(world.surface.signs(message("1"))).containsExactly(MessageStatus.SUCCEEDED);
      assertThat(world.surface.receipts()).containsExactly(message("1"));
    }

    @Test
    void delayedMessageStatusDoesNotDelayPosts() {
      world.surface.answersSigns(
          Optional.of(new Posting.Later(Optional.of(Duration.ofMinutes(10)), "429")));
      begins(world, RunState.SUCCEEDED);

      assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Succeeded");
    }
  }

  @Nested
  class Listens {
    private Delivery mentioning(String id, String words) {
      var said = now(world, id, SAM, say(words));
      return said.withAddressed(true);
    }

    @BeforeEach
    void begin() {
      begins(world, RunState.RUNNING);
    }

    private List<String> heard() {
      return world.runs.followUps().stream().map(each -> each.text()).toList();
    }

    @Test
    void replyFromEverybodyReachesTheAgentByDefault() {
      world.says(now(world, "2", SAM, say("hello")));
      world.settle();

      assertThat(heard()).containsExactly("hello");
    }

    @Test
    void replyFromOthersThanTheOwnerReachesTheAgentOnlyWithAMention() {
      world.surface.hasManners(new ConversationPolicy(Audience.OWNER, Duration.ZERO));
      world.says(now(world, "2", SAM, say("hello")));
      world.says(now(world, "3", SAM, say("hello?")));
      world.says(now(world, "4", DANA, say("go on")));
      world.says(mentioning("5", "I say so too"));
      world.settle();

      assertThat(heard()).containsExactly("go on", "I say so too");
      assertThat(world.surface.told(THREAD))
          .singleElement()
          .asString()
          .contains("I only take replies from", "Mention me");
    }

    @Test
    void replyWithoutAMentionDoesNotReachTheAgentIfMentionsAreRequired() {
      world.surface.hasManners(new ConversationPolicy(Audience.MENTION, Duration.ZERO));
      world.says(now(world, "2", DANA, say("hello")));
      world.says(mentioning("3", "hello!"));
      world.settle();

      assertThat(heard()).containsExactly("hello!");
      assertThat(world.surface.told(THREAD)).hasSize(1);
    }

    @Test
    void stopIsObeyedWithoutAMention() {
      world.surface.hasManners(new ConversationPolicy(Audience.MENTION, Duration.ZERO));
      world.says(now(world, "2", SAM, dev.runnel.testkit.Samples.cancel()));
      world.settle();

      assertThat(world.runs.cancels()).hasSize(1);
    }
  }
}
