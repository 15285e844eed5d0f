package dev.runnel.core;

import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A thread in which people say who goes to the agent.
class MutedThreadTest {
  @TempDir Path folder;
  private World world;

  @BeforeEach
  void starts() {
    world = new World(folder);
    world.says(delivery("1", start("fix the test")));
    world.settle();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void muteLetsOnlyMentionsReachTheAgent() {
    says("2", "mute");
    says("3", "lunch?");
    world.restart(UnaryOperator.identity());
    says("4", "or later?");
    mentions("5", "use the new API");

    assertThat(heard()).containsExactly("use the new API");
    assertThat(world.surface.told(THREAD))
        .containsExactly(
            "From now on only messages that mention me go to the agent. `listen` undoes this.");
  }

  @Test
  void stopWorksInAMutedThread() {
    says("2", "mute");
    says("3", "stop");

    assertThat(world.runs.cancels()).hasSize(1);
  }

  @Test
  void answerInAMutedThreadGetsOneHintHowToReachTheAgent() {
    says("2", "mute");
    world.runs.moves(world.onlyRun().id(), RunState.BLOCKED, "Which database?");
    world.passes(Duration.ofSeconds(2));
    says("3", "Postgres");
    says("4", "or SQLite");

    assertThat(heard()).isEmpty();
    assertThat(world.surface.told(THREAD))
        .contains(
            "This thread is muted, so your reply did not go to the agent, which waits for an"
                + " answer. Mention me to answer.")
        .hasSize(2);
  }

  @Test
  void listenLetsAllRepliesReachTheAgentAgain() {
    says("2", "Mute.");
    says("3", "listen");
    says("4", "use the new API");

    assertThat(heard()).containsExactly("use the new API");
  }

  @Test
  void listenOverridesTheSettingsOfThePlatform() {
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.MENTION, Duration.ZERO));
    says("2", "listen");
    says("3", "use the new API");

    assertThat(heard()).containsExactly("use the new API");
  }

  @Test
  void muteInAThreadWithoutARunIsIgnoredUnlessAddressed() {
    var elsewhere = new Conversation(THREAD.surface(), "team/channel/other");
    world.says(delivery("2", mute(), elsewhere).withAddressed(false));
    world.settle();
    assertThat(world.surface.posts(elsewhere)).isEmpty();

    world.says(delivery("3", mute(), elsewhere));
    world.settle();
    assertThat(world.surface.told(elsewhere))
        .containsExactly("There is no run here. Write it in the thread of a run.");
  }

  private static Intent mute() {
    return MessageParser.words("mute").orElseThrow();
  }

  @Test
  void sentencesBeginningWithMuteOrListenGoToTheAgent() {
    says("2", "mute the alarm in the test");
    says("3", "listen on port 8080");

    assertThat(heard()).containsExactly("mute the alarm in the test", "listen on port 8080");
  }

  private void says(String id, String words) {
    world.says(delivery(id, MessageParser.words(words, false).orElseThrow()).withAddressed(false));
    world.settle();
  }

  private void mentions(String id, String words) {
    world.says(delivery(id, MessageParser.words(words).orElseThrow()));
    world.settle();
  }

  private List<String> heard() {
    return world.runs.followUps().stream().map(each -> each.text()).toList();
  }
}
