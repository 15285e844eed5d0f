package dev.runnel.core;

import static dev.runnel.core.ThreadTalk.begins;
import static dev.runnel.core.ThreadTalk.message;
import static dev.runnel.core.ThreadTalk.says;
import static dev.runnel.testkit.Samples.THREAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What becomes of a message in a thread whose run is queued, running, blocked, ended, or out of
/// reach.
class WhenTheThreadAlreadyHasARunTest {
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

  /// @param state how the run stands
  /// @param service what the run service does with the message
  /// @param runs how many runs there are in the end
  /// @param sign on the message
  /// @param posts what stands in the thread then
  @ParameterizedTest(name = "{0}, the service {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          QUEUED    | takes it           | 1 | DELIVERED | Status
          QUEUED    | takes it later     | 1 | DELIVERED | Status
          QUEUED    | refuses it         | 1 | REFUSED   | Status Message
          RUNNING   | takes it           | 1 | DELIVERED | Status
          RUNNING   | takes it later     | 1 | DELIVERED | Status
          RUNNING   | loses the answer   | 1 | DELIVERED | Status
          RUNNING   | refuses it         | 1 | REFUSED   | Status Message
          BLOCKED   | takes it           | 1 | DELIVERED | Status QuestionClosed
          BLOCKED   | takes it later     | 1 | DELIVERED | Status QuestionClosed
          SUCCEEDED | takes it           | 1 | DELIVERED | Status Succeeded
          SUCCEEDED | takes it later     | 1 | DELIVERED | Status Succeeded
          SUCCEEDED | loses the answer   | 1 | DELIVERED | Status Succeeded
          SUCCEEDED | refuses it         | 2 | QUEUED    | Status Succeeded Message Status
          SUCCEEDED | forgot the run     | 1 | QUEUED    | Status Succeeded Message Status
          FAILED    | takes it           | 1 | DELIVERED | Status Failed
          FAILED    | refuses it         | 2 | QUEUED    | Status Failed Message Status
          CANCELLED | takes it           | 1 | DELIVERED | Status Cancelled
          CANCELLED | refuses it         | 2 | QUEUED    | Status Cancelled Message Status
          """)
  void messageIsNeitherLostNorDeliveredTwice(
      RunState state, String service, int runs, MessageStatus sign, String posts) {
    var run = begins(world, state);
    switch (service) {
      case "takes it later" ->
          world.runs.answersNext(
              new Outcome.Unavailable(Optional.of(Duration.ofSeconds(2)), "409"));
      case "loses the answer" -> world.runs.losesNextAnswer();
      case "refuses it" ->
          world.runs.answersNext(
              new Outcome.Refused("conflict", "Not in this state.", Optional.empty()));
      case "forgot the run" -> world.runs.forgets(run.id());
      default -> {}
    }

    says(world, "2", "and the docs");
    world.passes(Duration.ofSeconds(6));

    assertThat(world.runs.runs()).hasSize(runs);
    assertThat(world.surface.signs(message("2"))).containsExactly(sign);
    assertThat(world.surface.kinds(THREAD)).containsExactly(posts.split(" "));
    var isSaid = sign == MessageStatus.DELIVERED;
    assertThat(world.runs.followUps()).hasSize(isSaid ? 1 : 0);
    if (sign == MessageStatus.QUEUED) {
      assertThat(world.surface.told(THREAD))
          .containsExactly(
              "The previous run can't be continued; I started a new one with the conversation so"
                  + " far.");
      assertThat(world.runs.starts().getLast().prompt().text()).startsWith("and the docs");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"QUEUED", "RUNNING", "BLOCKED", "SUCCEEDED"})
  void messageDuringAnOutageIsMarkedAtOnceAndExplainedLater(RunState state) {
    begins(world, state);
    world.runs.isDown(Optional.empty());
    says(world, "2", "and the docs");
    world.settle();
    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.QUEUED);

    world.passes(Duration.ofSeconds(29));
    assertThat(world.surface.told(THREAD)).isEmpty();
    world.passes(Duration.ofSeconds(2));
    assertThat(world.surface.told(THREAD)).singleElement().asString().contains("is queued");

    world.passes(Duration.ofMinutes(5));
    assertThat(world.surface.told(THREAD)).hasSize(1);
    world.runs.isBack();
    world.passes(Duration.ofMinutes(2));
    assertThat(world.runs.followUps()).extracting("text").containsExactly("and the docs");
    assertThat(world.surface.signs(message("2"))).containsExactly(MessageStatus.DELIVERED);
  }

  @Test
  void shortOutageIsNotMentioned() {
    begins(world, RunState.RUNNING);
    world.runs.isDown(Optional.empty());
    says(world, "2", "and the docs");
    world.passes(Duration.ofSeconds(5));
    world.runs.isBack();
    world.passes(Duration.ofMinutes(2));

    assertThat(world.surface.told(THREAD)).isEmpty();
    assertThat(world.runs.followUps()).hasSize(1);
  }

  @Test
  void questionWithTheSameTextIsPostedAgainAfterAnAnswer() {
    var run = begins(world, RunState.BLOCKED);
    says(world, "2", "main");
    world.settle();
    world.runs.moves(run.id(), RunState.BLOCKED, "Which branch?");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "QuestionClosed", "Blocked");
  }

  @Test
  void refusalIsPostedWithItsLink() {
    begins(world, RunState.RUNNING);
    world.runs.answersNext(
        new Outcome.Refused(
            "x", "Link your account.", Optional.of(URI.create("https://example.com/link"))));
    says(world, "2", "and the docs");
    world.passes(Duration.ofSeconds(2));

    assertThat(world.surface.told(THREAD))
        .containsExactly("Link your account.\nhttps://example.com/link");
  }
}
