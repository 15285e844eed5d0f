package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.app.server.RunnelServer;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Settings;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SignedSlack.Said;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// This version goes on with the data that an older one left behind when it was killed. What is in
/// them is in `src/test/resources/upgrade/README.md`.
@Tag("slow")
@Timeout(120)
class RecordedDataTest {
  private static final String DONE = "d8f98d58-9fab-447c-8afc-41c3d95a08e1";
  private static final String ASKS = "384f4a8e-0525-4911-872e-fd9fa143a353";
  private static final String WORKS = "a1a17f86-31ea-4678-9cc9-2f80cf0a7f66";
  private static final Path RECORDED = Path.of("src/test/resources/upgrade");
  private static final Instant KILLED = Instant.parse("2026-11-22T21:14:30Z");

  /// After this time the reminder is due, and nothing is old enough to be removed.
  private static final Duration AWAY = Duration.ofMinutes(31);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final JsonMapper JSON = new JsonMapper();

  private final InstantSource clock =
      Clock.offset(Clock.systemUTC(), Duration.between(Instant.now(), KILLED.plus(AWAY)));
  private final SignedSlack signed = new SignedSlack(LocalSlack.SIGNING_SECRET, clock);
  private final ScriptedSlack slack = new ScriptedSlack();
  private final HttpClient http = HttpClient.newHttpClient();
  private final int port = RunnelProcess.freePort();

  @TempDir Path folder;
  private RunnelServer runnel;

  @BeforeEach
  void startOverTheRecordedData() throws IOException {
    var data = Files.createDirectory(folder.resolve("data"));
    for (var name : List.of("runnel.db", "agent-runs.db")) {
      Files.copy(RECORDED.resolve(name), data.resolve(name));
    }
    var environment =
        new HashMap<>(
            Map.of(
                "PATH",
                System.getenv("PATH"),
                "HOME",
                folder.toString(),
                "PORT",
                Integer.toString(port),
                "RUNNEL_DATA",
                data.toString(),
                "RUNNEL_AGENT_COMMAND",
                "echo \"Done: $(tail -n 1).\"",
                "RUNNEL_AGENTS_ISOLATION",
                "none",
                "SLACK_SIGNING_SECRET",
                LocalSlack.SIGNING_SECRET,
                "SLACK_BOT_TOKEN",
                LocalSlack.BOT_TOKEN,
                "SLACK_API_URL",
                slack.apiUrl().toString(),
                "RUNNEL_REMINDERS",
                "30m"));
    environment.put("RUNNEL_AGENTS_USER", AgentUsers.own());
    var settings = Settings.read(environment, Optional.empty(), Map.of());
    runnel = RunnelServer.start(Config.of(settings), environment, clock);
  }

  @AfterEach
  void stop() {
    if (runnel != null) {
      runnel.close();
    }
    slack.close();
    http.close();
  }

  @Test
  void recordedWaitingWorkIsCarriedOut() throws Exception {
    sees("C0LOST", "Done: end it.");
    sees("C0ASKS", "Which branch?");
    sees("C0DOWN", "start it later");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(runs())
                    .filteredOn(run -> run.path("title").asText().equals("start it later"))
                    .extracting(run -> run.path("state").asText())
                    .containsExactly("SUCCEEDED"));
    await().atMost(PATIENCE).until(this::isAtRest);
  }

  @Test
  void aReplyInAnOldThreadReachesItsRun() throws Exception {
    reply("C0DONE", "1795382064.000000", "and again");
    reply("C0ASKS", "1795382066.000003", "main");

    sees("C0DONE", "Done: and again.");
    sees("C0ASKS", "Done: main.");
    assertThat(runs())
        .filteredOn(run -> run.path("state").asText().equals("SUCCEEDED"))
        .extracting(run -> run.path("run_id").asText())
        .contains(DONE, ASKS);
  }

  /// Its agent died with the process, before it read the reply.
  @Test
  void recordedWaitingReplyIsProcessed() throws Exception {
    sees("C0WORKS", "Done: and on that.");
    assertThat(run(WORKS).path("state").asText()).isEqualTo("SUCCEEDED");
  }

  @Test
  void recordedSchedulesContinue() throws Exception {
    assertThat(ask("/schedules").path("schedules"))
        .singleElement()
        .satisfies(
            schedule -> {
              assertThat(schedule.path("name").asText()).isEqualTo("yearly");
              assertThat(schedule.at("/history/next_run").asText())
                  .isEqualTo("2027-01-01T00:00:00Z");
            });
  }

  private void reply(String channel, String thread, String text) throws Exception {
    var ts = clock.instant().getEpochSecond() + ".000001";
    var said =
        new Said("message", "Ev2" + channel, channel, "U0ANN", ts, Optional.of(thread), text);
    var answer =
        http.send(
            signed.event(URI.create("http://127.0.0.1:" + port), said, 0),
            BodyHandlers.discarding());
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  private void sees(String channel, String words) {
    await(channel)
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(posts(channel)).anyMatch(text -> text.contains(words)));
  }

  /// The texts that were posted to a channel, oldest first.
  private Stream<String> posts(String channel) {
    return slack.calls().stream()
        .filter(call -> call.method().equals("chat.postMessage"))
        .filter(call -> call.field("channel").equals(channel))
        .map(call -> call.field("text"));
  }

  private boolean isAtRest() throws Exception {
    var metrics = get("/metrics");
    return Stream.of("inbox_waiting", "inbox_parked", "outbox_waiting", "outbox_parked")
        .allMatch(name -> metrics.lines().anyMatch(("runnel_" + name + " 0.0")::equals));
  }

  private Iterable<JsonNode> runs() throws Exception {
    return ask("/runs").path("runs");
  }

  private JsonNode run(String id) throws Exception {
    return ask("/runs/" + id);
  }

  private JsonNode ask(String path) throws Exception {
    return JSON.readTree(get("/api/v1/agent" + path));
  }

  private String get(String path) throws Exception {
    var key = Files.readString(folder.resolve("data/agent-api-key")).strip();
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Bearer " + key)
            .build();
    return Objects.requireNonNull(http.send(request, BodyHandlers.ofString()).body());
  }
}
