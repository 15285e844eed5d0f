package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The MCP server: what it answers to messages that no proper client sends, and what each key may
/// do. [McpClientsTest] has the proper clients.
@Tag("slow")
class McpTest {
  private static final String OLD = "2025-11-25";
  private static final String NEW = "2026-07-28";

  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    service =
        RunningService.withCommand(
            folder,
            "test -z \"$RUNNEL_AGENT_API_KEY\" || printf %s \"$RUNNEL_AGENT_API_KEY\" > key;"
                + " read -r line; case \"$line\" in SLOW) sleep 300;; esac; echo \"did $line\"");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static HttpRequest.Builder request(String key) {
    return HttpRequest.newBuilder(service.uri("/mcp"))
        .header("Authorization", "Bearer " + key)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream");
  }

  private static HttpResponse<String> post(String body, String... headers) {
    var request = request(RunningService.KEY).POST(BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return service.send(request);
  }

  private static JsonNode json(HttpResponse<String> response) {
    return RunningService.json(response);
  }

  private static String message(String method, ObjectNode params) {
    return JSON.createObjectNode()
        .put("jsonrpc", "2.0")
        .put("id", 7)
        .put("method", method)
        .<ObjectNode>set("params", params)
        .toString();
  }

  private static ObjectNode withMeta(ObjectNode params, String version) {
    params
        .putObject("_meta")
        .put("io.modelcontextprotocol/protocolVersion", version)
        .putObject("io.modelcontextprotocol/clientCapabilities");
    return params;
  }

  /// Calls a tool, and returns the result.
  private static JsonNode call(String key, String tool, Map<String, ?> arguments) {
    var params = JSON.createObjectNode().put("name", tool);
    params.set("arguments", JSON.valueToTree(arguments));
    var response =
        service.send(
            request(key)
                .header("MCP-Protocol-Version", OLD)
                .POST(BodyPublishers.ofString(message("tools/call", params))));
    return json(response).path("result");
  }

  private static String text(JsonNode result) {
    return result.at("/content/0/text").asText();
  }

  private static String refused(String key, String tool, Map<String, ?> arguments) {
    var result = call(key, tool, arguments);
    assertThat(result.path("isError").asBoolean()).as(result.toString()).isTrue();
    return text(result);
  }

  private static JsonNode done(String key, String tool, Map<String, ?> arguments) throws Exception {
    var result = call(key, tool, arguments);
    assertThat(result.path("isError").asBoolean()).as(result.toString()).isFalse();
    return JSON.readTree(text(result));
  }

  @Nested
  class Messages {
    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        quoteCharacter = '#',
        value = {
          "400 | -32700 | not JSON",
          "400 | -32700 | ",
          "400 | -32700 | [{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
          "400 | -32600 | {\"id\":1,\"method\":\"ping\"}",
          "400 | -32600 | {\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
          "400 | -32600 | {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
          "400 | -32600 | {\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
          "400 | -32600 | {\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
          "400 | -32600 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
          "400 | -32600 | {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
          "400 | -32600 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
          "200 | -32601 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}",
          "200 | -32601 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}",
          "200 | -32602 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
          "200 | -32602 | {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
              + "\"name\":\"get_run\",\"arguments\":[]}}"
        })
    void malformedMessagesGetAJsonRpcError(int status, int code, String body) {
      var response = post(body == null ? "" : body, "MCP-Protocol-Version", OLD);

      assertThat(response.statusCode()).isEqualTo(status);
      assertThat(json(response).path("jsonrpc").asText()).isEqualTo("2.0");
      assertThat(json(response).at("/error/code").asInt()).isEqualTo(code);
      assertThat(json(response).at("/error/message").asText()).isNotBlank();
    }

    @Test
    void messageWithoutAnIdIsAcceptedButHasNoEffect() {
      var before = json(service.get("/agent/runs")).path("runs").size();

      var response =
          post(
              "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"start_run\","
                  + "\"arguments\":{\"prompt\":\"x\"}}}",
              "MCP-Protocol-Version",
              OLD);

      assertThat(response.statusCode()).isEqualTo(202);
      assertThat(response.body()).isEmpty();
      assertThat(json(service.get("/agent/runs")).path("runs")).hasSize(before);
    }

    @Test
    void responseHasTheIdOfItsMessage() {
      var ping = "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"method\":\"ping\"}";

      assertThat(post(ping, "MCP-Protocol-Version", OLD).body())
          .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"result\":{}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE"})
    void messagesAreAcceptedByPostOnly(String method) {
      var response =
          service.send(request(RunningService.KEY).method(method, BodyPublishers.noBody()));

      assertThat(response.statusCode()).isEqualTo(405);
      assertThat(response.headers().firstValue("Allow")).contains("POST");
    }
  }

  @Nested
  class Versions {
    @ParameterizedTest
    @CsvSource({
      "2025-11-25,2025-11-25",
      "2025-06-18,2025-06-18",
      "2024-11-05,2025-11-25",
      "x,2025-11-25"
    })
    void handshakeNegotiatesTheProtocolVersion(String asked, String agreed) {
      var response =
          post(message("initialize", JSON.createObjectNode().put("protocolVersion", asked)));

      assertThat(json(response).at("/result/protocolVersion").asText()).isEqualTo(agreed);
      assertThat(json(response).at("/result/capabilities/tools").isObject()).isTrue();
    }

    @Test
    void unknownVersionGetsTheListOfSupportedVersions() {
      var params = withMeta(JSON.createObjectNode(), "2031-01-01");
      var response = post(message("tools/list", params), "MCP-Protocol-Version", "2031-01-01");

      assertThat(response.statusCode()).isEqualTo(400);
      var error = json(response).path("error");
      assertThat(error.path("code").asInt()).isEqualTo(-32022);
      assertThat(error.at("/data/requested").asText()).isEqualTo("2031-01-01");
      assertThat(error.at("/data/supported").toString())
          .isEqualTo("[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\"]");
    }

    @Test
    void requestWithoutAProtocolVersionIsRejected() {
      var response = post(message("tools/list", JSON.createObjectNode()));

      assertThat(response.statusCode()).isEqualTo(400);
      assertThat(json(response).at("/error/code").asInt()).isEqualTo(-32020);
    }

    @ParameterizedTest
    @CsvSource({
      // header, version in _meta, Mcp-Method, Mcp-Name, code
      "2026-07-28, 2025-11-25, tools/call, get_run, -32020",
      "2025-11-25, 2026-07-28, tools/call, get_run, -32020",
      "2026-07-28, 2026-07-28, tools/list, get_run, -32020",
      "2026-07-28, 2026-07-28, tools/call, stop_run, -32020",
      "2026-07-28, 2026-07-28, tools/call, =?base64?bm90?=, -32020",
      "2026-07-28, 2026-07-28, tools/call, =?base64?%%?=, -32020",
      "2026-07-28, 2026-07-28, tools/call, get_run, 0",
      "2026-07-28, 2026-07-28, tools/call, =?base64?Z2V0X3J1bg==?=, 0"
    })
    void versionHeadersMustMatchTheBody(
        String header, String own, String method, String name, int code) {
      var params = withMeta(JSON.createObjectNode().put("name", "get_run"), own);
      var response =
          post(
              message("tools/call", params),
              "MCP-Protocol-Version",
              header,
              "Mcp-Method",
              method,
              "Mcp-Name",
              name);

      assertThat(response.statusCode()).isEqualTo(code == 0 ? 200 : 400);
      assertThat(json(response).at("/error/code").asInt()).isEqualTo(code);
    }

    @Test
    void newVersionRequiresMetadataInEveryRequest() {
      var response =
          post(
              message("tools/list", JSON.createObjectNode()),
              "MCP-Protocol-Version",
              NEW,
              "Mcp-Method",
              "tools/list");

      assertThat(response.statusCode()).isEqualTo(400);
      assertThat(json(response).at("/error/code").asInt()).isEqualTo(-32602);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ping", "subscriptions/listen", "nothing"})
    void newVersionHasNoPingOrSubscriptionMethods(String method) {
      var response =
          post(
              message(method, withMeta(JSON.createObjectNode(), NEW)),
              "MCP-Protocol-Version",
              NEW,
              "Mcp-Method",
              method);

      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(json(response).at("/error/code").asInt()).isEqualTo(-32601);
    }
  }

  @Nested
  class Tools {
    @Test
    void invalidToolArgumentsAreExplained() {
      assertThat(
              List.of(
                  refused(RunningService.KEY, "start_run", Map.of()),
                  refused(RunningService.KEY, "start_run", Map.of("prompt", " ")),
                  refused(RunningService.KEY, "start_run", Map.of("prompt", 5)),
                  refused(RunningService.KEY, "start_run", Map.of("promt", "x")),
                  refused(RunningService.KEY, "start_run", Map.of("prompt", "x", "mode", "fast")),
                  refused(RunningService.KEY, "get_run", Map.of("run_id", "x", "wait_seconds", 51)),
                  refused(
                      RunningService.KEY, "get_run", Map.of("run_id", "x", "wait_seconds", 1.5)),
                  refused(RunningService.KEY, "list_runs", Map.of("cursor", "x")),
                  refused(RunningService.KEY, "get_run", Map.of("run_id", "x"))))
          .containsExactly(
              "The request is not valid: The argument prompt is missing",
              "The request is not valid: A run needs a prompt, unless a skill is named or a"
                  + " conversation is continued",
              "The request is not valid: The argument prompt must be a string",
              "The request is not valid: start_run has no argument promt. It takes prompt, title,"
                  + " environment, model, idempotency_key, mode",
              "The request is not valid: The argument mode must be one of normal, plan",
              "The request is not valid: The argument wait_seconds must be a whole number from 0 to"
                  + " 50",
              "The request is not valid: The argument wait_seconds must be a whole number from 0 to"
                  + " 50",
              "The request is not valid: The cursor does not belong to this list",
              "Not found: No run has this id");
    }

    @Test
    void longTranscriptIsReadInPages() throws Exception {
      var id =
          done(RunningService.KEY, "start_run", Map.of("prompt", "LONG " + "x".repeat(50_000)))
              .path("run_id")
              .asText();
      done(RunningService.KEY, "get_run", Map.of("run_id", id, "wait_seconds", 40));

      var first = text(call(RunningService.KEY, "read_transcript", Map.of("run_id", id)));
      var second =
          text(call(RunningService.KEY, "read_transcript", Map.of("run_id", id, "after_line", 1)));

      assertThat(first)
          .startsWith("1 asked: LONG xxx")
          .endsWith("(SUCCEEDED. Continue with after_line 1)");
      assertThat(first.length()).isBetween(40_000, 40_100);
      assertThat(second).contains("2 said: did LONG xxx");
    }

    @Test
    void repeatedStartWithTheSameKeyReturnsTheSameRun() throws Exception {
      var call = Map.<String, Object>of("prompt", "SLOW", "idempotency_key", "ticket-7");

      var first = done(RunningService.KEY, "start_run", call).path("run_id").asText();
      var again = done(RunningService.KEY, "start_run", call).path("run_id").asText();

      assertThat(again).isEqualTo(first);
      assertThat(
              refused(
                  RunningService.KEY,
                  "start_run",
                  Map.of("prompt", "another", "idempotency_key", "ticket-7")))
          .containsIgnoringCase("idempotency");
      done(RunningService.KEY, "stop_run", Map.of("run_id", first));
    }

    @Test
    void runStartedOverMcpSaysSo() throws Exception {
      var id =
          done(RunningService.KEY, "start_run", Map.of("prompt", "over MCP"))
              .path("run_id")
              .asText();

      assertThat(service.run(id).get("source").asText()).isEqualTo("MCP");
      assertThat(Probes.ids(service, "source=MCP")).contains(id);
      assertThat(Probes.ids(service, "source=API")).doesNotContain(id);
    }

    @Test
    void toolWaitsNoLongerThanRequested() throws Exception {
      var id =
          done(RunningService.KEY, "start_run", Map.of("prompt", "SLOW")).path("run_id").asText();

      var shown = done(RunningService.KEY, "get_run", Map.of("run_id", id, "wait_seconds", 1));

      assertThat(shown.path("state").asText()).isIn("QUEUED", "INPROGRESS");
      done(RunningService.KEY, "stop_run", Map.of("run_id", id));
      assertThat(refused(RunningService.KEY, "stop_run", Map.of("run_id", id)))
          .startsWith("The request is not valid: ");
    }
  }

  @Nested
  class Keys {
    private static String key(String scope) throws Exception {
      var made = service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"" + scope + "\"}");
      return JSON.readTree(made.body()).path("key").asText();
    }

    private static List<String> tools(String key) {
      var response =
          service.send(
              request(key)
                  .header("MCP-Protocol-Version", OLD)
                  .POST(BodyPublishers.ofString(message("tools/list", JSON.createObjectNode()))));
      return json(response).path("result").findValuesAsText("name");
    }

    @Test
    void requestWithAWrongKeyIsRejected() {
      var response =
          service.send(
              request("wrong")
                  .POST(BodyPublishers.ofString(message("ping", JSON.createObjectNode()))));

      assertThat(response.statusCode()).isEqualTo(401);
      assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }

    @Test
    void readOnlyKeyCanUseOnlyTheReadingTools() throws Exception {
      var key = key("read");

      assertThat(tools(key)).containsExactly("list_runs", "get_run", "read_transcript");
      assertThat(refused(key, "start_run", Map.of("prompt", "x")))
          .isEqualTo("This key may not do that: This key is for reading only");
      done(key, "list_runs", Map.of());
    }

    @Test
    void agentKeyReachesOnlyRunsBelowItsOwn() throws Exception {
      var others = service.create(JSON.createObjectNode().put("prompt", "OTHER"));
      var parent =
          service.create(JSON.createObjectNode().put("prompt", "SLOW").put("mode", "orchestrate"));
      var file = folder.resolve("workspaces/" + parent + "/key");
      await().until(() -> Files.exists(file) && Files.size(file) > 10);
      var key = Files.readString(file);

      var child = done(key, "start_run", Map.of("prompt", "x"));
      var listed = done(key, "list_runs", Map.of()).path("runs").findValuesAsText("run_id");

      assertThat(child.path("parent_run_id").asText()).isEqualTo(parent);
      assertThat(listed).containsExactly(child.path("run_id").asText());
      for (var id : List.of(others, parent)) {
        for (var tool : List.of("get_run", "stop_run", "read_transcript")) {
          assertThat(refused(key, tool, Map.of("run_id", id)))
              .isEqualTo("Not found: No run has this id");
        }
        assertThat(refused(key, "send_message", Map.of("run_id", id, "message", "x")))
            .isEqualTo("Not found: No run has this id");
      }
    }

    @ParameterizedTest
    @CsvSource({
      "https://evil.example, 403",
      "null, 403",
      "http://runnel.test:8081, 403",
      "http://runnel.test:8080, 200"
    })
    void requestFromAForeignOriginIsRejectedDespiteAValidKey(String origin, int status) {
      var ping = message("ping", JSON.createObjectNode());

      assertThat(post(ping, "MCP-Protocol-Version", OLD, "Origin", origin).statusCode())
          .isEqualTo(status);
    }
  }
}
