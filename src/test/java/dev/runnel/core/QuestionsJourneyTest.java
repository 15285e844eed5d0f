package dev.runnel.core;

import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A question with choices, its answers by button and by reply, and what becomes of its post.
class QuestionsJourneyTest {
  private static final String WHICH = "Which database?\n- Postgres\n- SQLite";

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void asks() {
    world = new World(folder);
    hears(delivery("1", MessageParser.words("fix it").orElseThrow()));
    world.runs.moves(run(), RunState.BLOCKED, WHICH);
    world.passes(Duration.ofSeconds(2));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aButtonAnswersTheRunAndItsPostShowsWhoAnsweredWhat() {
    hears(button("2", "SQLite").withActor(SAM));

    assertThat(answers()).containsExactly("SQLite");
    assertThat(closed())
        .singleElement()
        .isEqualTo(
            new Update.QuestionClosed(
                closed().getFirst().run(), WHICH, Optional.of("SQLite"), Optional.of(SAM)));
    assertThat(world.surface.kinds(THREAD)).containsExactly("Status", "QuestionClosed");
  }

  @Test
  void secondButtonPressIsNotSentAndThePersonIsInformed() {
    world.says(button("2", "SQLite"));
    world.says(button("3", "Postgres").withActor(SAM));
    world.settle();

    assertThat(answers()).containsExactly("SQLite");
    assertThat(world.surface.told(THREAD))
        .containsExactly("The agent no longer waits for this answer, so I did not send it.");
  }

  @Test
  void abandonedAnswerCanBeSentAgain() {
    world.says(button("2", "SQLite"));
    for (int i = 0; i < 20; i++) {
      world.runs.answersNext(new Outcome.Unavailable(Optional.empty(), "503"));
      world.leaps(Duration.ofHours(2));
    }
    assertThat(world.surface.told(THREAD))
        .last()
        .asString()
        .startsWith(
            "The run service cannot be reached right now. This failed for a whole day, so I gave up"
                + " (error `")
        .doesNotContain("503")
        .endsWith("not both.");

    hears(button("3", "SQLite"));

    assertThat(answers()).containsExactly("SQLite");
  }

  @Test
  void aButtonAfterATypedAnswerSendsNothing() {
    hears(typed("2", "Neither, use a file"));
    hears(button("3", "Postgres"));

    assertThat(answers()).containsExactly("Neither, use a file");
    assertThat(closed())
        .extracting(it -> it.answer().orElseThrow())
        .containsExactly("Neither, use a file");
  }

  @Test
  void aButtonOfAnEarlierQuestionSendsNothing() {
    hears(typed("2", "SQLite"));
    world.runs.moves(run(), RunState.BLOCKED, "And which table?\n- a\n- b");
    world.passes(Duration.ofSeconds(2));
    hears(button("3", "Postgres"));

    assertThat(answers()).containsExactly("SQLite");
    assertThat(world.surface.kinds(THREAD))
        .containsExactly("Status", "QuestionClosed", "Blocked", "Message");
  }

  @Test
  void numberOfAChoiceIsSentAsTheTextOfTheChoice() {
    hears(typed("2", "2"));

    assertThat(answers()).containsExactly("SQLite");
    assertThat(closed()).extracting(it -> it.answer().orElseThrow()).containsExactly("SQLite");
  }

  @Test
  void anAnswerWhoseResponseWasLostReachesTheRunOnce() {
    world.runs.losesNextAnswer();
    hears(button("2", "2"));
    world.passes(Duration.ofMinutes(1));

    assertThat(answers()).containsExactly("SQLite");
    assertThat(closed()).hasSize(1);
  }

  @Test
  void answerFromAnotherPlatformIsAttributedToAPersonThere() {
    var link = URI.create("https://git.example/acme/shop/pull/7");
    world.runs.makes(run(), new Artifact("acme/shop#7", link, true, Optional.of("fix")));
    world.settle();
    var there = new Conversation(world.elsewhere.id(), "acme/shop#7");
    hears(
        typed("2", "SQLite")
            .withConversation(there)
            .withActor(new Actor("U2", "not-sam"))
            .withOrigin(
                new Origin(
                    Optional.of(link), Optional.empty(), Optional.of(new PostRef("c")), false)));

    assertThat(closed())
        .singleElement()
        .satisfies(it -> assertThat(it.by()).contains(new Actor("elsewhere:U2", "not-sam")));
  }

  @Test
  void aQuestionThatWasAnsweredElsewhereLosesItsButtons() {
    world.runs.moves(run(), RunState.RUNNING, "On it.");
    world.passes(Duration.ofSeconds(3));

    assertThat(closed()).singleElement().matches(it -> it.by().isEmpty());
  }

  @Test
  void aQuestionOfARunThatWasStoppedLosesItsButtons() {
    hears(delivery("2", new Intent.Cancel(Optional.empty(), Optional.empty())));
    world.passes(Duration.ofSeconds(3));

    assertThat(world.surface.kinds(THREAD))
        .containsExactly("Status", "QuestionClosed", "Cancelled");
  }

  @Test
  void otherAnswerIsRequestedInAForm() {
    hears(
        delivery(
            "2",
            new Intent.Ask(new Question.Compose(Optional.of(THREAD), "", Optional.of(asked())))));

    var shown =
        world.surface.posts(THREAD).stream()
            .filter(it -> it.update() instanceof Update.Screened)
            .map(it -> ((Update.Screened) it.update()).screen())
            .toList();
    assertThat(shown)
        .containsExactly(
            new Screen.Ask(
                Optional.of(THREAD), Optional.of(run()), "", List.of(), Optional.of(asked())));
  }

  @Test
  void aRestartBetweenQuestionAndAnswerLosesNothing() {
    world.restart(UnaryOperator.identity());
    hears(button("2", "SQLite"));

    assertThat(answers()).containsExactly("SQLite");
    assertThat(closed()).hasSize(1);
  }

  private RunId run() {
    return world.onlyRun().id();
  }

  private AskedQuestion asked() {
    return AskedQuestion.of(run(), WHICH);
  }

  private Delivery button(String id, String answer) {
    return delivery(id, new Intent.SayTo(run(), Request.of(answer), Optional.of(asked())));
  }

  private static Delivery typed(String id, String text) {
    return delivery(id, MessageParser.words(text, false).orElseThrow());
  }

  private void hears(Delivery said) {
    world.says(said);
    world.settle();
  }

  private List<String> answers() {
    return world.runs.followUps().stream().map(it -> it.text()).toList();
  }

  private List<Update.QuestionClosed> closed() {
    return world.surface.posts(THREAD).stream()
        .map(it -> it.update())
        .filter(Update.QuestionClosed.class::isInstance)
        .map(Update.QuestionClosed.class::cast)
        .toList();
  }
}
