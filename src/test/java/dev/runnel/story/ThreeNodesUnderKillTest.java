package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Three nodes on one PostgreSQL, one of which is killed every few seconds while agents work.
///
/// `-Drunnel.story.runs=300` makes it longer.
@Tag("slow")
@Timeout(1800)
class ThreeNodesUnderKillTest {
  private static final String KEY = "a-key-for-this-test";
  private static final int RUNS = Integer.getInteger("runnel.story.runs", 30);
  private static final int FOLLOW_UPS = Math.max(5, RUNS / 10);
  private static final int NODES = 3;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> TRUE_ENDS =
      List.of(
          "The service was restarted while the agent was working. Reply to continue.",
          "The node that ran this was lost. Reply to continue.");

  @TempDir Path folder;
  private final Random random = new Random(7);
  private final List<RunnelProcess> nodes = new ArrayList<>();
  private int turn;

  @BeforeEach
  void start() throws Exception {
    var worked = Files.createFile(folder.resolve("worked"));
    var url = Postgres.freshDatabase();
    for (int i = 0; i < NODES; i++) {
      nodes.add(
          RunnelProcess.start(
              Files.createDirectory(folder.resolve("node" + i)),
              RunnelProcess.freePort(),
              new HashMap<>(
                  Map.of(
                      "RUNNEL_DATABASE_URL",
                      url,
                      "RUNNEL_AGENT_API_KEY",
                      KEY,
                      "RUNNEL_AGENT_SLOTS",
                      "3",
                      "RUNNEL_AGENT_LEASE",
                      "6s",
                      "RUNNEL_AGENT_COMMAND",
                      ("echo \"$RUNNEL_RUN_ID $RUNNEL_EXECUTION\" >> %s; p=$(cat);"
                              + " case \"$p\" in long) sleep 300;; esac; sleep 0.7; echo \"$p\"")
                          .formatted(worked)))));
    }
  }

  @AfterEach
  void stop() {
    nodes.forEach(RunnelProcess::close);
  }

  @Test
  void everyRunReachesATrueEndAndNoExecutionIsDoneTwice() throws Exception {
    var ids = new ArrayList<String>();
    while (ids.size() < RUNS) {
      for (int i = 0; i < 5 && ids.size() < RUNS; i++) {
        ids.add(create("task " + ids.size()));
      }
      // Not a wait for anything: the moment of the kill is what varies.
      Thread.sleep(random.nextInt(1500));
      var victim = nodes.get(random.nextInt(NODES));
      victim.kill();
      if (random.nextBoolean()) {
        // The others take it for lost before it is back.
        Thread.sleep(Duration.ofSeconds(7));
      }
      victim.restart();
    }
    var runs = settled();

    assertThat(runs)
        .extracting(run -> run.path("run_id").asText())
        .containsExactlyInAnyOrderElementsOf(ids);
    assertThat(runs).allSatisfy(ThreeNodesUnderKillTest::endedTruly);
    assertThat(Files.readAllLines(folder.resolve("worked")))
        .doesNotHaveDuplicates()
        .allSatisfy(line -> assertThat(line).endsWith(" 1"));
    assertThat(runs).anyMatch(run -> run.path("state").asText().equals("ERROR"));
    assertThat(runs).anyMatch(run -> run.path("state").asText().equals("SUCCEEDED"));

    // Whatever became of them: a reply goes on, at any node.
    var asked = ids.subList(0, FOLLOW_UPS);
    for (var id : asked) {
      ask("POST", "/agent/runs/" + id + "/followups", "{\"message\":\"and then\"}");
    }
    assertThat(settled())
        .filteredOn(run -> asked.contains(run.path("run_id").asText()))
        .hasSize(FOLLOW_UPS)
        .allSatisfy(
            run -> {
              assertThat(run.path("state").asText()).isEqualTo("SUCCEEDED");
              assertThat(run.at("/status_message/message").asText()).isEqualTo("and then");
            });
    assertThat(Files.readAllLines(folder.resolve("worked"))).doesNotHaveDuplicates();
    for (var node : nodes) {
      assertThat(node.agents()).isEmpty();
    }
  }

  @Test
  void aRunIsCancelledAtAnotherNodeThanItsOwn() throws Exception {
    var id = create("long");
    var owner = ownerOfTheOnlyRun();
    var other = nodes.get((nodes.indexOf(owner) + 1) % NODES);

    var answer = send(other, "POST", "/agent/runs/" + id + "/cancel", "");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(state(id)).isEqualTo("CANCELLED");
    assertThat(owner.agents()).isEmpty();
  }

  @Test
  void aRunOfANodeThatIsGoneForGoodGoesOnElsewhereAndSaysSo() throws Exception {
    var id = create("long");
    var owner = ownerOfTheOnlyRun();
    owner.kill();
    nodes.remove(owner);
    try {
      await().atMost(Duration.ofSeconds(60)).until(() -> state(id).equals("ERROR"));
      assertThat(ask("GET", "/agent/runs/" + id, "").at("/status_message/message").asText())
          .isEqualTo("The node that ran this was lost. Reply to continue.");

      ask("POST", "/agent/runs/" + id + "/followups", "{\"message\":\"and then\"}");

      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(ask("GET", "/agent/runs/" + id, "").toString())
                      .contains("\"state\":\"SUCCEEDED\""));
      assertThat(transcript(id))
          .contains("The node that has the workspace is gone.")
          .contains("fresh workspace on another node");
    } finally {
      // Its agent was left alone, as a crash leaves it, until the node comes back.
      nodes.add(owner);
      owner.restart();
      await().atMost(Duration.ofSeconds(60)).until(() -> owner.agents().isEmpty());
    }
    assertThat(state(id)).isEqualTo("SUCCEEDED");
  }

  @Test
  void aNodeThatStandsStillAndGoesOnEndsItsAgentsAndChangesNothing() throws Exception {
    var id = create("long");
    var owner = ownerOfTheOnlyRun();
    nodes.remove(owner);
    signal(owner, "-STOP");
    try {
      await().atMost(Duration.ofSeconds(60)).until(() -> state(id).equals("ERROR"));
      assertThat(owner.agents()).isNotEmpty();
    } finally {
      signal(owner, "-CONT");
      nodes.add(owner);
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> owner.agents().isEmpty());

    assertThat(ask("GET", "/agent/runs/" + id, "").at("/status_message/message").asText())
        .isEqualTo("The node that ran this was lost. Reply to continue.");
    // It works again, under another id.
    await().atMost(Duration.ofSeconds(60)).until(() -> owner.log().contains("joined again node="));
    var next = create("task");
    await().atMost(Duration.ofSeconds(60)).until(() -> state(next).equals("SUCCEEDED"));
  }

  private static void signal(RunnelProcess node, String signal) throws Exception {
    new ProcessBuilder("kill", signal, Long.toString(node.pid())).start().waitFor();
  }

  private RunnelProcess ownerOfTheOnlyRun() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> nodes.stream().anyMatch(RunnelProcess::hasAgent));
    return nodes.stream().filter(RunnelProcess::hasAgent).findFirst().orElseThrow();
  }

  /// By a link that another node signed.
  private String transcript(String id) throws Exception {
    var redirect = send(nodes.getFirst(), "GET", "/agent/runs/" + id + "/transcript", "");
    var location = redirect.headers().firstValue("Location").orElseThrow();
    return nodes.getLast().get(location).body();
  }

  private static void endedTruly(JsonNode run) {
    var message = run.at("/status_message/message").asText();
    switch (run.path("state").asText()) {
      case "SUCCEEDED" -> assertThat(message).isEqualTo(run.path("prompt").asText());
      case "ERROR" -> assertThat(TRUE_ENDS).contains(message);
      default -> throw new AssertionError(run.toString());
    }
  }

  private List<JsonNode> settled() throws Exception {
    await()
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(500))
        .until(
            () ->
                runs().stream()
                    .noneMatch(
                        run ->
                            List.of("QUEUED", "INPROGRESS").contains(run.path("state").asText())));
    return runs();
  }

  private String create(String prompt) throws Exception {
    var answer = ask("POST", "/agent/runs", "{\"prompt\":\"" + prompt + "\"}");
    return answer.path("run_id").asText();
  }

  private String state(String id) throws Exception {
    return ask("GET", "/agent/runs/" + id, "").path("state").asText();
  }

  private List<JsonNode> runs() throws Exception {
    var runs = new ArrayList<JsonNode>();
    ask("GET", "/agent/runs?limit=500", "").path("runs").forEach(runs::add);
    return runs;
  }

  /// Asks the next node.
  private JsonNode ask(String method, String path, String body) throws Exception {
    var answer = send(nodes.get(turn++ % nodes.size()), method, path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static HttpResponse<String> send(
      RunnelProcess node, String method, String path, String body)
      throws IOException, InterruptedException {
    return node.send(
        HttpRequest.newBuilder(URI.create(node.url() + "/api/v1" + path))
            .header("Authorization", "Bearer " + KEY)
            .method(method, BodyPublishers.ofString(body)));
  }
}
