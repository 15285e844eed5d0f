package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.RunItem;
import java.util.List;
import java.util.Map;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What no method is there for is reached by its path.
class UndocumentedCallsTest extends GroupFixture {
  @Test
  void eachMethodSendsItsBody() throws Exception {
    var body = Map.of("x", List.of(1, 2));
    var written = ClientJson.tree("{\"x\": [1, 2]}");
    for (int i = 0; i < 5; i++) {
      server.enqueue(json(200, "{\"ok\": true}"));
    }

    assertThat(sends(client.get("/new/thing"), "GET /new/thing").path("ok").asBoolean()).isTrue();
    sends(client.post("/new/thing", body), "POST /new/thing", written);
    sends(client.put("/new/thing", body), "PUT /new/thing", written);
    sends(client.patch("/new/thing", body), "PATCH /new/thing", written);
    sends(client.delete("new/thing"), "DELETE /new/thing");
  }

  @ParameterizedTest
  @CsvSource({
    "/agent/runs/r1/attachments/prepare",
    "/agent/conversations/c-1/followups",
    "/agent/messages",
  })
  void callsWithoutATypedMethodCanBePosted(String path) throws Exception {
    server.enqueue(json(200, "{\"id\": \"x\"}"));

    var answer =
        sends(
            client.post(path, Map.of("message", "go on")),
            "POST " + path,
            ClientJson.tree("{\"message\": \"go on\"}"));

    assertThat(answer.path("id").textValue()).isEqualTo("x");
  }

  @Test
  void eventsArePolledFromASequenceNumber() throws Exception {
    server.enqueue(json(200, "{\"events\": []}"));

    sends(
        client.get("/agent/events").withOptions(it -> it.withQuery("since", "41")),
        "GET /agent/events?since=41");
  }

  @Test
  void responseCanBeReadAsAnyType() throws Exception {
    server.enqueue(json(200, RUN));

    var run = sends(client.get("/agent/runs/a%2Fb").as(RunItem.class), "GET /agent/runs/a%2Fb");

    assertThat(run.runId()).isEqualTo("r1");
  }

  @Test
  void parametersAndMembersCanBeAddedToAnyCall() throws Exception {
    server.enqueue(json(200, CREATED));

    sends(
        client
            .runs()
            .create(CreateRun.of("fix it"))
            .withOptions(
                it -> it.withQuery("dry run", "a+b").withBodyMember("n", IntNode.valueOf(1))),
        "POST /agent/run?dry%20run=a%2Bb",
        ClientJson.tree("{\"prompt\": \"fix it\", \"n\": 1}"));
  }

  @Test
  void anEmptyAnswerIsNothingRatherThanAnError() {
    server.enqueue(new MockResponse.Builder().code(204).build());

    assertThat(client.delete("/new").send().isMissingNode()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/agent/runs/",
        "/agent//runs",
        "/agent/../admin",
        "/agent/%2e%2E/admin",
        "/agent/runs?limit=1",
        "/agent/runs#top"
      })
  void aPathHasNoEmptyOrDottedPartsAndNoQuery(String path) {
    assertThatIllegalArgumentException().isThrownBy(() -> client.get(path).send());
    assertThat(server.getRequestCount()).isZero();
  }

  @Test
  void failedUndocumentedCallThrowsTheMatchingException() {
    isRefused(client.get("/new"), 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(client.post("/new", null), 409, "conflict", RunsException.Conflict.class);
  }
}
