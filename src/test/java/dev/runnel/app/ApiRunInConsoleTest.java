package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A whole Runnel whose runs a program starts through the API, and somebody in the console answers
/// and stops.
@Tag("slow")
@Timeout(120)
class ApiRunInConsoleTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "sesame-of-sixteen-letters";

  /// Asks first, and then repeats the answer.
  private static final String AGENT =
      """
      if [ "$RUNNEL_EXECUTION" = 1 ]; then
        echo "::blocked Which one?"
      else
        cat
      fi
      """;

  @TempDir Path folder;
  private RunnelProcess runnel;

  @BeforeEach
  void start() throws Exception {
    runnel =
        RunnelProcess.start(
            folder,
            RunnelProcess.freePort(),
            Map.of("RUNNEL_AGENT_COMMAND", AGENT, "RUNNEL_CONSOLE_TOKEN", TOKEN));
  }

  @AfterEach
  void stop() throws Exception {
    runnel.close();
  }

  @Test
  void aQuestionIsAnsweredOnce() throws Exception {
    var run = starts("Paint it");
    awaitState(run, "BLOCKED");
    var answer = form(run, Map.of("action", "say", "text", "The blue one"));

    assertThat(posts(answer)).isEqualTo(200);
    assertThat(posts(answer)).isEqualTo(200);
    awaitState(run, "SUCCEEDED");

    assertThat(api("/" + run).at("/status_message/message").asText()).contains("The blue one");
    assertThat(audit("answer"))
        .singleElement()
        .asString()
        .contains("\"console:console\"", "api:" + run, "\"door\":\"console\"");
  }

  @Test
  void blockedRunIsStoppedFromTheConsole() throws Exception {
    var run = starts("Paint it");
    awaitState(run, "BLOCKED");

    assertThat(posts(form(run, Map.of("action", "stop")))).isEqualTo(200);
    awaitState(run, "CANCELLED");

    await().until(() -> audit("end").stream().anyMatch(it -> it.contains("the stop took effect")));
    assertThat(audit("stop")).isNotEmpty().allMatch(it -> it.contains("\"console:console\""));
    assertThat(page(run)).contains("badge cancelled").doesNotContain("value=\"stop\"");
  }

  private String starts(String prompt) throws Exception {
    var answer =
        runnel.send(
            withKey("")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"prompt\": \"%s\"}".formatted(prompt))));
    return JSON.readTree(answer.body()).path("run_id").asText();
  }

  private void awaitState(String run, String state) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api("/" + run).path("state").asText(), state::equals);
  }

  private JsonNode api(String path) throws Exception {
    return JSON.readTree(runnel.send(withKey(path)).body());
  }

  private HttpRequest.Builder withKey(String path) throws Exception {
    var key = Files.readString(runnel.data().resolve("agent-api-key")).strip();
    return HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1/agent/runs" + path))
        .header("Authorization", "Bearer " + key);
  }

  private HttpRequest.Builder inConsole(String path) {
    return HttpRequest.newBuilder(URI.create(runnel.url() + path))
        .header("Authorization", "Bearer " + TOKEN);
  }

  private String page(String run) throws Exception {
    return runnel.send(inConsole("/runs/" + run)).body();
  }

  /// What a form of the run's page sends.
  private Map<String, String> form(String run, Map<String, String> more) throws Exception {
    var fields = new HashMap<>(more);
    fields.put("turn", "1");
    var inputs =
        Pattern.compile("name=\"(page|conversation|run)\" value=\"([^\"]*)\"").matcher(page(run));
    while (inputs.find()) {
      fields.put(inputs.group(1), inputs.group(2));
    }
    return fields;
  }

  private int posts(Map<String, String> fields) throws Exception {
    var body =
        fields.entrySet().stream()
            .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return runnel
        .send(
            inConsole("/webhooks/console")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body)))
        .statusCode();
  }

  private List<String> audit(String verb) throws Exception {
    return runnel.send(inConsole("/audit.jsonl?verb=" + verb)).body().lines().toList();
  }
}
