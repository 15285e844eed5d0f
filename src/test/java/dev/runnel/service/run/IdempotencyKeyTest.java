package dev.runnel.service.run;

import static dev.runnel.service.Probes.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.RunningService;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A request that is repeated under its `Idempotency-Key` has one effect. The key is the caller's
/// alone, and belongs to one request.
@Tag("slow")
class IdempotencyKeyTest {
  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    service = RunningService.withCommand(folder, "exec sleep 300", 1);
    service.awaitState(service.create("takes the slot"), "INPROGRESS");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void theKeyOfAnotherCallerIsAnotherKey() {
    var ours = service.post("/agent/runs", "{\"prompt\":\"x\"}", "shared");
    var theirs = as(key("runs"), "/agent/runs", "{\"prompt\":\"x\"}", "shared");

    assertThat(theirs.statusCode()).isEqualTo(200);
    assertThat(id(theirs)).isNotEqualTo(id(ours));
    assertThat(service.post("/agent/runs", "{\"prompt\":\"x\"}", "shared").body())
        .isEqualTo(ours.body());
  }

  @Test
  void anotherBodyUnderTheSameKeyIsRefused() {
    var first = service.post("/agent/runs", "{\"prompt\":\"one\"}", "creation");
    var other = service.post("/agent/runs", "{\"prompt\":\"two\"}", "creation");

    assertRefused(other, 422, "operation_not_supported");
    assertThat(RunningService.json(other).get("detail").asText()).contains("Idempotency-Key");
    assertThat(service.post("/agent/runs", "{\"prompt\":\"one\"}", "creation").body())
        .isEqualTo(first.body());
  }

  @Test
  void differentMessageUnderTheSameKeyIsRefused() {
    var id = service.create("x");
    var path = "/agent/runs/" + id + "/followups";
    service.ok(service.post(path, "{\"message\":\"one\"}", "message"));

    assertRefused(
        service.post(path, "{\"message\":\"two\"}", "message"), 422, "operation_not_supported");
    assertThat(service.run(id).get("prompt").asText()).isEqualTo("x\n\none");
  }

  @Test
  void responseWithoutAStoredRequestBodyIsReturnedAgain(@TempDir Path other) {
    try (var before = RunningService.withCommand(other, "exec sleep 300", 1)) {
      var first = before.post("/agent/runs", "{\"prompt\":\"x\"}", "old");
      try (var database = Database.sqlite(other.resolve("agent-runs.db"))) {
        database.write(rows -> rows.change("UPDATE answers SET request = NULL"));
      }

      assertThat(before.post("/agent/runs", "{\"prompt\":\"x\"}", "old").body())
          .isEqualTo(first.body());
    }
  }

  private static String key(String scope) {
    return RunningService.json(
            service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"" + scope + "\"}"))
        .get("key")
        .asText();
  }

  private static HttpResponse<String> as(String key, String path, String body, String name) {
    return service.send(
        service
            .request(path)
            .setHeader("Authorization", "Bearer " + key)
            .header("Idempotency-Key", name)
            .POST(BodyPublishers.ofString(body)));
  }

  private static String id(HttpResponse<String> created) {
    return service.ok(created).get("run_id").asText();
  }
}
