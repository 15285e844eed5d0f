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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Three nodes on one PostgreSQL, one of which is killed, stands still or is asked about a run of
/// another. [CommandsOverThreeNodesTest] kills them again and again under load.
@Tag("slow")
@Timeout(1800)
class ThreeNodesTest {
  private static final String KEY = "a-key-for-this-test";
  private static final int NODES = 3;
  private static final ObjectMapper JSON = new ObjectMapper();
  @TempDir Path folder;
  private final List<RunnelProcess> nodes = new ArrayList<>();
  private int turn;

  @BeforeEach
  void start() throws Exception {
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
                      "p=$(cat); case $p in long) sleep 300 ;; esac; echo \"$p\""))));
    }
  }

  @AfterEach
  void stop() {
    nodes.forEach(RunnelProcess::close);
  }

  @Test
  void runCanBeCancelledThroughAnotherNode() throws Exception {
    var id = create("long");
    var owner = ownerOfTheOnlyRun();
    var other = nodes.get((nodes.indexOf(owner) + 1) % NODES);

    var answer = send(other, "POST", "/agent/runs/" + id + "/cancel", "");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(state(id)).isEqualTo("CANCELLED");
    assertThat(owner.agents()).isEmpty();
  }

  @Test
  void runOfALostNodeContinuesElsewhereWithANote() throws Exception {
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
  void suspendedNodeEndsItsAgentsAfterResumingAndChangesNothing() throws Exception {
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
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(owner.log()).contains("joined again node="));
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

  private String create(String prompt) throws Exception {
    var answer = ask("POST", "/agent/runs", "{\"prompt\":\"" + prompt + "\"}");
    return answer.path("run_id").asText();
  }

  private String state(String id) throws Exception {
    return ask("GET", "/agent/runs/" + id, "").path("state").asText();
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
