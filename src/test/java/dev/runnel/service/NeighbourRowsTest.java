package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static dev.runnel.service.Probes.assertNotFound;
import static dev.runnel.service.Probes.assertRefused;
import static dev.runnel.service.Probes.assertTime;
import static dev.runnel.service.Probes.assertUuid;
import static dev.runnel.service.Probes.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Section 2.15 of the interface, but for factories: what there is besides runs.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class NeighbourRowsTest {
  /// Writes a plan and a file, and opens a pull request.
  private static final String CLAUDE =
      """
      #!/bin/sh
      head -n 1 > /dev/null
      printf 'My notes' > notes.md
      say() {
        printf '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"%s",' "$1"
        printf '"input":{"%s":"%s"}}]}}\\n' "$2" "$3"
      }
      say Write file_path "$PWD/notes.md"
      say ExitPlanMode plan '1. read'
      printf '{"type":"result","subtype":"success","is_error":false,'
      printf '"result":"See https://github.com/o/r/pull/7"}\\n'
      """;

  @TempDir static Path folder;
  private static RunningService service;
  private static JsonNode run;
  private static String id;

  @BeforeAll
  static void start() throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(program, CLAUDE);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    var shop = LocalRepository.make(folder.resolve("origin/acme/shop"));
    shop.commit("skills/review/SKILL.md", "---\ndescription: Reviews\n---\nBe kind.\n");
    shop.commit("skills/broken/SKILL.md", "---\nname: [broken\n---\nx\n");
    var web = EnvironmentRuns.web("web", List.of("true"), shop);
    var bare = EnvironmentRuns.web("bare", List.of());
    service =
        RunningService.inEnvironment(
            folder,
            Optional.of("cat"),
            Map.of("PATH", program.getParent() + ":" + System.getenv("PATH")),
            Setup.USUAL.with(new Environments(List.of(web, bare), Optional.of(bare), Map.of())));
    id =
        service.create(
            object(
                """
                {"prompt": "review it",
                 "config": {"harness": {"type": "claude"}, "environment_id": "web",
                   "skill_spec": "acme/shop:review"},
                 "attachments": [
                   {"file_name": "a.png", "mime_type": "image/png", "data": "aGVsbG8="}]}
                """));
    run = service.awaitState(id, "SUCCEEDED");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Row("2.15 GET /agent")
  void skillsAreListedWithWhereTheyAreAndWhenTheyRan() {
    for (var query : List.of("", "?repo=acme%2Fshop", "?refresh=true", "?sort_by=last_run")) {
      var agents = service.ok(service.get("/agent" + query)).get("agents");
      assertThat(agents).hasSize(1);
      assertThat(agents.at("/0/name").asText()).isEqualTo("review");
      var variant = agents.at("/0/variants/0");
      assertThat(variant.get("id").asText()).isEqualTo("acme/shop:skills/review/SKILL.md");
      assertThat(variant.get("description").asText()).isEqualTo("Reviews");
      assertThat(variant.get("base_prompt").asText()).contains("Be kind.");
      assertThat(variant.get("source"))
          .isEqualTo(
              object(
                  "{\"owner\":\"acme\",\"name\":\"shop\",\"skill_path\":\"skills/review/SKILL.md\"}"));
      assertThat(variant.at("/environments/0"))
          .isEqualTo(object("{\"uid\":\"web\",\"name\":\"web\"}"));
      assertThat(variant.get("last_run_timestamp")).isEqualTo(run.get("created_at"));
      assertThat(variant.has("error")).isFalse();
    }
    assertThat(service.ok(service.get("/agent?repo=acme%2Fother")).get("agents")).isEmpty();
    assertThat(service.ok(service.get("/agent?include_malformed_skills=true")).get("agents"))
        .hasSize(2)
        .anyMatch(each -> each.at("/variants/0/error").isTextual());
    assertInvalid(service.get("/agent?sort_by=size"));
    assertInvalid(service.get("/agent?refresh=1"));
  }

  @Row("2.15 GET /agent/environments")
  void environmentsAreListedWithTheirLastRun() {
    for (var query : List.of("", "?sort_by=name", "?sort_by=last_updated")) {
      var list = service.ok(service.get("/agent/environments" + query)).get("environments");
      assertThat(list).hasSize(2);
      var web = list.get(1);
      assertThat(web.get("setup_failed").isBoolean()).isTrue();
      assertThat(web.get("setup_failed").booleanValue()).isFalse();
      assertThat(web.get("uid").asText()).isEqualTo("web");
      assertThat(web.at("/config/name").asText()).isEqualTo("web");
      assertThat(web.at("/config/github_repos/0"))
          .isEqualTo(object("{\"owner\":\"acme\",\"repo\":\"shop\"}"));
      assertThat(web.at("/config/setup_commands/0").asText()).isEqualTo("true");
      assertTime(web.get("last_updated"));
      assertThat(web.at("/last_task_created/id").asText()).isEqualTo(id);
      assertThat(web.at("/scope/type").asText()).isEqualTo("Team");
    }
    assertInvalid(service.get("/agent/environments?sort_by=size"));
  }

  @Row("2.15 GET /agent/models")
  void modelsAreListedWithTheUsualOne() {
    var models = service.ok(service.get("/agent/models"));

    assertThat(models.get("models").findValuesAsText("id"))
        .contains(models.get("default_model_id").asText(), "sonnet");
    for (var model : models.get("models")) {
      assertThat(model.get("display_name").asText()).isNotBlank();
      assertThat(model.get("provider").asText()).isNotBlank();
      assertThat(model.get("vision_supported").isBoolean()).isTrue();
    }
  }

  @Row("2.15 identities: create")
  void anIdentityIsCreatedWith201() {
    var answer = service.post("/agent/identities", "{\"name\":\"a\",\"new\":1}");

    assertThat(answer.statusCode()).isEqualTo(201);
    var identity = json(answer);
    assertUuid(identity.get("uid"));
    assertThat(identity.get("name").asText()).isEqualTo("a");
    assertThat(identity.get("available").booleanValue()).isTrue();
    assertTime(identity.get("created_at"));
    assertThat(identity.get("new").intValue()).isEqualTo(1);
    for (var wrong : List.of("{}", "{\"name\":\"\"}", "{\"name\":7}", "[]")) {
      assertInvalid(service.post("/agent/identities", wrong));
    }
    delete("/agent/identities/" + identity.get("uid").asText());
  }

  @Row("2.15 identities: list")
  void identitiesAreListed() {
    var uid = identity("{\"name\":\"listed\"}");

    assertThat(service.ok(service.get("/agent/identities")).get("agents").findValuesAsText("uid"))
        .contains(uid);
    delete("/agent/identities/" + uid);
  }

  @Row("2.15 identities: read")
  void anIdentityIsReadAndConfiguresItsRuns() {
    var uid =
        identity(
            """
            {"name": "kind", "prompt": "Be kind", "base_model": "m", "environment_id": "bare",
             "skills": ["o/r:review", "o/r:other"], "harness": {"type": "oz"}}
            """);
    var read = service.ok(service.get("/agent/identities/" + uid));
    assertThat(read.get("prompt").asText()).isEqualTo("Be kind");
    assertNotFound(service.get("/agent/identities/nobody"));

    var body = object("{\"prompt\":\"x\"}").put("agent_identity_uid", uid);
    var config = service.run(service.create(body)).get("agent_config");
    assertThat(config)
        .isEqualTo(
            object(
                """
                {"name": "kind", "base_prompt": "Be kind", "model_id": "m",
                 "environment_id": "bare", "skills": ["o/r:review", "o/r:other"],
                 "skill_spec": "o/r:review", "harness": {"type": "oz"}}
                """));
    body.putObject("config").put("skill_spec", "o/r:own").put("name", "own");
    var own = service.run(service.create(body)).get("agent_config");
    assertThat(own.get("skill_spec").asText()).isEqualTo("o/r:own");
    assertThat(own.get("name").asText()).isEqualTo("own");
    assertThat(own.has("skills")).isFalse();
    delete("/agent/identities/" + uid);
  }

  @Row("2.15 identities: update")
  void anIdentityIsChanged() {
    var uid = identity("{\"name\":\"a\",\"prompt\":\"p\"}");

    var changed = service.ok(put("/agent/identities/" + uid, "{\"name\":\"b\"}"));
    assertThat(changed.get("name").asText()).isEqualTo("b");
    assertThat(changed.get("prompt").asText()).isEqualTo("p");
    assertThat(service.ok(service.get("/agent/identities/" + uid))).isEqualTo(changed);
    assertInvalid(put("/agent/identities/" + uid, "{\"name\":7}"));
    assertNotFound(put("/agent/identities/nobody", "{\"name\":\"b\"}"));
    delete("/agent/identities/" + uid);
  }

  @Row("2.15 identities: delete")
  void anIdentityIsDeletedWith204() {
    var path = "/agent/identities/" + identity("{\"name\":\"a\"}");

    var answer = delete(path);
    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.body()).isEmpty();
    assertNotFound(delete(path));
  }

  @Row("2.15 identities: keep or clear")
  void whatIsLeftOutOrNullStaysAndWhatIsEmptyClears() {
    var uid =
        identity(
            """
            {"name": "a", "prompt": "p", "base_model": "m", "skills": ["o/r:s"],
             "secrets": [], "harness": {"type": "oz"}, "description": "d"}
            """);

    var kept = service.ok(put("/agent/identities/" + uid, "{\"name\":null,\"prompt\":null}"));
    assertThat(kept.get("prompt").asText()).isEqualTo("p");
    assertThat(kept.at("/skills/0").asText()).isEqualTo("o/r:s");
    var cleared =
        service.ok(
            put(
                "/agent/identities/" + uid,
                "{\"prompt\":\"\",\"skills\":[],\"secrets\":[],\"harness\":{}}"));
    assertThat(cleared.has("prompt")).isFalse();
    assertThat(cleared.get("skills")).isEmpty();
    assertThat(cleared.get("secrets")).isEmpty();
    assertThat(cleared.has("harness")).isFalse();
    assertThat(cleared.get("base_model").asText()).isEqualTo("m");
    assertThat(cleared.get("description").asText()).isEqualTo("d");
    assertInvalid(put("/agent/identities/" + uid, "{\"name\":\"\"}"));
    delete("/agent/identities/" + uid);
  }

  @Row("2.15 schedules: create")
  void aScheduleIsCreatedWith201() {
    var answer =
        service.post(
            "/agent/schedules",
            """
            {"name": "nightly", "cron_schedule": "30 2 * * *", "prompt": "tidy", "mode": "plan",
             "agent_config": {"name": "n"}, "metadata": {"k": "v"}, "new": 1}
            """);
    assertThat(answer.statusCode()).isEqualTo(201);
    var schedule = json(answer);
    assertUuid(schedule.get("id"));
    assertThat(schedule.get("enabled").booleanValue()).isTrue();
    assertThat(schedule.get("mode").asText()).isEqualTo("plan");
    assertThat(schedule.get("agent_config")).isEqualTo(object("{\"name\":\"n\"}"));
    assertThat(schedule.get("metadata")).isEqualTo(object("{\"k\":\"v\"}"));
    assertTime(schedule.at("/history/next_run"));
    assertThat(schedule.at("/history/next_run").asText()).endsWith("T02:30:00Z");
    assertThat(schedule.get("history").has("last_ran")).isFalse();
    assertThat(schedule.has("last_spawn_error")).isFalse();
    for (var wrong :
        List.of(
            "{\"prompt\":\"p\",\"cron_schedule\":\"* * * * *\"}",
            "{\"name\":\"n\",\"prompt\":\"p\"}",
            "{\"name\":\"n\",\"cron_schedule\":\"* * * * *\"}",
            "{\"name\":\"n\",\"prompt\":\"p\",\"cron_schedule\":\"0 * * * * *\"}",
            "{\"name\":\"n\",\"prompt\":\"p\",\"cron_schedule\":\"61 * * * *\"}",
            "{\"name\":7,\"prompt\":\"p\",\"cron_schedule\":\"1 * * * *\"}",
            "{\"name\":\"n\",\"prompt\":\"p\",\"cron_schedule\":\"1 * * * *\",\"enabled\":\"no\"}",
            "{\"name\":\"n\",\"prompt\":\"p\",\"cron_schedule\":\"1 * * * *\",\"mode\":\"x\"}")) {
      assertInvalid(service.post("/agent/schedules", wrong));
    }
    delete("/agent/schedules/" + schedule.get("id").asText());
  }

  @Row("2.15 schedules: list")
  void schedulesAreListedByName() {
    var second = schedule("b");
    var first = schedule("a");

    assertThat(service.ok(service.get("/agent/schedules")).get("schedules").findValuesAsText("id"))
        .containsExactly(first, second);
    delete("/agent/schedules/" + first);
    delete("/agent/schedules/" + second);
  }

  @Row("2.15 schedules: read")
  void aScheduleIsRead() {
    var schedule = schedule("a");

    var read = service.ok(service.get("/agent/schedules/" + schedule));
    assertThat(read.get("cron_schedule").asText()).isEqualTo("30 2 * * *");
    assertThat(read.get("prompt").asText()).isEqualTo("tidy");
    assertNotFound(service.get("/agent/schedules/none"));
    delete("/agent/schedules/" + schedule);
  }

  @Row("2.15 schedules: update")
  void aScheduleIsReplaced() {
    var path = "/agent/schedules/" + schedule("a");
    var body =
        "{\"name\":\"b\",\"cron_schedule\":\"0 9 * * 1\",\"enabled\":false,\"prompt\":\"report\"}";

    var changed = service.ok(put(path, body));
    assertThat(changed.get("name").asText()).isEqualTo("b");
    assertThat(changed.get("enabled").booleanValue()).isFalse();
    assertThat(changed.get("history").has("next_run")).isFalse();
    assertThat(service.ok(service.get(path))).isEqualTo(changed);
    assertInvalid(put(path, body.replace("\"enabled\":false,", "")));
    assertInvalid(put(path, body.replace("\"b\"", "7")));
    assertNotFound(put("/agent/schedules/none", body));
    delete(path);
  }

  @Row("2.15 schedules: delete")
  void aScheduleIsDeletedWith200() {
    var path = "/agent/schedules/" + schedule("a");

    assertThat(service.ok(delete(path))).isEqualTo(object("{\"success\":true}"));
    assertNotFound(delete(path));
  }

  @Row("2.15 schedules: pause, resume")
  void aSchedulePausesAndGoesOn() {
    var path = "/agent/schedules/" + schedule("a");

    var paused = service.ok(service.post(path + "/pause", ""));
    assertThat(paused.get("enabled").booleanValue()).isFalse();
    assertThat(paused.get("history").has("next_run")).isFalse();
    var resumed = service.ok(service.post(path + "/resume", ""));
    assertThat(resumed.get("enabled").booleanValue()).isTrue();
    assertTime(resumed.at("/history/next_run"));
    assertNotFound(service.post("/agent/schedules/none/pause", ""));
    assertNotFound(service.post("/agent/schedules/none/resume", ""));
    delete(path);
  }

  @Row("2.15 GET /agent/artifacts/{uid}")
  void aPlanIsInTheAnswerAndAFileAtASignedAddress() {
    var plan = service.ok(service.get("/agent/artifacts/" + uid("PLAN")));
    assertThat(plan.at("/data/content").asText()).isEqualTo("1. read");
    assertThat(plan.at("/data/content_type").asText()).startsWith("text/markdown");
    assertThat(plan.at("/data/notebook_uid")).isEqualTo(plan.at("/data/document_uid"));

    var file = service.ok(service.get("/agent/artifacts/" + uid("FILE"))).get("data");
    assertThat(Instant.parse(file.get("expires_at").asText())).isAfter(Instant.now());
    assertThat(file.get("content_type").asText()).contains("/");
    assertThat(open(file.get("download_url").asText()).body()).isEqualTo("My notes");
    assertNotFound(service.get("/agent/artifacts/none"));
  }

  @Row("2.15 artifacts: download")
  void aDownloadLeadsToASignedAddress() {
    var answer = service.get("/agent/artifacts/" + uid("FILE") + "/download");

    assertThat(answer.statusCode()).isEqualTo(302);
    var location = answer.headers().firstValue("Location").orElseThrow();
    assertThat(open(location).body()).isEqualTo("My notes");
    assertNotFound(open(location.replaceAll("[?].*", "")));
    assertNotFound(service.get("/agent/artifacts/none/download"));
  }

  @Row("2.15 GET /agent/sessions/{uuid}/redirect")
  void aSessionLeadsToItsConversationWithoutAKey() {
    var session = run.get("session_id").asText();

    assertThat(json(open("/api/v1/agent/sessions/" + session + "/redirect")))
        .isEqualTo(object("{}").set("conversation_id", run.get("conversation_id")));
    assertNotFound(open("/api/v1/agent/sessions/none/redirect"));
  }

  @Row("2.15 GET /agent/conversations/{id}/redirect")
  void aConversationLeadsToItsSessionWithoutAKey() {
    var conversation = run.get("conversation_id").asText();

    assertThat(json(open("/api/v1/agent/conversations/" + conversation + "/redirect")))
        .isEqualTo(object("{}").set("session_id", run.get("session_id")));
    assertNotFound(open("/api/v1/agent/conversations/none/redirect"));
  }

  @Row("2.15 GET /agent/conversations/{id}")
  void aConversationHasStepsOfMessages() {
    var conversation = run.get("conversation_id");
    var read = service.ok(service.get("/agent/conversations/" + conversation.asText()));

    assertThat(read.get("conversation_id")).isEqualTo(conversation);
    var step = read.at("/steps/0");
    assertThat(step.get("id").asText()).isNotBlank();
    assertThat(step.get("steps").isArray()).isTrue();
    for (var message : step.get("messages")) {
      assertThat(message.get("role").asText()).isIn("user", "assistant", "tool", "system");
      assertThat(message.get("content"))
          .allSatisfy(
              part ->
                  assertThat(part.get("type").asText())
                      .isIn("text", "action", "action_result", "event"));
    }
    assertThat(step.at("/messages/0/content/0/text").asText()).isEqualTo("review it");
    assertNotFound(service.get("/agent/conversations/none"));
  }

  @Row("2.15 GET /agent/runs/{id}/conversation")
  void aRunsConversationIsItsOwnPart() {
    var read = service.ok(service.get("/agent/runs/" + id + "/conversation"));

    assertThat(read.get("conversation_id")).isEqualTo(run.get("conversation_id"));
    assertThat(read.get("steps")).hasSize(1);
    assertNotFound(service.get("/agent/runs/nobody/conversation"));
  }

  @Row("2.15 GET /agent/runs/{id}/transcript")
  void aTranscriptIsAtASignedAddress() {
    var answer = service.get("/agent/runs/" + id + "/transcript");

    assertThat(answer.statusCode()).isEqualTo(302);
    var location = answer.headers().firstValue("Location").orElseThrow();
    var text = open(location);
    assertThat(text.statusCode()).isEqualTo(200);
    assertThat(text.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
    assertNotFound(open(location.replaceAll("[?].*", "")));
    assertNotFound(service.get("/agent/runs/nobody/transcript"));
  }

  @Row("2.15 GET /agent/runs/{id}/timeline")
  void aTimelineHasEventsInTheirOrder() {
    var events = service.ok(service.get("/agent/runs/" + id + "/timeline")).get("events");

    assertThat(events.findValuesAsText("event_type"))
        .startsWith("oz_run_created", "oz_run_claimed")
        .contains("shared_session_started", "agent_started")
        .endsWith("oz_run_done");
    for (var event : events) {
      assertUuid(event.get("event_uuid"));
      assertThat(event.get("run_id").asText()).isEqualTo(id);
      assertTime(event.get("occurred_at"));
    }
    assertThat(events.findValuesAsText("occurred_at")).isSorted();
    assertNotFound(service.get("/agent/runs/nobody/timeline"));
  }

  @Row("2.15 GET /agent/runs/{id}/handoff/attachments")
  void whatCameWithAPromptIsListed() {
    var attachment =
        service.ok(service.get("/agent/runs/" + id + "/handoff/attachments")).at("/attachments/0");

    assertThat(attachment.get("attachment_id").asText()).isNotBlank();
    assertThat(attachment.get("filename").asText()).isEqualTo("a.png");
    assertThat(attachment.get("mime_type").asText()).isEqualTo("image/png");
    assertThat(open(attachment.get("download_url").asText()).body()).isEqualTo("hello");
    assertNotFound(service.get("/agent/runs/nobody/handoff/attachments"));
  }

  @Row("2.15 POST /agent/runs/{id}/interrupt")
  void nothingIsInterruptedHere() {
    var answer = service.post("/agent/runs/" + id + "/interrupt", "");

    assertRefused(answer, 422, "operation_not_supported");
    assertThat(json(answer).get("detail").asText()).contains("Cancel");
    assertNotFound(service.post("/agent/runs/nobody/interrupt", ""));
  }

  @Row("2.15 attachments/prepare, conversation follow-ups, messages")
  void whatThisServiceDoesNotHaveIsNotFound() {
    assertNotFound(service.post("/agent/runs/" + id + "/attachments/prepare", "{}"));
    assertNotFound(service.post("/agent/conversations/none/followups", "{\"message\":\"x\"}"));
    assertNotFound(service.get("/agent/messages"));
    assertNotFound(service.post("/agent/messages", "{}"));
  }

  @Row("2.15 GET /agent/run-by-external-reference")
  void aRunIsFoundByWhatItMade() {
    var path = "/agent/run-by-external-reference";

    assertThat(service.ok(service.get(path + "?url=https%3A%2F%2Fgithub.com%2Fo%2Fr%2Fpull%2F7")))
        .isEqualTo(object("{}").put("run_id", id));
    assertNotFound(service.get(path + "?url=https%3A%2F%2Fgithub.com%2Fo%2Fr%2Fpull%2F8"));
    assertInvalid(service.get(path));
    assertInvalid(service.get(path + "?url="));
  }

  @Row("2.15 GET /agent/connected-self-hosted-workers")
  void noWorkersAreConnected() {
    assertThat(service.ok(service.get("/agent/connected-self-hosted-workers")))
        .isEqualTo(object("{\"workers\":[]}"));
  }

  @Row("2.15 events")
  void eventsAreNotPolledHere() {
    assertNotFound(service.get("/agent/events?after=0"));
  }

  private static String uid(String type) {
    for (var artifact : run.get("artifacts")) {
      if (artifact.get("artifact_type").asText().equals(type)) {
        return artifact.at("/data/artifact_uid").asText();
      }
    }
    throw new AssertionError("No " + type + " in " + run.get("artifacts"));
  }

  private static String identity(String body) {
    return json(service.post("/agent/identities", body)).get("uid").asText();
  }

  private static String schedule(String name) {
    ObjectNode body = object("{\"cron_schedule\":\"30 2 * * *\",\"prompt\":\"tidy\"}");
    return json(service.post("/agent/schedules", body.put("name", name).toString()))
        .get("id")
        .asText();
  }

  /// Without a key.
  ///
  /// @param address as the outside sees it, or without its host
  private static HttpResponse<String> open(String address) {
    var uri = URI.create(address);
    var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return service.send(HttpRequest.newBuilder(service.uri(uri.getRawPath() + query)));
  }

  private static HttpResponse<String> put(String path, String body) {
    return service.send(service.request(path).PUT(BodyPublishers.ofString(body)));
  }

  private static HttpResponse<String> delete(String path) {
    return service.send(service.request(path).DELETE());
  }

  private static JsonNode json(HttpResponse<String> answer) {
    return RunningService.json(answer);
  }
}
