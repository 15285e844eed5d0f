package dev.runnel.core;

import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.testkit.World;
import dev.runnel.text.ToolReply;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A tool call that waits for a person, from the question to the answer.
class ToolPermissionJourneyTest {
  private static final String REQUEST =
      "The agent asks to use `Bash` (request 1 of this run):\n\n```\n- rm -rf x\n```\n\n"
          + ToolReply.question("the same command");

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void asks() {
    world = new World(folder);
    hears("1", "publish the package");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void permissionChoicesIgnoreListsInTheCommand() {
    assertThat(AnswerChoices.of(REQUEST).choices()).isEqualTo(ToolReply.CHOICES);
    assertThat(AnswerChoices.of(REQUEST).isAboutTool()).isTrue();
    assertThat(AnswerChoices.of(REQUEST).question()).contains("- rm -rf x");
  }

  @Test
  void permissionByButtonWorksAfterARestartAndIsAudited() {
    block();
    world.restart(UnaryOperator.identity());
    var asked = AskedQuestion.of(world.onlyRun()).orElseThrow();
    world.says(
        delivery("2", new Intent.SayTo(asked.run(), Request.of("Allow once"), Optional.of(asked)))
            .withActor(SAM));
    world.settle();

    assertThat(answers()).containsExactly("Allow once (request 1)");
    assertThat(world.audit())
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains(
                        SAM.id(), "tool: Allow once; The agent asks to use Bash", "rm -rf x"));
  }

  @ParameterizedTest
  @CsvSource({
    "yes,Allow once (request 1)",
    "1,Allow once (request 1)",
    "2,Allow for this run (request 1)",
    "allow for this run,Allow for this run (request 1)",
    "Allow once (request 2),Allow once (request 2)",
    "3,Decline",
    "no,Decline",
    "'yes, but on Monday','yes, but on Monday'"
  })
  void typedReplyIsAChoiceOrReachesTheAgentUnchanged(String words, String answer) {
    block();
    hears("2", words);

    assertThat(answers()).containsExactly(answer);
  }

  @Test
  void yesSentBeforeTheRequestWasPostedPermitsNothing() {
    var early = world.clock.instant();
    block();
    saidAt(early, "2", "yes");

    assertThat(answers()).isEmpty();
    assertThat(world.surface.told(THREAD))
        .containsExactly(
            "This was sent before the agent's request was posted here, so I did not take it as"
                + " permission. To allow it, please write `allow once`.");

    hears("3", "allow once");
    assertThat(answers()).containsExactly("Allow once (request 1)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "allow once"})
  void yesOnThePullRequestPermitsNothingThatWasNotShownThere(String words) {
    var link = URI.create("https://git.example/acme/shop/pull/7");
    world.runs.makes(
        world.onlyRun().id(), new Artifact("acme/shop#7", link, true, Optional.of("fix")));
    world.passes(Duration.ofSeconds(2));
    block();
    var there = new Conversation(world.elsewhere.id(), "acme/shop#7");
    world.passes(Duration.ofSeconds(2));
    var said = new Snapshot(Optional.of(world.clock.instant()), Optional.empty(), Optional.empty());
    world.says(
        delivery("2", MessageParser.words(words).orElseThrow())
            .withSnapshot(said)
            .withConversation(there)
            .withOrigin(
                new Origin(
                    Optional.of(link), Optional.empty(), Optional.of(new PostRef("c")), false)));
    world.settle();

    assertThat(answers()).isEmpty();
    assertThat(world.elsewhere.told(there))
        .containsExactly(
            "The agent's request was not shown here, so I did not take this as permission. Answer"
                + " it where it was asked.");
  }

  @Test
  void yesWhileTheAgentWorksIsNoPermission() {
    world.runs.moves(world.onlyRun().id(), RunState.RUNNING, "Working");
    world.passes(Duration.ofSeconds(2));
    hears("2", "yes");

    assertThat(answers()).containsExactly("yes");
    assertThat(ToolReply.of("yes").isAllowed()).isFalse();
  }

  @Test
  void earlyPermissionDoesNotPermitALaterRequest() {
    world.runs.moves(world.onlyRun().id(), RunState.RUNNING, "Working");
    world.passes(Duration.ofSeconds(2));
    hears("2", "Allow once");

    assertThat(answers())
        .containsExactly(
            "Allow once\n\n(This was said while nothing was asked, so it permits nothing.)");
    assertThat(ToolReply.of(answers().getFirst()).isAllowed()).isFalse();
  }

  @Test
  void retriedPermissionStillNamesItsOriginalRequest() {
    block();
    world.runs.hasIdempotencyKeys();
    world.runs.losesNextAnswer();
    hears("2", "allow once");
    world.runs.moves(
        world.onlyRun().id(), RunState.BLOCKED, REQUEST.replace("request 1", "request 2"));
    world.passes(Duration.ofMinutes(5));

    assertThat(answers()).isNotEmpty().containsOnly("Allow once (request 1)");
  }

  private void block() {
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, REQUEST);
    world.passes(Duration.ofSeconds(2));
  }

  private void hears(String id, String words) {
    saidAt(world.clock.instant(), id, words);
  }

  private void saidAt(Instant at, String id, String words) {
    var said = new Snapshot(Optional.of(at), Optional.empty(), Optional.empty());
    world.says(delivery(id, MessageParser.words(words).orElseThrow()).withSnapshot(said));
    world.settle();
  }

  private List<String> answers() {
    return world.runs.followUps().stream().map(each -> each.text()).toList();
  }
}
