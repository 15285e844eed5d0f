package dev.runnel.core;

import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.core.ThreadTalk.message;
import static dev.runnel.core.ThreadTalk.now;
import static dev.runnel.core.ThreadTalk.says;
import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What people see of a reply that the run service keeps until the agent's next execution.
class RepliesThatWaitTest {
  private static final Intent INTERRUPT =
      new Intent.Say(new Request("not that file, the other one", RunOptions.interrupting()));

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

  /// @param tells whether the service shows what waits
  /// @param then what happens to the run
  /// @param sign on the message then
  @ParameterizedTest
  @CsvSource({
    "true,  nothing,        QUEUED",
    "true,  it reports,     QUEUED",
    "true,  it is taken,    DELIVERED",
    "true,  it is stopped,  CANCELLED",
    "true,  the bot begins anew and it is taken, DELIVERED",
    "false, nothing,        QUEUED",
    "false, it reports,     QUEUED",
    "false, it ends,        DELIVERED",
    "false, it is stopped,  CANCELLED",
  })
  void replyIsMarkedAsDeliveredWhenTheAgentHasReadIt(
      boolean tells, String then, MessageStatus sign) {
    world.runs.keepsReplies(tells);
    var run = begins(world, RunState.RUNNING);
    says(world, "2", "and the docs");
    world.passes(Duration.ofSeconds(2));
    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.QUEUED);
    switch (then) {
      case "it reports" -> world.runs.moves(run.id(), RunState.RUNNING, "Half of it.");
      case "it is taken" -> world.runs.takesReplies(run.id());
      case "it is stopped" -> world.runs.cancel(run.id());
      case "it ends" -> world.runs.moves(run.id(), RunState.SUCCEEDED, "Done.");
      case "the bot begins anew and it is taken" -> {
        world.restart(UnaryOperator.identity());
        world.runs.takesReplies(run.id());
      }
      default -> {}
    }
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.signs(message("2"))).containsExactly(sign);
  }

  @Test
  void aMessageThatInterruptsDoesNotWaitForTheAgent() {
    var run = begins(world, RunState.RUNNING);

    world.says(now(world, "2", DANA, INTERRUPT));
    world.passes(Duration.ofSeconds(2));

    assertThat(world.runs.interrupts()).containsExactly(run.id());
    assertThat(world.runs.followUps())
        .extracting(FakeAgentRuns.Said::text)
        .containsExactly("not that file, the other one");
  }

  @Test
  void interruptWithoutARunIsExplainedAndStartsNone() {
    world.says(delivery("1", INTERRUPT));
    world.passes(Duration.ofSeconds(2));

    assertThat(world.runs.starts()).isEmpty();
    assertThat(world.surface.told(THREAD))
        .containsExactly("There is no run here to interrupt. Write it in the thread of a run.");
  }

  @Test
  void everyWaitingReplyOffersAnInterruptIfAnswersArePrivate() {
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
    world.runs.keepsReplies(true);
    begins(world, RunState.RUNNING);
    says(world, "2", "please also run the linter");
    world.settle();
    says(world, "3", "what does this do?");
    world.passes(Duration.ofSeconds(2));

    assertThat(offers()).hasSize(2).containsOnly("Interrupt and send");
    world.says(now(world, "4", DANA, MessageParser.words(commandOfTheOffer()).orElseThrow()));
    world.passes(Duration.ofSeconds(2));
    assertThat(world.runs.interrupts()).hasSize(1);
  }

  private List<InfoCard.Choice> offered() {
    return world.surface.posts().stream()
        .flatMap(
            post ->
                post.update() instanceof Update.Answered(_, var card)
                    ? card.offers().stream()
                    : Stream.<InfoCard.Choice>empty())
        .toList();
  }

  private List<String> offers() {
    return offered().stream().map(InfoCard.Choice::label).toList();
  }

  private String commandOfTheOffer() {
    return offered().getFirst().command();
  }

  @Test
  void threadIsInformedOnceThatTheAgentReadsRepliesAtItsNextStep() {
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
    world.runs.keepsReplies(true);
    world.runs.offersReplies();
    begins(world, RunState.RUNNING);
    says(world, "2", "please also run the linter");
    world.settle();
    says(world, "3", "what does this do?");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.told(THREAD)).containsExactly("The agent gets it at its next step.");
    assertThat(offers()).isEmpty();
  }

  @Test
  void replyToAnEndedRunIsNotReportedAsWaitingForAStep() {
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
    world.runs.keepsReplies(true);
    begins(world, RunState.SUCCEEDED);
    says(world, "2", "and the docs");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.told(THREAD)).isEmpty();
  }

  @Test
  void endOfAStoppedRunListsUnreadMessages() {
    world.runs.keepsReplies(true);
    begins(world, RunState.RUNNING);
    says(world, "2", "please also run the linter");
    world.settle();
    says(world, "3", "what does this do?");
    world.settle();
    world.says(now(world, "4", DANA, Samples.cancel()));
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "Cancelled");
    assertThat(unread()).containsExactly("please also run the linter", "what does this do?");
    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.CANCELLED);
    assertThat(world.surface.signs(message("3"))).containsExactly(MessageStatus.CANCELLED);
  }

  @Test
  void replyReadBeforeTheStopIsNotReportedAsUnread() {
    world.runs.keepsReplies(true);
    var run = begins(world, RunState.RUNNING);
    says(world, "2", "please also run the linter");
    world.settle();
    world.runs.takesReplies(run.id());
    world.passes(Duration.ofSeconds(2));
    world.says(now(world, "3", DANA, Samples.cancel()));
    world.passes(Duration.ofSeconds(2));

    assertThat(unread()).isEmpty();
    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.DELIVERED);
  }

  @Test
  void aReplyThatReopenedARunWaitsUntilItsExecutionBegins() {
    world.runs.keepsReplies(true);
    var run = begins(world, RunState.SUCCEEDED);
    says(world, "2", "and the docs");
    world.passes(Duration.ofSeconds(2));
    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.QUEUED);
    world.runs.takesReplies(run.id());
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.DELIVERED);
  }

  @Test
  void externalStopAlsoReportsUnreadMessages() {
    world.runs.keepsReplies(true);
    var run = begins(world, RunState.RUNNING);
    says(world, "2", "please also run the linter");
    world.settle();
    world.runs.cancel(run.id());
    world.passes(Duration.ofSeconds(2));

    assertThat(unread()).containsExactly("please also run the linter");
  }

  private List<String> unread() {
    return world.surface.posts(THREAD).stream()
        .map(each -> each.update())
        .filter(Update.Cancelled.class::isInstance)
        .map(update -> ((Update.Cancelled) update).unread())
        .findFirst()
        .orElseThrow();
  }
}
