package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.port.AuditReader;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.store.SteadyClock;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreezeCommandTest {
  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... words) {
    return run(folder, words);
  }

  private int run(Path data, String... words) {
    var all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--data", data.toString()));
    return new Main(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of())
        .run(all);
  }

  @Test
  void freezeAndUnfreezeCommandsApplyToARunningServer() {
    try (var database = Database.sqlite(folder.resolve("runnel.db"));
        var store = new SqlStore(database, new SteadyClock(InstantSource.system()))) {
      assertThat(run("freeze", "we", "are", "deploying")).isZero();
      assertThat(store.<Optional<Freeze>>commit(work -> work.starts().freeze()))
          .hasValueSatisfying(it -> assertThat(it.reason()).contains("we are deploying"));

      assertThat(run("unfreeze")).isZero();
      assertThat(store.<Optional<Freeze>>commit(work -> work.starts().freeze())).isEmpty();
      assertThat(run("unfreeze")).isZero();
      assertThat(out.toString(StandardCharsets.UTF_8)).contains("Starts were not frozen.");
      assertThat(
              new AuditLog(database)
                      .newest(
                          new AuditReader.Filter(
                              Optional.empty(),
                              Optional.of("freeze"),
                              Optional.empty(),
                              Optional.empty()),
                          Long.MAX_VALUE,
                          9)
                      .stream()
                      .map(AuditReader.Line::json)
                      .toList())
          .hasSize(2)
          .allSatisfy(
              line -> assertThat(line).contains("command-line:" + System.getProperty("user.name")))
          .satisfiesExactly(
              line -> assertThat(line).contains("permitted again"),
              line -> assertThat(line).contains("all starts: we are deploying"));
    }
  }

  @Test
  @Tag("slow")
  void aFreezeAlsoStopsStartsWithAKeyOfTheApi() throws Exception {
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      assertThat(run(runnel.data(), "freeze", "an agent does harm")).isZero();
      var refused = start(runnel);
      assertThat(run(runnel.data(), "unfreeze")).isZero();

      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body())
          .contains("/problems/feature_not_available")
          .contains("Nothing was started: ", " froze all starts on ", "an agent does harm");
      assertThat(start(runnel).statusCode()).isBetween(200, 299);
    }
  }

  @Test
  @Tag("slow")
  void aFreezeAlsoStopsRepliesThatWouldStartAnEndedRunAgain() throws Exception {
    try (var runnel =
        RunnelProcess.start(
            folder, RunnelProcess.freePort(), Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      var id = new ObjectMapper().readTree(start(runnel).body()).path("run_id").asText();
      assertThat(
              run(
                  runnel.data(),
                  "run",
                  "watch",
                  id,
                  "--port",
                  Integer.toString(URI.create(runnel.url()).getPort())))
          .isZero();
      assertThat(run(runnel.data(), "freeze", "an agent does harm")).isZero();
      var refused = post(runnel, "/agent/runs/" + id + "/followups", "{\"message\": \"more\"}");
      assertThat(run(runnel.data(), "unfreeze")).isZero();

      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains("Nothing was started: ", "an agent does harm");
      assertThat(
              post(runnel, "/agent/runs/" + id + "/followups", "{\"message\": \"more\"}")
                  .statusCode())
          .isEqualTo(200);
    }
  }

  private static HttpResponse<String> start(RunnelProcess runnel) throws Exception {
    return post(runnel, "/agent/runs", "{\"prompt\": \"Do it\"}");
  }

  private static HttpResponse<String> post(RunnelProcess runnel, String path, String body)
      throws Exception {
    var key = Files.readString(runnel.data().resolve("agent-api-key")).strip();
    return runnel.send(
        HttpRequest.newBuilder(URI.create(runnel.url() + "/api/v1" + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  @Test
  void freezeWithoutAServerExplainsHowToStartOne() {
    assertThat(run("freeze")).isOne();
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("Start one with ./runnel");
  }
}
