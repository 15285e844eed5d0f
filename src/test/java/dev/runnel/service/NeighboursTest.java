package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the interface has besides runs.
@Tag("slow")
class NeighboursTest {
  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    service =
        RunningService.withCommand(
            folder,
            "cat; echo https://github.com/o/r/pull/7; test -z \"$RUNNEL_SLOW\" || sleep 60");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Nested
  class Identities {
    @Test
    void identitiesAreCreatedChangedAndDeleted() throws Exception {
      var created =
          service.post(
              "/agent/identities",
              "{\"name\":\"reviewer\",\"prompt\":\"Be"
                  + " kind\",\"skills\":[\"o/r:review\"],\"new\":1}");
      assertThat(created.statusCode()).isEqualTo(201);
      var uid = json(created).get("uid").asText();
      assertThat(json(created).get("available").asBoolean()).isTrue();
      assertThat(json(created).get("new").asInt()).isEqualTo(1);

      var changed =
          put(
              "/agent/identities/" + uid,
              "{\"name\":null,\"prompt\":\"\",\"skills\":[],\"base_model\":\"fast\"}");
      assertThat(changed.statusCode()).isEqualTo(200);
      assertThat(json(changed).get("name").asText()).isEqualTo("reviewer");
      assertThat(json(changed).has("prompt")).isFalse();
      assertThat(json(changed).get("skills")).isEmpty();
      assertThat(json(changed).get("base_model").asText()).isEqualTo("fast");
      assertThat(json(service.get("/agent/identities/" + uid))).isEqualTo(json(changed));
      assertThat(service.ok(service.get("/agent/identities")).get("agents")).hasSize(1);

      assertThat(delete("/agent/identities/" + uid).statusCode()).isEqualTo(204);
      assertThat(problem(service.get("/agent/identities/" + uid))).isEqualTo("resource_not_found");
      assertThat(problem(delete("/agent/identities/" + uid))).isEqualTo("resource_not_found");
    }

    @Test
    void identityWithoutANameIsRejected() {
      assertThat(problem(service.post("/agent/identities", "{}"))).isEqualTo("invalid_request");
    }

    @Test
    void identityConfiguresTheRunsThatNameIt() throws Exception {
      var uid =
          json(service.post(
                  "/agent/identities",
                  "{\"name\":\"writer\",\"prompt\":\"Write well\",\"base_model\":\"big\"}"))
              .get("uid")
              .asText();

      var run =
          service.run(
              service.create(
                  JSON.createObjectNode().put("prompt", "x").put("agent_identity_uid", uid)));

      assertThat(run.at("/agent_config/base_prompt").asText()).isEqualTo("Write well");
      assertThat(run.at("/agent_config/model_id").asText()).isEqualTo("big");
      assertThat(run.at("/agent_config/name").asText()).isEqualTo("writer");
      assertThat(run.at("/executor/uid").asText()).isEqualTo(uid);
      delete("/agent/identities/" + uid);
    }

    @Test
    void runWithAnUnknownIdentityIsRejected() {
      assertThat(
              problem(
                  service.post(
                      "/agent/runs", "{\"prompt\":\"x\",\"agent_identity_uid\":\"nobody\"}")))
          .isEqualTo("invalid_request");
    }
  }

  @Nested
  class Schedules {
    @Test
    void schedulesArePausedResumedChangedAndDeleted() throws Exception {
      var created =
          service.post(
              "/agent/schedules",
              """
              {"name": "nightly", "cron_schedule": "30 2 * * *", "prompt": "tidy up", "new": 1}
              """);
      assertThat(created.statusCode()).isEqualTo(201);
      var id = json(created).get("id").asText();
      assertThat(json(created).get("enabled").asBoolean()).isTrue();
      assertThat(json(created).at("/history/next_run").asText()).endsWith("T02:30:00Z");
      assertThat(json(created).get("new").asInt()).isEqualTo(1);

      var paused = service.ok(service.post("/agent/schedules/" + id + "/pause", ""));
      assertThat(paused.get("enabled").asBoolean()).isFalse();
      assertThat(paused.get("history").has("next_run")).isFalse();
      var resumed = service.ok(service.post("/agent/schedules/" + id + "/resume", ""));
      assertThat(resumed.at("/history/next_run").asText()).endsWith("T02:30:00Z");

      var changed =
          put(
              "/agent/schedules/" + id,
              """
              {"name": "weekly", "cron_schedule": "0 9 * * 1", "enabled": true, "prompt": "report"}
              """);
      assertThat(json(changed).get("name").asText()).isEqualTo("weekly");
      assertThat(json(changed).at("/history/next_run").asText()).endsWith("T09:00:00Z");
      assertThat(service.ok(service.get("/agent/schedules")).get("schedules")).hasSize(1);

      assertThat(delete("/agent/schedules/" + id).body()).isEqualTo("{\"success\":true}");
      assertThat(problem(service.get("/agent/schedules/" + id))).isEqualTo("resource_not_found");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "{}",
          "{\"name\":\"n\",\"prompt\":\"p\"}",
          "{\"name\":\"n\",\"cron_schedule\":\"* * * * *\"}",
          "{\"cron_schedule\":\"* * * * *\",\"prompt\":\"p\"}",
          "{\"name\":\"n\",\"cron_schedule\":\"soon\",\"prompt\":\"p\"}",
          "{\"name\":\"n\",\"cron_schedule\":\"0 0 9 * * 1\",\"prompt\":\"p\"}",
          "{\"name\":\"n\",\"cron_schedule\":\"61 * * * *\",\"prompt\":\"p\"}",
        })
    void invalidSchedulesAreRefused(String body) {
      assertThat(problem(service.post("/agent/schedules", body))).isEqualTo("invalid_request");
    }
  }

  @Nested
  class Keys {
    @Test
    void keysWorkUntilTheyAreRevoked() throws Exception {
      var created = service.post("/agent/keys", "{\"name\":\"ci\",\"scope\":\"runs\"}");
      assertThat(created.statusCode()).isEqualTo(201);
      var key = json(created).get("key").asText();
      var id = json(created).get("id").asText();

      var run = json(with(key, "/agent/runs", "{\"prompt\":\"by ci\"}"));
      assertThat(service.run(run.get("run_id").asText()).at("/creator/display_name").asText())
          .isEqualTo("ci");
      assertThat(
              service.ok(service.get("/agent/runs?creator=" + id)).get("runs").get(0).get("run_id"))
          .isEqualTo(run.get("run_id"));
      assertThat(problem(with(key, "/agent/keys", "{\"name\":\"more\"}")))
          .isEqualTo("not_authorized");

      assertThat(delete("/agent/keys/" + id).statusCode()).isEqualTo(204);
      assertThat(problem(with(key, "/agent/runs", "{\"prompt\":\"x\"}")))
          .isEqualTo("authentication_required");
      assertThat(service.get("/agent/keys").body()).doesNotContain(key).contains("revoked_at");
    }

    @Test
    void readOnlyKeyCannotStartARun() throws Exception {
      var key =
          json(service.post("/agent/keys", "{\"name\":\"board\",\"scope\":\"read\"}"))
              .get("key")
              .asText();

      assertThat(problem(with(key, "/agent/runs", "{\"prompt\":\"x\"}")))
          .isEqualTo("not_authorized");
      assertThat(
              service
                  .send(
                      HttpRequest.newBuilder(service.uri("/api/v1/agent/runs"))
                          .header("Authorization", "Bearer " + key))
                  .statusCode())
          .isEqualTo(200);
    }

    private static HttpResponse<String> with(String key, String path, String body) {
      return service.send(
          HttpRequest.newBuilder(service.uri("/api/v1" + path))
              .header("Authorization", "Bearer " + key)
              .POST(BodyPublishers.ofString(body)));
    }
  }

  @Nested
  class OfARun {
    @Test
    void timelineListsTheEventsOfARun() {
      var id = service.create("hello");
      service.awaitState(id, "SUCCEEDED");

      assertThat(service.ok(service.get("/agent/runs/" + id + "/timeline")).get("events"))
          .extracting(event -> event.get("event_type").asText())
          .containsExactly(
              "oz_run_created",
              "oz_run_claimed",
              "shared_session_started",
              "worker_container_ready",
              "agent_started",
              "oz_run_done");
    }

    @Test
    void sessionAndConversationRedirectToEachOtherWithoutAKey() {
      var id = service.create("hello");
      var run = service.awaitState(id, "SUCCEEDED");

      var session = run.get("session_id").asText();
      var conversation = run.get("conversation_id").asText();
      assertThat(open("/agent/sessions/" + session + "/redirect").get("conversation_id").asText())
          .isEqualTo(conversation);
      assertThat(
              open("/agent/conversations/" + conversation + "/redirect").get("session_id").asText())
          .isEqualTo(session);
    }

    @Test
    void externalReferenceFindsItsRun() {
      var id = service.create("hello");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> !service.run(id).path("artifacts").isEmpty());

      assertThat(
              service
                  .ok(
                      service.get(
                          "/agent/run-by-external-reference?url=https%3A%2F%2Fgithub.com%2Fo%2Fr%2Fpull%2F7"))
                  .get("run_id")
                  .asText())
          .isNotBlank();
      assertThat(problem(service.get("/agent/run-by-external-reference?url=https%3A%2F%2Fx%2Fy")))
          .isEqualTo("resource_not_found");
      assertThat(problem(service.get("/agent/run-by-external-reference")))
          .isEqualTo("invalid_request");
    }

    @Test
    void runShowsEverythingThatWasRequested() throws Exception {
      var asked =
          JSON.readTree(
              """
              {"prompt": "x", "team": false, "interactive": true, "on_behalf_of": "a@example.org",
               "a_member_of_next_year": {"y": 1}}
              """);

      var run = service.run(service.create((ObjectNode) asked));

      assertThat(run.at("/scope/type").asText()).isEqualTo("User");
      assertThat(run.at("/creator/email").asText()).isEqualTo("a@example.org");
      assertThat(run.at("/executor/type").asText()).isEqualTo("service_account");
      assertThat(run.get("a_member_of_next_year")).isEqualTo(asked.get("a_member_of_next_year"));
      assertThat(run.get("prompt").asText()).isEqualTo("x");
    }

    private static JsonNode open(String path) {
      return json(service.send(HttpRequest.newBuilder(service.uri("/api/v1" + path))));
    }
  }

  private static HttpResponse<String> put(String path, String body) {
    return service.send(service.request(path).PUT(BodyPublishers.ofString(body)));
  }

  private static HttpResponse<String> delete(String path) {
    return service.send(service.request(path).DELETE());
  }

  private static JsonNode json(HttpResponse<String> response) {
    return RunningService.json(response);
  }
}
