package dev.runnel.core;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a request links to goes to the agent with it, as the words of others.
class LinkedConversationsTest {
  private static final URI LINK = URI.create("https://fake.example/team/other/7");
  private static final String ASKED = "fix what " + LINK + " says";

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.surface.hasLinked(LINK, Optional.of(saying("the cache is stale")));
  }

  @AfterEach
  void close() {
    world.close();
  }

  private static Background saying(String text) {
    return new Background(
        "Fake thread",
        Optional.empty(),
        "",
        List.of(),
        Optional.of(LINK),
        List.of(new Background.Message("Sam", Instant.EPOCH, text)),
        0);
  }

  private RunId started(String text) {
    world.says(delivery("start", start(text)));
    world.settle();
    return world.runs.runs().getLast().id();
  }

  private String prompt() {
    return world.runs.starts().getLast().prompt().text();
  }

  private List<String> told() {
    return world.runs.followUps().stream().map(each -> each.text()).toList();
  }

  @Test
  void startPromptContainsTheLinkedThreadInAFence() {
    started(ASKED);

    assertThat(prompt())
        .startsWith(
            ASKED
                + """


                The request links to what others wrote. It follows, piece by piece. A piece begins \
                with the line "BEGIN \
                """)
        .contains("Fake thread\nLink: " + LINK + "\nEND ")
        .contains("\nThe first message:\nBEGIN ")
        .contains("the cache is stale\nEND ")
        .endsWith("\nThe request again:\n> " + ASKED + "\n");
  }

  @Test
  void followUpContainsTheLinkedThread() {
    started("look around");
    world.says(delivery("2", say(ASKED)));
    world.settle();

    assertThat(told())
        .singleElement()
        .satisfies(
            text ->
                assertThat(text)
                    .startsWith(ASKED + "\n\nThe request links to what others wrote.")
                    .contains("the cache is stale\nEND "));
    assertThat(world.surface.linksRead()).containsExactly(THREAD.toString());
  }

  @Test
  void unreadableLinkIsNotedInThePrompt() {
    world.surface.hasLinked(LINK, Optional.empty());
    started(ASKED);

    assertThat(prompt())
        .contains("(the linked thread could not be read: " + LINK + ")")
        .doesNotContain("BEGIN");
  }

  @Test
  void onlyThreeOfManyLinksAreRead() {
    var text = new StringBuilder("compare");
    for (var at = 1; at <= 12; at++) {
      var link = URI.create("https://fake.example/many/" + (10 + at));
      world.surface.hasLinked(link, Optional.of(saying("number " + at)));
      text.append(' ').append(link);
    }
    started(text.toString());

    assertThat(prompt())
        .contains("number 1\n", "number 2\n", "number 3\n")
        .doesNotContain("number 4\n")
        .containsOnlyOnce("could not be read: https://fake.example/many/14)")
        .contains("could not be read: https://fake.example/many/20)")
        .doesNotContain("could not be read: https://fake.example/many/21)");
    assertThat(world.surface.linksRead()).hasSize(3);
  }

  @Test
  void startWaitsBrieflyForTheLinkedThreadAndContinuesWithoutIt() {
    world.surface.linksAreDown(true);
    world.says(delivery("start", start(ASKED)));
    world.settle();
    assertThat(world.runs.starts()).isEmpty();

    world.passes(Duration.ofSeconds(30));

    assertThat(prompt()).contains("(the linked thread could not be read: " + LINK + ")");
    assertThat(world.runs.starts()).hasSize(1);
  }

  @Test
  void aFollowUpWaitsAsLongAsThePlatformAsksReadersTo() {
    started("look around");
    world.surface.linksAreDown(true);
    world.surface.asksReadersToWait(Duration.ofSeconds(30));
    world.says(delivery("2", say(ASKED)));
    world.passes(Duration.ofMinutes(4));
    assertThat(told()).isEmpty();
    assertThat(world.surface.linksRead()).hasSizeLessThan(10);

    world.surface.linksAreDown(false);
    world.passes(Duration.ofMinutes(1));

    assertThat(told()).singleElement().asString().contains("the cache is stale");
  }

  @Test
  void aFollowUpWaitsForAPlatformThatIsDown() {
    started("look around");
    world.surface.linksAreDown(true);
    world.says(delivery("2", say(ASKED)));
    world.settle();
    assertThat(told()).isEmpty();

    world.surface.linksAreDown(false);
    world.passes(Duration.ofSeconds(30));

    assertThat(told()).singleElement().asString().contains("the cache is stale");
  }

  @Test
  void retriedFollowUpKeepsTheLinkedTextItHadAtFirst() {
    started("look around");
    world.runs.answersNext(new Outcome.Unavailable(Optional.empty(), "The run service is down"));
    world.says(delivery("2", say(ASKED)));
    world.settle();
    assertThat(told()).isEmpty();

    world.surface.hasLinked(LINK, Optional.of(saying("something else by now")));
    world.passes(Duration.ofSeconds(30));

    assertThat(told()).singleElement().asString().contains("the cache is stale");
    assertThat(world.surface.linksRead()).hasSize(1);
  }

  @Test
  void aMessageWithALinkIsNotJoinedWithOthers() {
    started("look around");
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ofSeconds(1)));
    world.says(delivery("2", say("one")));
    world.says(delivery("3", say(ASKED)));
    world.says(delivery("4", say("two")));
    world.passes(Duration.ofSeconds(5));

    assertThat(told())
        .satisfiesExactly(
            one -> assertThat(one).isEqualTo("one"),
            linking -> assertThat(linking).contains("the cache is stale"),
            two -> assertThat(two).isEqualTo("two"));
  }

  @Test
  void theLinkInAChoiceOfTheAgentIsNotRead() {
    var run = started("look around");
    var blocked = world.runs.moves(run, RunState.BLOCKED, "May I?\n1. " + ASKED + "\n2. No");
    world.settle();
    world.says(delivery("2", new Intent.SayTo(run, Request.of(ASKED), AskedQuestion.of(blocked))));
    world.settle();

    assertThat(told()).containsExactly(ASKED);
    assertThat(world.surface.linksRead()).isEmpty();
  }

  @Test
  void publicWorkReadsLinksAsPublic() {
    world.dispatches(
        DispatchOptions.DEFAULT.withPublicWork(
            new PublicWork(Set.of("website"), Optional.of("website"))));
    started(ASKED);
    world.says(delivery("2", say("and " + ASKED)));
    world.settle();

    assertThat(world.surface.linksRead())
        .containsExactly(THREAD + " in public", THREAD + " in public");
  }

  private void hasFiles(boolean isPicture, String... others) {
    world.surface.hasFiles(
        new BackgroundReader.ReplyFiles(
            new Background(
                    "Fake message", Optional.empty(), "", List.of(), Optional.empty(), List.of(), 0)
                .withFiles(List.of(new Background.TextFile("error.log", "boom"))),
            List.of(others),
            isPicture));
  }

  private static String fileReply() {
    return "look at " + FakeSurface.FILE;
  }

  @Test
  void theTextFilesOfAReplyFollowItInAFence() {
    hasFiles(false);
    started("look around");
    world.says(delivery("2", say(fileReply())));
    world.settle();

    assertThat(told())
        .singleElement()
        .satisfies(
            text ->
                assertThat(text)
                    .startsWith(fileReply() + "\n\n")
                    .contains("error.log\nboom\nEND ")
                    .endsWith("\nThe request again:\n> " + fileReply() + "\n"));
    assertThat(world.surface.told(THREAD)).isEmpty();
  }

  @Test
  void thePersonLearnsThatOnlyTheNamesOfOtherFilesArePassedOn() {
    hasFiles(true, "error.png", "a.pdf");
    started("look around");
    world.says(delivery("2", say(fileReply())));
    world.settle();

    assertThat(told()).singleElement().asString().contains("boom");
    assertThat(world.surface.told(THREAD))
        .containsExactly(
            "The agent gets only the name of `error.png`, `a.pdf`. Paste the text that matters, or"
                + " write `new: …`: a new run here gets the thread's pictures.");
  }

  @Test
  void theTextFilesOfAReplyToPublicWorkStayInAPrivateConversation() {
    world.dispatches(
        DispatchOptions.DEFAULT.withPublicWork(
            new PublicWork(Set.of("website"), Optional.of("website"))));
    world.surface.isPrivate();
    hasFiles(false);
    started("look around");
    world.says(delivery("2", say(fileReply())));
    world.settle();

    assertThat(told()).containsExactly(fileReply());
    assertThat(world.surface.told(THREAD))
        .contains("The agent gets only the name of `error.log`. Paste the text that matters.");
  }

  @Test
  void aReplyWithFilesWaitsForAPlatformThatIsDown() {
    hasFiles(false);
    started("look around");
    world.surface.backgroundIsDown(true);
    world.says(delivery("2", say(fileReply())));
    world.settle();
    assertThat(told()).isEmpty();

    world.surface.backgroundIsDown(false);
    world.passes(Duration.ofSeconds(30));

    assertThat(told()).singleElement().asString().contains("boom");
  }
}
