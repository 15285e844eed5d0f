package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static dev.runnel.service.Probes.assertNotFound;
import static dev.runnel.service.Probes.assertRefused;
import static dev.runnel.service.Probes.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Sections 2.2, 2.11, 2.12 and 2.14 of the interface: the five addresses of runs, follow-ups and
/// cancellations.
@Tag("slow")
@ResourceLock("SteeringRowsTest")
@DisplayNameGeneration(Row.Names.class)
class SteeringRowsTest {
  private static final String COMMAND =
      "read -r line; case \"$RUNNEL_EXECUTION$line\" in 1wait*) exec sleep 300;; esac;"
          + " echo \"$line\"; cat";
  private static final String NOBODY = "00000000-0000-0000-0000-000000000000";

  @TempDir static Path folder;
  @TempDir static Path other;
  private static RunningService service;

  /// Its slot is taken for good: runs stay queued.
  private static RunningService full;

  private static String readingKey;

  @BeforeAll
  static void start() {
    service = RunningService.withCommand(folder, COMMAND, 4);
    full = RunningService.withCommand(other, "exec sleep 300", 1);
    full.awaitState(full.create("takes the slot"), "INPROGRESS");
    readingKey =
        RunningService.json(service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"read\"}"))
            .get("key")
            .asText();
  }

  @AfterAll
  static void stop() {
    full.close();
    service.close();
  }

  @Row("2.2 create")
  void aRunIsCreatedWith200OnBothPaths() {
    for (var path : List.of("/agent/run", "/agent/runs")) {
      var answer = service.post(path, "{\"prompt\":\"x\"}");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertJson(answer);
      assertInvalid(service.post(path, "{}"));
      assertNeedsAKeyThatMayMore("POST", path, "{\"prompt\":\"x\"}");
    }
  }

  @Row("2.2 list")
  void runsAreListedWith200() {
    var answer = service.get("/agent/runs");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertJson(answer);
    assertInvalid(service.get("/agent/runs?limit=0"));
    assertNeedsAKey("GET", "/agent/runs", "");
    assertThat(with(readingKey, "GET", "/agent/runs", "").statusCode()).isEqualTo(200);
  }

  @Row("2.2 read")
  void aRunIsReadWith200() {
    var id = service.create("x");
    var answer = service.get("/agent/runs/" + id);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertJson(answer);
    assertNotFound(service.get("/agent/runs/" + NOBODY));
    assertNotFound(service.get("/agent/runs/nobody"));
    assertNotFound(service.get("/agent/runs/"));
    assertNeedsAKey("GET", "/agent/runs/" + id, "");
  }

  @Row("2.2 follow up")
  void aFollowUpIsTakenWith200() {
    var path = "/agent/runs/" + full.create("x") + "/followups";
    var answer = full.post(path, "{\"message\":\"more\"}");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertJson(answer);
    assertInvalid(full.post(path, "{}"));
    assertNotFound(service.post("/agent/runs/" + NOBODY + "/followups", "{\"message\":\"x\"}"));
    assertNeedsAKeyThatMayMore(
        "POST", "/agent/runs/" + NOBODY + "/followups", "{\"message\":\"x\"}");
  }

  @Row("2.2 cancel")
  void aRunIsCancelledWith200() {
    var answer = full.cancel(full.create("x"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertJson(answer);
    assertNotFound(service.cancel(NOBODY));
    assertNeedsAKeyThatMayMore("POST", "/agent/runs/" + NOBODY + "/cancel", "");
  }

  @Row("2.11 message")
  void theMessageIsText() {
    var id = full.create("one");
    followUp(id, "{\"message\":\"line\\n\\ttwo 😀\"}");
    assertThat(full.run(id).get("prompt").asText()).isEqualTo("one\n\nline\n\ttwo 😀");
    for (var wrong : List.of("7", "[\"x\"]", "{}", "null", "\"a\\u0000b\"")) {
      assertInvalid(full.post(path(id), "{\"message\":" + wrong + "}"));
    }
  }

  @Row("2.11 mode")
  void theModeHoldsForTheExecutionThatTheMessageStarts() {
    var id = service.create("x");
    service.awaitState(id, "SUCCEEDED");
    service.ok(service.post(path(id), "{\"message\":\"think\",\"mode\":\"plan\"}"));
    var planned = service.awaitState(id, "BLOCKED");
    assertThat(planned.at("/artifacts/0/artifact_type").asText()).isEqualTo("PLAN");
    assertInvalid(service.post(path(id), "{\"message\":\"x\",\"mode\":\"fast\"}"));

    var before = full.create("x");
    assertThat(followUp(before, "{\"message\":\"y\",\"mode\":\"plan\"}").get("outcome").asText())
        .isEqualTo("queued_prompt");
  }

  @Row("2.11 attachments")
  void attachmentsThatNobodyPreparedAreUnknown() {
    var id = full.create("x");

    assertRefused(
        full.post(path(id), "{\"message\":\"x\",\"attachments\":[{\"attachment_id\":\"a\"}]}"),
        422,
        "operation_not_supported");
    assertInvalid(full.post(path(id), "{\"message\":\"x\",\"attachments\":[{}]}"));
    assertInvalid(full.post(path(id), "{\"message\":\"x\",\"attachments\":\"a\"}"));
    followUp(id, "{\"message\":\"y\",\"attachments\":[]}");
    assertThat(full.run(id).get("prompt").asText()).isEqualTo("x\n\ny");
  }

  @Row("2.11 outcomes")
  void theOutcomeSaysWhatBecomesOfTheMessage() {
    var queued = full.create("x");
    assertThat(followUp(queued, "{\"message\":\"y\"}").get("outcome").asText())
        .isEqualTo("queued_prompt");

    var working = service.create("wait");
    service.awaitState(working, "INPROGRESS");
    assertThat(service.followUp(working, "y").get("outcome").asText()).isEqualTo("queue_pending");
    service.cancel(working);

    var ended = service.create("x");
    service.awaitState(ended, "SUCCEEDED");
    assertThat(service.followUp(ended, "y").get("outcome").asText()).isEqualTo("handoff_execution");
    assertThat(service.awaitState(ended, "SUCCEEDED").get("run_id").asText()).isEqualTo(ended);
  }

  @Row("2.11 answer")
  void theAnswerHasAnIdUnlessTheMessageBecamePartOfThePrompt() {
    var queued = followUp(full.create("x"), "{\"message\":\"y\"}");
    assertThat(queued.has("followup_id")).isTrue();
    assertThat(queued.get("followup_id").isNull()).isTrue();

    var ended = service.create("x");
    service.awaitState(ended, "SUCCEEDED");
    Probes.assertUuid(service.followUp(ended, "y").get("followup_id"));
  }

  @Row("2.11 empty answer")
  void theAnswerIsNeverEmpty() {
    var answer = followUp(full.create("x"), "{\"message\":\"y\"}");

    assertThat(answer.isObject()).isTrue();
    assertThat(answer.properties()).hasSize(2);
  }

  @Row("2.11 empty message")
  void anEmptyMessageIsRefused() {
    var id = full.create("x");
    for (var body :
        List.of("{}", "{\"message\":\"\"}", "{\"message\":\" \\n\"}", "{\"mode\":\"plan\"}", "")) {
      assertInvalid(full.post(path(id), body));
    }
    assertThat(full.run(id).get("prompt").asText()).isEqualTo("x");

    var continues = full.create(object("{\"prompt\":\"y\",\"conversation_id\":\"" + id + "\"}"));
    assertThat(followUp(continues, "{\"message\":\"\"}").get("outcome").asText())
        .isEqualTo("queued_prompt");
    assertThat(full.run(continues).get("prompt").asText())
        .isEqualTo("y\n\nContinue the conversation.");
    assertInvalid(full.post(path(continues), "{\"prompt\":\"z\"}"));
  }

  @Row("2.11 message, not prompt")
  void aMessageByAnotherNameIsNoMessage() {
    var id = full.create("x");

    assertInvalid(full.post(path(id), "{\"prompt\":\"y\"}"));
    assertInvalid(full.post(path(id), "{\"text\":\"y\"}"));
    followUp(id, "{\"message\":\"y\",\"prompt\":\"z\"}");
    assertThat(full.run(id).get("prompt").asText()).isEqualTo("x\n\ny");
  }

  @Row("2.12 answer is the id")
  void theAnswerIsTheIdAsText() {
    var id = full.create("x");
    var answer = RunningService.json(full.cancel(id));

    assertThat(answer.isTextual()).isTrue();
    assertThat(answer.asText()).isEqualTo(id);
    assertThat(full.state(id)).isEqualTo("CANCELLED");
  }

  @Row("2.12 states that refuse")
  void whatIsOverOrCancelledIsNotCancelledAgain() {
    var ended = service.create("x");
    service.awaitState(ended, "SUCCEEDED");
    var cancelled = full.create("x");
    full.cancel(cancelled);

    assertInvalid(service.cancel(ended));
    assertInvalid(full.cancel(cancelled));
    assertThat(RunningService.json(full.cancel(cancelled)).get("retryable").booleanValue())
        .isFalse();
  }

  @Row("2.12 no body")
  void aCancellationHasNeitherBodyNorMediaType() throws IOException {
    var id = full.create("x");
    var request =
        """
        POST /api/v1/agent/runs/%s/cancel HTTP/1.1\r
        Host: localhost\r
        Authorization: Bearer %s\r
        Content-Length: 0\r
        Connection: close\r
        \r
        """
            .formatted(id, RunningService.KEY);

    try (var socket = new Socket(InetAddress.getLoopbackAddress(), full.uri("/").getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 200 ")
          .contains("\"" + id + "\"");
    }
  }

  @Row("2.14 creation path")
  void bothPathsOfACreationAreTheSame() {
    var one = full.run(id(full.post("/agent/run", "{\"prompt\":\"x\"}")));
    var other = full.run(id(full.post("/agent/runs", "{\"prompt\":\"x\"}")));

    assertThat(one.properties().stream().map(each -> each.getKey()))
        .containsExactlyElementsOf(other.properties().stream().map(each -> each.getKey()).toList());
  }

  @Row("2.14 follow-up member name")
  void aFollowUpIsAMessageAlone() {
    assertInvalid(full.post(path(full.create("x")), "{\"prompt\":\"y\"}"));
  }

  @Row("2.14 attachments or images")
  void attachmentsHaveTwoNames() {
    var image = "{\"file_name\":\"a.png\",\"mime_type\":\"image/png\",\"data\":\"aGVsbG8=\"}";
    for (var name : List.of("attachments", "images")) {
      var id = full.create(object("{\"prompt\":\"x\",\"" + name + "\":[" + image + "]}"));
      assertThat(full.ok(full.get("/agent/runs/" + id + "/handoff/attachments")).get("attachments"))
          .hasSize(1);
    }
  }

  private static String path(String id) {
    return "/agent/runs/" + id + "/followups";
  }

  private static JsonNode followUp(String id, String body) {
    return full.ok(full.post(path(id), body));
  }

  private static String id(HttpResponse<String> created) {
    return full.ok(created).get("run_id").asText();
  }

  private static void assertJson(HttpResponse<String> answer) {
    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/json");
  }

  private static void assertNeedsAKeyThatMayMore(String method, String path, String body) {
    assertNeedsAKey(method, path, body);
    assertRefused(with(readingKey, method, path, body), 403, "not_authorized");
  }

  private static void assertNeedsAKey(String method, String path, String body) {
    assertRefused(with("wrong", method, path, body), 401, "authentication_required");
  }

  private static HttpResponse<String> with(String key, String method, String path, String body) {
    return service.send(
        HttpRequest.newBuilder(service.uri("/api/v1" + path))
            .header("Authorization", "Bearer " + key)
            .method(method, BodyPublishers.ofString(body)));
  }
}
