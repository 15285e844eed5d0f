package dev.runnel.app.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.port.AuditReader;
import dev.runnel.core.port.AuditReader.Filter;
import dev.runnel.database.Database;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.RunnelProcess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
class ServiceAuditTest {
  @TempDir Path folder;

  private static JsonNode call(
      RunnelProcess runnel, String key, String method, String path, String body) throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1/agent" + path))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    return new ObjectMapper().readTree(answer.body());
  }

  @Test
  void transcriptReadWithAKeyIsAuditedOnce() throws Exception {
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      var main = Files.readString(runnel.data().resolve("agent-api-key")).strip();
      var ci = key(runnel, main, "ci");
      var tool = key(runnel, main, "tool");
      var text = key(runnel, main, "text");
      var talk = key(runnel, main, "talk");
      var id = call(runnel, main, "POST", "/runs", "{\"prompt\":\"x\"}").path("run_id").asText();
      await()
          .until(
              () -> call(runnel, main, "GET", "/runs/" + id, "").path("state").asText(),
              "SUCCEEDED"::equals);

      get(runnel, main, "/agent/runs/" + id + "/transcript");
      get(runnel, ci, "/agent/runs/" + id + "/transcript");
      get(runnel, ci, "/agent/runs/" + id + "/transcript");
      get(runnel, ci, "/agent/runs/" + id + "/conversation");
      read(runnel, tool, id);
      get(runnel, text, "/agent/runs/" + id + "/transcript");
      get(runnel, talk, "/agent/runs/" + id + "/conversation");

      List<AuditReader.Line> lines;
      try (var database = Database.sqlite(runnel.data().resolve("runnel.db"))) {
        lines = new AuditLog(database).newest(Filter.ALL, Long.MAX_VALUE, 50);
      }
      assertThat(lines.stream().filter(line -> line.verb().equals("read")))
          .satisfiesExactly(
              line -> assertThat(line.who().orElseThrow().name()).isEqualTo("talk"),
              line -> assertThat(line.who().orElseThrow().name()).isEqualTo("text"),
              line -> assertThat(line.who().orElseThrow().name()).isEqualTo("tool"),
              line -> {
                assertThat(line.who().orElseThrow().name()).isEqualTo("ci");
                assertThat(line.json()).contains("\"run\":\"" + id + "\"");
              });
    }
  }

  @Test
  void startFollowUpAndStopWithAKeyAreAudited() throws Exception {
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "sleep 300"))) {
      var main = Files.readString(runnel.data().resolve("agent-api-key")).strip();
      var ci = key(runnel, main, "ci");
      call(runnel, main, "POST", "/runs", "{\"prompt\":\"of Runnel itself\"}");
      var id = call(runnel, ci, "POST", "/runs", "{\"prompt\":\"x\"}").path("run_id").asText();
      call(runnel, ci, "POST", "/runs/" + id + "/followups", "{\"message\":\"a secret word\"}");
      call(runnel, ci, "POST", "/runs/" + id + "/cancel", "");

      List<AuditReader.Line> lines;
      try (var database = Database.sqlite(runnel.data().resolve("runnel.db"))) {
        lines = new AuditLog(database).newest(Filter.ALL, Long.MAX_VALUE, 50);
      }
      var ofRuns =
          lines.stream().filter(line -> List.of("start", "say", "stop").contains(line.verb()));
      assertThat(ofRuns.toList().reversed())
          .allSatisfy(
              line -> {
                assertThat(line.who().orElseThrow().name()).isEqualTo("ci");
                assertThat(line.json())
                    .contains("\"run\":\"" + id + "\"")
                    .doesNotContain("a secret word");
              })
          .extracting(AuditReader.Line::verb)
          .containsExactly("start", "say", "stop");
    }
  }

  private static String key(RunnelProcess runnel, String main, String name) throws Exception {
    var body = "{\"name\":\"%s\",\"scope\":\"all\"}".formatted(name);
    return call(runnel, main, "POST", "/keys", body).path("key").asText();
  }

  /// With the tool of MCP clients.
  private static void read(RunnelProcess runnel, String key, String run) throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/mcp"))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2025-11-25")
                .POST(
                    BodyPublishers.ofString(
                        """
                        {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                         "params": {"name": "read_transcript", "arguments": {"run_id": "%s"}}}
                        """
                            .formatted(run))));
    assertThat(answer.body()).contains("done");
  }

  private static void get(RunnelProcess runnel, String key, String path) throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1" + path))
                .header("Authorization", "Bearer " + key));
    assertThat(answer.statusCode()).isBetween(200, 399);
  }

  @Test
  void keysAndSchedulesAreAuditedWithTheKeyThatChangedThem() throws Exception {
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      var main = Files.readString(runnel.data().resolve("agent-api-key")).strip();
      var made = call(runnel, main, "POST", "/keys", "{\"name\":\"ci\",\"scope\":\"all\"}");
      var ci = made.path("key").asText();
      var schedule =
          call(
              runnel,
              ci,
              "POST",
              "/schedules",
              "{\"name\":\"nightly\",\"cron_schedule\":\"0 3 * * *\",\"prompt\":\"a secret"
                  + " prompt\"}");
      var path = "/schedules/" + schedule.path("id").asText();
      call(runnel, ci, "POST", path + "/pause", "");
      call(runnel, ci, "DELETE", path, "");
      call(runnel, main, "DELETE", "/keys/" + made.path("id").asText(), "");

      List<AuditReader.Line> lines;
      try (var database = Database.sqlite(runnel.data().resolve("runnel.db"))) {
        lines = new AuditLog(database).newest(Filter.ALL, Long.MAX_VALUE, 5);
      }
      assertThat(lines)
          .satisfiesExactly(
              line -> {
                assertThat(line.verb()).isEqualTo("key");
                assertThat(line.details()).startsWith("revoked \"ci\"");
              },
              line -> assertThat(line.details()).startsWith("deleted \"nightly\""),
              line -> assertThat(line.details()).startsWith("paused \"nightly\""),
              line -> {
                assertThat(line.verb()).isEqualTo("schedule");
                assertThat(line.details()).startsWith("made \"nightly\"");
                assertThat(line.who().orElseThrow().name()).isEqualTo("ci");
                assertThat(line.json()).doesNotContain("secret prompt");
              },
              line -> {
                assertThat(line.details()).startsWith("made \"ci\"").endsWith("scope all");
                assertThat(line.who().orElseThrow().id()).isEqualTo("api:runnel");
                assertThat(line.json()).doesNotContain(ci);
              });
    }
  }
}
