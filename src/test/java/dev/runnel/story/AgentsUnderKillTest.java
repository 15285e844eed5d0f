package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The embedded service, killed again and again while agents work.
@Tag("slow")
@Timeout(180)
class AgentsUnderKillTest {
  private static final String KEY = "a-key-for-this-test";
  private static final int RUNS = 40;
  private static final int KILLS = 10;
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void everyRunEndsCorrectlyAndNoneIsExecutedTwice(@TempDir Path folder) throws Exception {
    var worked = folder.resolve("worked");
    Files.createFile(worked);
    var random = new Random(11);
    var settings =
        Map.of(
            "RUNNEL_AGENT_API_KEY",
            KEY,
            "RUNNEL_AGENT_SLOTS",
            "4",
            "RUNNEL_AGENT_COMMAND",
            "echo \"$RUNNEL_RUN_ID $RUNNEL_EXECUTION\" >> %s; sleep 0.5; cat".formatted(worked));
    try (var runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), settings)) {
      var ids = new ArrayList<String>();
      for (int kill = 0; kill < KILLS; kill++) {
        for (int i = 0; i < RUNS / KILLS; i++) {
          ids.add(create(runnel, "task " + ids.size()));
        }
        // Not a wait for anything: the moment of the kill is what varies.
        Thread.sleep(random.nextInt(900));
        runnel.kill();
        runnel.restart();
      }
      // On a slow machine each of the others may have been killed before its agent was done.
      ids.add(create(runnel, "after the last kill"));
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(200))
          .until(() -> runs(runnel).stream().noneMatch(run -> isUnderWay(run)));

      var runs = runs(runnel);
      assertThat(runs)
          .extracting(run -> run.get("run_id").asText())
          .containsExactlyInAnyOrderElementsOf(ids);
      // Each execution once, each run one execution: nobody replied to any.
      assertThat(Files.readAllLines(worked))
          .doesNotHaveDuplicates()
          .allSatisfy(line -> assertThat(line).endsWith(" 1"));
      assertThat(runs)
          .allSatisfy(
              run -> {
                var message = run.at("/status_message/message").asText();
                switch (run.get("state").asText()) {
                  case "SUCCEEDED" -> assertThat(message).isEqualTo(run.get("prompt").asText());
                  case "ERROR" ->
                      assertThat(message).contains("restarted while the agent was working");
                  default -> throw new AssertionError(run.toString());
                }
              });
      assertThat(runs).anyMatch(run -> run.get("state").asText().equals("ERROR"));
      assertThat(runs)
          .filteredOn(run -> run.get("prompt").asText().equals("after the last kill"))
          .extracting(run -> run.get("state").asText())
          .containsExactly("SUCCEEDED");
      assertThat(runnel.agents()).isEmpty();
    }
  }

  private static boolean isUnderWay(JsonNode run) {
    return List.of("QUEUED", "INPROGRESS").contains(run.get("state").asText());
  }

  private static String create(RunnelProcess runnel, String prompt) throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1/agent/runs"))
                .header("Authorization", "Bearer " + KEY)
                .POST(BodyPublishers.ofString("{\"prompt\":\"" + prompt + "\"}")));
    return JSON.readTree(answer.body()).get("run_id").asText();
  }

  private static List<JsonNode> runs(RunnelProcess runnel) throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1/agent/runs?limit=500"))
                .header("Authorization", "Bearer " + KEY));
    var runs = new ArrayList<JsonNode>();
    JSON.readTree(answer.body()).get("runs").forEach(runs::add);
    return runs;
  }
}
