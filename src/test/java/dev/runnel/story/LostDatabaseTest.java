package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.testkit.OwnPostgres;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A node whose database hangs for longer than its lease: others could go on with its runs.
@Tag("slow")
@Timeout(180)
class LostDatabaseTest {
  private static final String KEY = "a-key-for-this-test";
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void agentsEndBeforeTheLeaseExpiresAndTheRunStatesWhy(@TempDir Path folder) throws Exception {
    var settings =
        Map.of(
            "RUNNEL_AGENT_API_KEY", KEY,
            "RUNNEL_AGENT_LEASE", "6s",
            "RUNNEL_AGENT_COMMAND", "p=$(cat); [ \"$p\" = long ] && sleep 300; echo \"$p\"");
    try (var postgres = new OwnPostgres(folder.resolve("postgres"));
        var runnel =
            RunnelProcess.start(
                Files.createDirectory(folder.resolve("node")),
                RunnelProcess.freePort(),
                with(settings, postgres.url()))) {
      var id = ask(runnel, "POST", "/agent/runs", "{\"prompt\":\"long\"}").path("run_id").asText();
      await().atMost(Duration.ofSeconds(60)).until(runnel::hasAgent);

      postgres.hang();
      // Nobody tells the node: it only looks at the time.
      await().atMost(Duration.ofSeconds(6)).until(() -> runnel.agents().isEmpty());
      postgres.goOn();

      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .untilAsserted(
              () -> assertThat(run(runnel, id).path("state").asText()).isEqualTo("ERROR"));
      assertThat(run(runnel, id).at("/status_message/message").asText())
          .isEqualTo("The node that ran this was lost. Reply to continue.");

      ask(runnel, "POST", "/agent/runs/" + id + "/followups", "{\"message\":\"and then\"}");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> run(runnel, id).path("state").asText().equals("SUCCEEDED"));
    }
  }

  private static Map<String, String> with(Map<String, String> settings, String url) {
    var all = new HashMap<>(settings);
    all.put("RUNNEL_DATABASE_URL", url);
    return all;
  }

  private static JsonNode run(RunnelProcess runnel, String id) throws Exception {
    return ask(runnel, "GET", "/agent/runs/" + id, "");
  }

  private static JsonNode ask(RunnelProcess runnel, String method, String path, String body)
      throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1" + path))
                .header("Authorization", "Bearer " + KEY)
                .method(method, BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }
}
