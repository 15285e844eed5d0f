package dev.runnel.app;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// An agent that leads others starts runs in a loop.
@Tag("slow")
@Timeout(120)
class FamilyBudgetTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LOOP =
      """
      test -n "$RUNNEL_AGENT_API_KEY" || { echo "A child"; exit; }
      for i in 1 2 3 4 5 6 7 8 9 10; do
        answer=$(curl -sS -X POST "$RUNNEL_AGENT_API_URL/agent/runs" \\
          -H "Authorization: Bearer $RUNNEL_AGENT_API_KEY" \\
          -H "Content-Type: application/json" -d '{"prompt": "and more"}')
        echo "$answer" | grep -q '"run_id"' || { echo; echo "Refused at $i: $answer"; exit; }
      done
      """;

  @TempDir Path folder;

  @Test
  void anAgentThatStartsRunsInALoopUsesUpTheBudgetOfThePersonWhoAsked() throws Exception {
    Files.writeString(
        folder.resolve("runnel.yaml"),
        """
        policy:
          rules:
            - {who: any, where: any, may: all}
          budgets:
            - {per: person, in: day, runs: 4}
        factories: {shop: {}}
        hooks:
          forms:
            proof: {kind: bearer, secret: a-secret-of-the-hook}
            template: "Do {/n}"
            factory: shop
        """);
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", LOOP))) {
      assertThat(asks(runnel, "1")).isBetween(200, 299);
      await().atMost(Duration.ofSeconds(60)).until(() -> ended(runnel).size(), ended -> ended == 4);

      assertThat(runs(runnel)).hasSize(4);
      assertThat(ended(runnel))
          .anySatisfy(
              said ->
                  assertThat(said)
                      .contains("Refused at 4:")
                      .contains("a budget is used up (yours: 4 of 4 runs a day)"));

      // Nor does the person start another one.
      assertThat(asks(runnel, "2")).isBetween(200, 299);
      await().until(() -> runnel.log().contains("why=a budget is used up"));
      assertThat(runs(runnel)).hasSize(4);
    }
  }

  private static int asks(RunnelProcess runnel, String what) throws Exception {
    return runnel
        .send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/forms"))
                .header("Authorization", "Bearer a-secret-of-the-hook")
                .POST(BodyPublishers.ofString("{\"n\":\"%s\"}".formatted(what))))
        .statusCode();
  }

  /// What the runs said that have ended.
  private static List<String> ended(RunnelProcess runnel) throws Exception {
    var said = new ArrayList<String>();
    for (var run : runs(runnel)) {
      if (run.path("state").asText().equals("SUCCEEDED")) {
        said.add(run.at("/status_message/message").asText());
      }
    }
    return said;
  }

  private static JsonNode runs(RunnelProcess runnel) throws Exception {
    var key = Files.readString(runnel.data().resolve("agent-api-key")).strip();
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1/agent/runs"))
                .header("Authorization", "Bearer " + key));
    return JSON.readTree(answer.body()).path("runs");
  }
}
