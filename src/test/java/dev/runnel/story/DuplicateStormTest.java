package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.testkit.EmulateGitHub;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SignedSlack.Said;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The same thing said many times at the same moment, to two nodes on one PostgreSQL.
@Tag("slow")
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DuplicateStormTest {
  private static final int TIMES = 50;
  private static final int TWINS = 20;
  private static final String SECRET = "secret-of-the-hook";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final SignedSlack signed = new SignedSlack(LocalSlack.SIGNING_SECRET);
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<RunnelProcess> nodes = new ArrayList<>();
  private LocalSlack slack;
  private EmulateGitHub github;
  private EmbeddedService service;

  @BeforeAll
  void open(@TempDir Path folder) throws Exception {
    slack = LocalSlack.start(URI.create("http://127.0.0.1:9/slack/events"));
    github = EmulateGitHub.start();
    service =
        new EmbeddedService(folder, "echo \"execution $RUNNEL_EXECUTION of $(tail -n 1)\"", 4);
    var settings = new HashMap<>(slack.settings());
    settings.putAll(github.settings(SECRET));
    settings.put("RUNNEL_AGENT_API_URL", service.uri() + "/api/v1");
    settings.put("RUNNEL_AGENT_API_KEY", EmbeddedService.KEY);
    settings.put("RUNNEL_DATABASE_URL", Postgres.freshDatabase());
    settings.put("RUNNEL_LOG_LEVEL", "info,dev.runnel.web=debug");
    for (int i = 0; i < 2; i++) {
      var home = Files.createDirectory(folder.resolve("node" + i));
      nodes.add(RunnelProcess.start(home, RunnelProcess.freePort(), settings));
    }
  }

  @AfterAll
  void close() {
    nodes.forEach(RunnelProcess::close);
    http.close();
    // None is there when an emulator is not installed and the tests are skipped.
    if (service != null) {
      service.close();
    }
    if (github != null) {
      github.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  @Test
  void commandSentFiftyTimesAtOnceStartsOneRunInOneThread() throws Exception {
    allAtOnce(
        IntStream.range(0, TIMES)
            .mapToObj(
                i ->
                    signed.command(
                        node(i), CHANNEL, ANN, "task-100-1", "task-100-1", Optional.empty()))
            .toList());

    awaitRest();
    var threads = SlackThreads.read(slack, List.of(CHANNEL)).of("task-100-1");
    assertThat(threads).hasSize(1);
    assertThat(threads.getFirst().status()).hasSize(1);
    assertThat(threads.getFirst().ends()).hasSize(1);
  }

  @Test
  void replySentFiftyTimesAtOnceIsOneFollowUp() throws Exception {
    allAtOnce(
        List.of(
            signed.command(node(0), CHANNEL, ANN, "task-200-1", "task-200-1", Optional.empty())));
    awaitRest();
    var thread = SlackThreads.read(slack, List.of(CHANNEL)).of("task-200-1").getFirst().ts();

    var ts = slack.reply(CHANNEL, thread, ANN, "go on");
    var said = new Said("message", "Ev200", CHANNEL, ANN, ts, Optional.of(thread), "go on");
    allAtOnce(IntStream.range(0, TIMES).mapToObj(i -> signed.event(node(i), said, i % 4)).toList());

    awaitRest();
    var ends = SlackThreads.read(slack, List.of(CHANNEL)).of("task-200-1").getFirst().ends();
    assertThat(ends).hasSize(2);
    assertThat(ends.get(0)).contains("execution 1 of");
    assertThat(ends.get(1)).contains("execution 2 of go on");
  }

  @Test
  void bothEventsOfAMentionAtTwoNodesStartOneRun() throws Exception {
    var roots = new ArrayList<String>();
    var requests = new ArrayList<HttpRequest>();
    for (int i = 0; i < TWINS; i++) {
      var text = "<@" + BOT + "> twin number " + i;
      var ts = slack.message(CHANNEL, ANN, text);
      roots.add(ts);
      requests.add(
          signed.event(
              node(i),
              new Said("message", "EvM" + i, CHANNEL, ANN, ts, Optional.empty(), text),
              0));
      requests.add(
          signed.event(
              node(i + 1),
              new Said("app_mention", "EvA" + i, CHANNEL, ANN, ts, Optional.empty(), text),
              0));
    }
    allAtOnce(requests);

    awaitRest();
    assertThat(roots).allSatisfy(ts -> assertThat(ours(ts)).as("status and end").hasSize(2));
  }

  /// GitHub sends one event to each hook there is, under ids of their own.
  @Test
  void eventFromTwoHooksAtTwoNodesStartsOneRun() throws Exception {
    for (var node : nodes) {
      github.createHook(node.url() + "/webhooks/github", SECRET);
    }
    var labelled = github.createIssue("Checkout is red", "");
    github.label(labelled, "agent");
    var commented = github.createIssue("Checkout is green", "");
    github.comment("dana", commented, "@agent keep it so");
    await().atMost(PATIENCE).until(() -> github.comments(labelled).size() >= 2);
    await().atMost(PATIENCE).until(() -> github.comments(commented).size() >= 3);

    github.comment("dana", commented, "@agent and polish it");
    await().atMost(PATIENCE).until(() -> github.comments(commented).size() >= 5);

    awaitRest();
    assertThat(github.comments(labelled)).hasSize(2);
    assertThat(github.comments(commented))
        .hasSize(5)
        .filteredOn(text -> text.contains("execution"))
        .satisfiesExactly(
            first -> assertThat(first).contains("execution 1 of"),
            second -> assertThat(second).contains("execution 2 of and polish it"));
    for (var node : nodes) {
      assertThat(node.log().lines().filter(line -> line.contains("delivery=github:")))
          .as("both nodes heard of each event")
          .hasSizeGreaterThanOrEqualTo(3);
    }
  }

  private URI node(int number) {
    return URI.create(nodes.get(number % nodes.size()).url());
  }

  /// All are answered with 200: whoever sends again must learn that it is there.
  private void allAtOnce(List<HttpRequest> requests) throws Exception {
    var go = new CountDownLatch(1);
    try (var senders = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<HttpResponse<Void>>> answers = new ArrayList<>();
      for (var request : requests) {
        answers.add(
            senders.submit(
                () -> {
                  go.await();
                  return http.send(request, BodyHandlers.discarding());
                }));
      }
      go.countDown();
      for (var answer : answers) {
        assertThat(answer.get().statusCode()).isEqualTo(200);
      }
    }
  }

  private void awaitRest() {
    await("all is done").atMost(PATIENCE).during(Duration.ofSeconds(1)).until(this::isAtRest);
  }

  private boolean isAtRest() throws Exception {
    for (var metric :
        List.of("runnel_inbox_waiting", "runnel_runs_active", "runnel_outbox_waiting")) {
      if (nodes.getFirst().metric(metric) != 0) {
        return false;
      }
    }
    return true;
  }

  private List<JsonNode> ours(String thread) {
    return slack.messages(CHANNEL).stream()
        .filter(each -> each.path("user").asText().equals(BOT))
        .filter(each -> each.path("thread_ts").asText().equals(thread))
        .toList();
  }
}
