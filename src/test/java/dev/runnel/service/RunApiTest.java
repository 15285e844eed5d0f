package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RunApiTest {
  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    // One slot, taken for good: the runs of these tests stay queued.
    service = RunningService.withCommand(folder, "exec sleep 300", 1);
    service.awaitState(service.create("takes the slot"), "INPROGRESS");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Nested
  class Creating {
    @ParameterizedTest
    @ValueSource(strings = {"/agent/run", "/agent/runs"})
    void createReturnsTheNewRun(String path) {
      var created = service.ok(service.post(path, "{\"prompt\":\"hello\",\"unknown\":1}"));

      assertThat(created.get("run_id").asText()).matches("[0-9a-f-]{36}");
      assertThat(created.get("task_id")).isEqualTo(created.get("run_id"));
      assertThat(created.get("state").asText()).isEqualTo("QUEUED");
      var run = service.run(created.get("run_id").asText());
      assertThat(run.get("prompt").asText()).isEqualTo("hello");
      assertThat(run.get("title").asText()).isEqualTo("hello");
      assertThat(run.has("started_at")).isFalse();
      assertThat(run.has("session_link")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "{",
          "[]",
          "null",
          "{}",
          "{\"message\":\"no prompt\"}",
          "{\"prompt\":\" \"}",
          "{\"prompt\":7}",
          "{\"prompt\":\"a\",\"prompt\":\"b\"}",
          "{\"prompt\":\"a\"} {}",
          "{\"prompt\":\"a\",\"config\":\"text\"}",
          "{\"prompt\":\"a\",\"config\":{\"mcp_servers\":{\"s\":{\"url\":\"u\",\"command\":\"c\"}}}}",
          "{\"prompt\":\"a\",\"mode\":\"fast\"}",
          "{\"prompt\":\"a\",\"parent_run_id\":\"nobody\"}",
          "{\"prompt\":\"a\",\"metadata\":{\"bad key\":\"v\"}}",
          "{\"prompt\":\"a\",\"metadata\":{\"k\":null}}",
          "{\"prompt\":\"a\",\"metadata\":{\"k\":7}}",
        })
    void invalidRunRequestIsRejected(String body) {
      var answer = service.post("/agent/run", body);

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(problem(answer)).isEqualTo("invalid_request");
    }

    @Test
    void metadataSizeIsLimited() {
      assertThat(createWithMetadata(20, "é".repeat(128)).statusCode()).isEqualTo(200);
      assertThat(createWithMetadata(21, "v").statusCode()).isEqualTo(400);
      assertThat(createWithMetadata(1, "é".repeat(129)).statusCode()).isEqualTo(400);
    }

    @Test
    void runConfigurationIsKeptAsSentWithItsSecretsHidden() throws Exception {
      var config =
          JSON.readTree(
              """
              {"name":"n","model_id":"m","harness":{"type":"oz"},\
              "mcp_servers":{"s":{"command":"c","args":["a"],"env":{"K":"v"}}}}\
              """);
      var id = service.create(JSON.createObjectNode().put("prompt", "x").set("config", config));

      ((ObjectNode) config.at("/mcp_servers/s/env")).put("K", "***");
      assertThat(service.run(id).get("agent_config")).isEqualTo(config);
    }

    @Test
    void runKeepsEveryMemberOfItsConfigurationThatHasAnEffect() throws Exception {
      ObjectNode config;
      try (var golden =
          RunApiTest.class.getResourceAsStream("/golden/agent-run-api/agent-config.json")) {
        config = (ObjectNode) JSON.readTree(golden);
      }
      var first = config.get("skills").get(0);
      config.remove("skill_spec");
      ((ObjectNode) config.get("harness")).put("type", "oz");
      config.put("worker_host", "warp");
      config.remove(
          List.of(
              "harness_auth_secrets",
              "runner_id",
              "session_sharing",
              "memory_stores",
              "inference_providers",
              "secrets"));
      var id = service.create(JSON.createObjectNode().put("prompt", "x").set("config", config));

      config.remove(List.of("computer_use_model_id", "experimental"));
      config.set("skill_spec", first);
      ((ObjectNode) config.at("/mcp_servers/files/env")).put("TOKEN", "***");
      ((ObjectNode) config.at("/mcp_servers/docs/headers")).put("Authorization", "***");
      assertThat(service.run(id).get("agent_config")).isEqualTo(config);
    }

    @Test
    void imagesAreAcceptedUnderBothNamesAndTheirDataIsNotShown() {
      var body = JSON.createObjectNode().put("prompt", "x");
      var image = body.putArray("images").addObject();
      image.put("mime_type", "image/png").put("data", "aGVsbG8=");
      body.putArray("attachments")
          .addObject()
          .put("file_name", "screen.png")
          .put("mime_type", "image/png")
          .put("data", "aGVsbG8=");
      var id = service.create(body);

      assertThat(
              service
                  .ok(service.get("/agent/runs/" + id + "/handoff/attachments"))
                  .get("attachments")
                  .findValuesAsText("filename"))
          .containsExactly("screen.png", "image-2.png");
      assertThat(service.run(id).toString()).doesNotContain("aGVsbG8=");
      image.put("mime_type", "text/plain");
      assertThat(problem(service.post("/agent/runs", body.toString())))
          .isEqualTo("invalid_request");
    }

    @Test
    void runWithASkillInsteadOfAPromptIsNamedAfterTheSkill() {
      var id = service.create(JSON.createObjectNode().put("skill", "o/r:skills/review/SKILL.md"));
      var run = service.run(id);

      assertThat(run.at("/agent_config/name").asText()).isEqualTo("review");
      assertThat(run.at("/agent_config/skill_spec").asText())
          .isEqualTo("o/r:skills/review/SKILL.md");
    }

    @Test
    void childRunInheritsTheMetadataOfItsParent() {
      var parent = JSON.createObjectNode().put("prompt", "x");
      parent.putObject("metadata").put("a", "1").put("b", "1");
      var parentId = service.create(parent);
      var child = JSON.createObjectNode().put("prompt", "y").put("parent_run_id", parentId);
      child.putObject("metadata").put("b", "2");
      var run = service.run(service.create(child));

      assertThat(run.at("/metadata/a").asText()).isEqualTo("1");
      assertThat(run.at("/metadata/b").asText()).isEqualTo("2");
      assertThat(run.get("source").asText()).isEqualTo("ORCHESTRATION");
      assertThat(titles("ancestor_run_id=" + parentId)).containsExactly("y");
    }

    @Test
    void repeatedRequestWithTheSameKeyHasOneEffect() {
      var first = service.post("/agent/run", "{\"prompt\":\"keyed\"}", "key-1");
      var again = service.post("/agent/runs", "{\"prompt\":\"keyed\"}", "key-1");
      var other = service.post("/agent/runs", "{\"prompt\":\"keyed\"}", "key-2");

      assertThat(again.body()).isEqualTo(first.body());
      assertThat(other.body()).isNotEqualTo(first.body());
      assertThat(titles("q=keyed")).hasSize(2);
    }

    private static HttpResponse<String> createWithMetadata(int count, String value) {
      var body = JSON.createObjectNode().put("prompt", "x");
      var metadata = body.putObject("metadata");
      IntStream.range(0, count).forEach(i -> metadata.put("key-" + i, value));
      return service.post("/agent/runs", body.toString());
    }
  }

  @Nested
  class FollowingUp {
    @Test
    void followUpToAQueuedRunExtendsItsPrompt() {
      var id = service.create("first");
      var before = service.run(id).get("updated_at").asText();
      var answer = service.followUp(id, "second");

      assertThat(answer.get("outcome").asText()).isEqualTo("queued_prompt");
      assertThat(answer.get("followup_id").isNull()).isTrue();
      assertThat(service.run(id).get("prompt").asText()).isEqualTo("first\n\nsecond");
      assertThat(service.run(id).get("updated_at").asText()).isGreaterThan(before);
    }

    @Test
    void repeatedRequestWithTheSameKeyHasOneEffect() {
      var id = service.create("first");
      var path = "/agent/runs/" + id + "/followups";
      var first = service.post(path, "{\"message\":\"second\"}", "key");

      assertThat(service.post(path, "{\"message\":\"second\"}", "key").body())
          .isEqualTo(first.body());
      assertThat(service.run(id).get("prompt").asText()).isEqualTo("first\n\nsecond");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"prompt\":\"x\"}", "{\"message\":\"\"}", "{}", "x"})
    void followUpWithoutAMessageIsRejected(String body) {
      var answer = service.post("/agent/runs/" + service.create("x") + "/followups", body);

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(problem(answer)).isEqualTo("invalid_request");
    }

    @Test
    void followUpToAnUnknownRunIsRejected() {
      assertThat(problem(service.post("/agent/runs/nobody/followups", "{\"message\":\"x\"}")))
          .isEqualTo("resource_not_found");
    }
  }

  @Nested
  class Listing {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "limit=0",
          "limit=501",
          "limit=many",
          "state=DONE",
          "state=",
          "sort_by=color",
          "sort_order=up",
          "cursor=%25%25",
          "cursor=bm8",
          "created_after=yesterday",
          "created_after=%2B999999999-12-31T23:59:59Z",
          "metadata%5Bbad%20key%5D=x",
          "metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[d]=1&metadata[e]=1&metadata[f]=1",
        })
    void malformedListParametersAreRejected(String query) {
      var answer = service.get("/agent/runs?" + query.replace("[", "%5B").replace("]", "%5D"));

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(problem(answer)).isEqualTo("invalid_request");
    }

    @Test
    void listFiltersCanBeCombined() {
      var body = JSON.createObjectNode().put("prompt", "p").put("title", "filtered %_ title");
      body.putObject("config")
          .put("name", "nightly")
          .put("model_id", "m-1")
          .put("skill_spec", "o/r:s")
          .put("environment_id", "env-1");
      body.putObject("metadata").put("ticket", "T 1").put("team", "blue");
      var id = service.create(body);
      var created = service.run(id).get("created_at").asText();

      for (var query :
          List.of(
              "name=nightly",
              "config_name=nightly",
              "model_id=m-1",
              "environment_id=env-1",
              "skill_spec=o%2Fr:s",
              "q=FILTERED%20%25_",
              "q=" + id,
              "name=nightly&state=FAILED&state=QUEUED&source=API&creator=runnel",
              "metadata%5Bticket%5D=T%201&metadata%5Bteam%5D=blue",
              "name=nightly&created_after=2020-01-01T00:00:00Z&created_before=2999-01-01T00:00:00%2B02:00",
              "name=nightly&created_after=2020-01-01T00:00:00")) {
        assertThat(titles(query)).as(query).containsExactly("filtered %_ title");
      }
      for (var query :
          List.of(
              "name=other",
              "name=nightly&state=FAILED",
              "name=nightly&creator=somebody",
              "name=nightly&source=SLACK",
              "name=nightly&environment_id=empty-environment",
              "name=nightly&schedule_id=s",
              "name=nightly&artifact_type=PULL_REQUEST",
              "name=nightly&updated_after=2999-01-01T00:00:00Z",
              "name=nightly&created_after=" + created,
              "name=nightly&created_before=" + created,
              "metadata%5Bticket%5D=T%201&metadata%5Bteam%5D=red")) {
        assertThat(titles(query)).as(query).isEmpty();
      }
    }

    @ParameterizedTest
    @CsvSource({
      "updated_at,asc",
      "updated_at,desc",
      "created_at,asc",
      "created_at,desc",
      "title,asc",
      "title,desc"
    })
    void listPagesNeitherSkipNorRepeatRuns(String by, String order) {
      var tag = by + "-" + order;
      for (int i = 0; i < 7; i++) {
        create(tag, "run " + i % 3);
      }
      var query = "metadata%5Btag%5D=" + tag + "&limit=2&sort_by=" + by + "&sort_order=" + order;
      var ids = new ArrayList<String>();
      var page = service.ok(service.get("/agent/runs?" + query));
      while (true) {
        page.get("runs").forEach(run -> ids.add(run.get("run_id").asText()));
        if (!page.at("/page_info/has_next_page").asBoolean()) {
          break;
        }
        // Comes before the place of a descending list, and is not part of an ascending title list.
        if (order.equals("desc") && !by.equals("title")) {
          create(tag, "late");
        }
        page =
            service.ok(
                service.get(
                    "/agent/runs?"
                        + query
                        + "&cursor="
                        + page.at("/page_info/next_cursor").asText()));
      }

      assertThat(ids).hasSize(7).doesNotHaveDuplicates();
      assertThat(page.at("/page_info/next_cursor").isMissingNode()).isTrue();
    }

    @Test
    void cursorIsRejectedWithAnotherSortOrder() {
      create("order", "a");
      create("order", "b");
      var cursor =
          service.ok(service.get("/agent/runs?limit=1")).at("/page_info/next_cursor").asText();

      assertThat(service.get("/agent/runs?limit=1&sort_by=title&cursor=" + cursor).statusCode())
          .isEqualTo(400);
    }

    @Test
    void runListShowsAtMostTwentyRunsWithTheNewestChangeFirst() {
      IntStream.range(0, 21).forEach(i -> create("many", "many " + i));
      var first = service.ok(service.get("/agent/runs?metadata%5Btag%5D=many"));

      assertThat(first.get("runs")).hasSize(20);
      assertThat(first.at("/runs/0/title").asText()).isEqualTo("many 20");
      var times =
          StreamSupport.stream(first.get("runs").spliterator(), false)
              .map(run -> Instant.parse(run.get("updated_at").asText()))
              .toList();
      assertThat(times).isSortedAccordingTo(Comparator.reverseOrder());
      assertThat(times).doesNotHaveDuplicates();
    }

    private static void create(String tag, String title) {
      var body = JSON.createObjectNode().put("prompt", "x").put("title", title);
      body.putObject("metadata").put("tag", tag);
      service.create(body);
    }
  }

  @Nested
  class WhatIsNotThere {
    @ParameterizedTest
    @CsvSource({
      "GET,/agent/runs/,404,resource_not_found",
      "GET,/agent/runs/not-a-uuid,404,resource_not_found",
      "GET,/agent/runs/00000000-0000-0000-0000-000000000000,404,resource_not_found",
      "GET,/agent/runs/nobody/transcript,404,resource_not_found",
      "GET,/agent/runs/nobody/transcript/text,404,resource_not_found",
      "GET,/elsewhere,404,resource_not_found",
      "DELETE,/agent/runs,405,method_not_allowed",
      "GET,/agent/run,405,method_not_allowed",
    })
    void unknownRunOrRouteIsReportedAsAProblem(
        String method, String path, int status, String code) {
      var answer = service.send(service.request(path).method(method, BodyPublishers.noBody()));

      assertThat(answer.statusCode()).isEqualTo(status);
      assertThat(problem(answer)).isEqualTo(code);
    }

    @Test
    void allowHeaderListsAllMethodsOfAnAddress() {
      var answer =
          service.send(service.request("/agent/runs").method("DELETE", BodyPublishers.noBody()));

      assertThat(answer.headers().firstValue("Allow")).hasValue("GET, HEAD, POST");
    }

    @Test
    void truncatedBodyIsABadRequest() throws Exception {
      var request =
          """
          POST /api/v1/agent/run HTTP/1.1\r
          Host: localhost\r
          Authorization: Bearer %s\r
          Transfer-Encoding: chunked\r
          \r
          no length\r
          """
              .formatted(RunningService.KEY);

      try (var socket = new Socket(InetAddress.getLoopbackAddress(), service.uri("/").getPort())) {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.shutdownOutput();
        assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
            .startsWith("HTTP/1.1 400 ")
            .contains("invalid_request");
      }
    }

    @Test
    void aProblemCarriesTheCallersTrace() {
      var answer =
          service.send(
              service
                  .request("/elsewhere")
                  .header(
                      "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));

      assertThat(RunningService.json(answer).get("trace_id").asText())
          .isEqualTo("0af7651916cd43dd8448eb211c80319c");
    }
  }

  @Nested
  class TheKey {
    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer wrong", "Basic test-key", "test-key", "Bearer ä"})
    void requestWithoutAValidKeyIsRejected(String authorization) {
      var request = HttpRequest.newBuilder(service.uri("/api/v1/agent/runs"));
      if (!authorization.isEmpty()) {
        request.header("Authorization", authorization);
      }
      var answer = service.send(request);

      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(problem(answer)).isEqualTo("authentication_required");
      assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"/agent/runs", "/agent/runs/x", "/agent/run", "/agent/schedules", "/elsewhere"})
    void headRequestWithoutAKeyIsRejected(String path) {
      var answer =
          service.send(
              HttpRequest.newBuilder(service.uri("/api/v1" + path))
                  .method("HEAD", BodyPublishers.noBody()));

      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
    }

    @ParameterizedTest
    @CsvSource({"/agent/runs,200", "/agent/runs/x,404", "/agent/run,405", "/elsewhere,404"})
    void headRequestReturnsTheHeadersOfAGetRequest(String path, int status) {
      var answer = service.send(service.request(path).method("HEAD", BodyPublishers.noBody()));

      assertThat(answer.statusCode()).isEqualTo(status);
      assertThat(answer.headers().firstValue("Content-Type").orElse(""))
          .startsWith(status == 200 ? "application/json" : "application/problem+json");
      assertThat(answer.body()).isEmpty();
    }

    @Test
    void readOnlyKeyIsSufficientForAHeadRequest() {
      var key =
          RunningService.json(service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"read\"}"))
              .get("key")
              .asText();
      var answer =
          service.send(
              HttpRequest.newBuilder(service.uri("/api/v1/agent/runs"))
                  .header("Authorization", "Bearer " + key)
                  .method("HEAD", BodyPublishers.noBody()));

      assertThat(answer.statusCode()).isEqualTo(200);
    }

    @Test
    void signedTranscriptLinkWorksWithoutAKeyForItsRunOnly() {
      var id = service.create("x");
      var location =
          service
              .get("/agent/runs/" + id + "/transcript")
              .headers()
              .firstValue("Location")
              .orElseThrow();
      var other = location.replace(id, service.create("y"));

      assertThat(service.send(HttpRequest.newBuilder(service.uri(location))).statusCode())
          .isEqualTo(200);
      assertThat(service.send(HttpRequest.newBuilder(service.uri(other))).statusCode())
          .isEqualTo(404);
    }
  }

  private static List<String> titles(String query) {
    JsonNode page = service.ok(service.get("/agent/runs?" + query));
    return StreamSupport.stream(page.get("runs").spliterator(), false)
        .map(run -> run.get("title").asText())
        .toList();
  }
}
