package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.testkit.Balancer;
import dev.runnel.testkit.Balancer.Result;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SignedSlack.Said;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Slack, a balancer, three nodes on one PostgreSQL with the embedded service, and real agent
/// processes. Every ten seconds a node is killed at random, and started again.
///
/// `-Drunnel.story.commands=300` is two minutes of commands, and 12 kills.
@Tag("slow")
@Timeout(1800)
class CommandsOverThreeNodesTest {
  private static final int COMMANDS = Integer.getInteger("runnel.story.commands", 40);
  private static final Duration BETWEEN_COMMANDS = Duration.ofMillis(400);
  private static final Duration BETWEEN_KILLS = Duration.ofSeconds(10);
  private static final int KILLS =
      Math.max(2, (int) BETWEEN_COMMANDS.multipliedBy(COMMANDS).dividedBy(BETWEEN_KILLS));
  private static final int NODES = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /// A person who sees that Slack shows an error, and types the command again.
  private static final Duration TYPING_AGAIN = Duration.ofMillis(500);

  /// What the agent leaves in its workspace is there when it is asked again.
  private static final String AGENT =
      """
      prompt=$(tail -n 1)
      printf '%%s %%s\\n' "$RUNNEL_RUN_ID" "$RUNNEL_EXECUTION" >> '%s'
      [ "$prompt" != again ] || echo "Found $(cat left)."
      printf '%%s' "$prompt" > left
      sleep 1.5
      echo done
      """;

  /// Slack takes about one message a second in a channel.
  private static final List<String> CHANNELS =
      IntStream.range(0, 50).mapToObj("C0NODES%02d"::formatted).toList();

  private final SignedSlack signed = new SignedSlack(LocalSlack.SIGNING_SECRET);
  private final Random random = new Random(7);
  private final List<RunnelProcess> nodes = new ArrayList<>();

  @TempDir Path folder;
  private LocalSlack slack;
  private Balancer balancer;

  @BeforeEach
  void start() throws Exception {
    slack = LocalSlack.start(URI.create("http://127.0.0.1:9/slack/events"), CHANNELS);
    var settings = new HashMap<>(slack.settings());
    settings.put("RUNNEL_DATABASE_URL", Postgres.freshDatabase());
    settings.put("RUNNEL_AGENT_API_KEY", "a-key-for-this-test");
    settings.put("RUNNEL_AGENT_SLOTS", "3");
    settings.put("RUNNEL_AGENT_LEASE", "20s");
    settings.put("RUNNEL_AGENT_COMMAND", AGENT.formatted(Files.createFile(worked())));
    for (int i = 0; i < NODES; i++) {
      var home = Files.createDirectory(folder.resolve("node" + i));
      nodes.add(RunnelProcess.start(home, RunnelProcess.freePort(), settings));
    }
    balancer = new Balancer(nodes.stream().map(node -> URI.create(node.url())).toList());
  }

  private Path worked() {
    return folder.resolve("worked");
  }

  @AfterEach
  void stop() {
    nodes.forEach(RunnelProcess::close);
    // None is there when the emulator is not installed and the test is skipped.
    if (balancer != null) {
      balancer.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  @Test
  void everyCommandHasOneThreadWithOneEndAndItsWorkspace() throws Exception {
    var acknowledged = typeWhileNodesAreKilled();
    await("all is done")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .during(Duration.ofSeconds(2))
        .until(() -> nodes.getFirst().isAtRest());

    var threads = SlackThreads.read(slack, CHANNELS);
    assertThat(threads.lost()).isEmpty();
    assertThat(acknowledged).hasSize(COMMANDS);
    assertThat(threads.byTask().keySet()).containsAll(acknowledged);
    assertThat(threads.byTask().values())
        .allSatisfy(each -> assertThat(each).singleElement().satisfies(this::endedOnce));
    assertThat(Files.readAllLines(worked())).doesNotHaveDuplicates();
    var finished =
        threads.byTask().values().stream()
            .map(List::getFirst)
            .filter(thread -> thread.ends().getFirst().contains("done"))
            .toList();
    System.out.printf(
        "%d commands over %d nodes with %d kills: %d finished, %d lost their node%n",
        COMMANDS, NODES, KILLS, finished.size(), threads.byTask().size() - finished.size());
    assertThat(finished).isNotEmpty();

    for (var thread : finished) {
      reply(thread, "again");
    }
    for (var thread : finished) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(texts(thread)).anyMatch(text -> text.contains("Found task-")));
    }
    assertThat(Files.readAllLines(worked())).doesNotHaveDuplicates();
    await().atMost(PATIENCE).until(() -> nodes.stream().allMatch(it -> it.agents().isEmpty()));
  }

  /// @return the tasks whose commands were acknowledged
  private Set<String> typeWhileNodesAreKilled() throws Exception {
    var acknowledged = new HashSet<String>();
    try (var people = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> typing = new ArrayList<>();
      for (int i = 0; i < COMMANDS; i++) {
        var number = i;
        typing.add(people.submit(() -> type(number)));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        // Not a wait for anything: the moment of the kill is what varies.
        Thread.sleep(BETWEEN_KILLS.minusMillis(random.nextInt(2000)));
        var victim = nodes.get(random.nextInt(NODES));
        victim.kill();
        victim.restart();
      }
      for (var each : typing) {
        acknowledged.add(each.get());
      }
    }
    return acknowledged;
  }

  /// A person types a command, and types it again, as another one, until it is acknowledged.
  private String type(int number) throws InterruptedException {
    Thread.sleep(BETWEEN_COMMANDS.multipliedBy(number));
    for (int typed = 1; ; typed++) {
      var task = "task-%03d-%d".formatted(number, typed);
      var channel = CHANNELS.get(number % CHANNELS.size());
      var result =
          balancer.send(node -> signed.command(node, channel, ANN, task, task, Optional.empty()));
      if (result == Result.ACKNOWLEDGED) {
        return task;
      }
      Thread.sleep(TYPING_AGAIN);
    }
  }

  private void endedOnce(SlackThreads.OneThread thread) {
    assertThat(thread.status()).hasSize(1);
    assertThat(thread.ends()).hasSize(1);
    var end = thread.ends().getFirst();
    if (end.contains("done")) {
      assertThat(thread.status().getFirst()).contains("Finished");
    } else {
      assertThat(thread.status().getFirst()).contains("Failed");
      assertThat(end)
          .containsAnyOf(
              "The service was restarted while the agent was working.",
              "The node that ran this was lost.");
    }
  }

  /// As Slack does, it is sent again until it is acknowledged.
  private void reply(SlackThreads.OneThread thread, String text) throws InterruptedException {
    var ts = slack.reply(thread.channel(), thread.ts(), ANN, text);
    var event =
        new Said("message", "Ev" + ts, thread.channel(), ANN, ts, Optional.of(thread.ts()), text);
    while (balancer.send(node -> signed.event(node, event, 0)) != Result.ACKNOWLEDGED) {
      Thread.sleep(TYPING_AGAIN);
    }
  }

  private List<String> texts(SlackThreads.OneThread thread) {
    return slack.messages(thread.channel()).stream()
        .filter(message -> message.path("thread_ts").asText().equals(thread.ts()))
        .map(message -> message.path("text").asText())
        .toList();
  }
}
