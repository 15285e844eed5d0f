package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemoryBudget.Kind;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Bodies that are made to fill the memory or to take time, at every address that takes one.
@Tag("slow")
class HostileBodiesTest {
  private static final long MIB = 1024 * 1024;
  private static final MemoryBudget MEMORY = MemoryBudget.of(256 * MIB);

  @TempDir static Path folder;
  private static RunningService service;
  private static String readKey;

  @BeforeAll
  static void start() {
    service = RunningService.withMemory(folder, "cat", MEMORY);
    readKey =
        RunningService.json(service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"read\"}"))
            .get("key")
            .asText();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static HttpResponse<String> send(String method, String path, String key, String body) {
    return service.send(
        HttpRequest.newBuilder(service.uri(path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .header("MCP-Protocol-Version", "2025-11-25")
            .method(method, BodyPublishers.ofString(body)));
  }

  private static String objects(long bytes) {
    return "{\"prompt\":\"x\",\"a\":[" + "{},".repeat((int) (bytes / 3)) + "{}]}";
  }

  private static Stream<Arguments> addresses() {
    return Stream.of(
        Arguments.of("POST", "/api/v1/agent/run"),
        Arguments.of("POST", "/api/v1/agent/runs"),
        Arguments.of("POST", "/api/v1/agent/runs/x/followups"),
        Arguments.of("POST", "/api/v1/agent/conversations/x/followups"),
        Arguments.of("POST", "/api/v1/agent/schedules"),
        Arguments.of("PUT", "/api/v1/agent/schedules/x"),
        Arguments.of("POST", "/api/v1/agent/identities"),
        Arguments.of("PUT", "/api/v1/agent/identities/x"),
        Arguments.of("POST", "/api/v1/agent/keys"),
        Arguments.of("POST", "/mcp"));
  }

  @ParameterizedTest
  @MethodSource("addresses")
  void bodyOf27MegabytesOfSmallObjectsIsRefused(String method, String path) {
    try {
      var answer = send(method, path, RunningService.KEY, objects(27 * MIB));
      assertThat(answer.statusCode()).as(answer.body()).isIn(400, 404, 413);
    } catch (UncheckedIOException closed) {
      // The server reads a refused body not to its end, which this client may notice first.
      assertThat(service.get("/agent/runs").statusCode()).isEqualTo(200);
    }
    assertThat(MEMORY.share(Kind.PROVEN).taken()).isZero();
  }

  @ParameterizedTest
  @MethodSource("addresses")
  void bodyOf900KilobytesOfSmallObjectsIsRefusedInWords(String method, String path) {
    var answer = send(method, path, RunningService.KEY, objects(900 * 1024));

    assertThat(answer.statusCode()).as(answer.body()).isIn(400, 404);
    if (answer.statusCode() == 400) {
      assertThat(answer.body()).contains("too many values");
    }
    assertThat(MEMORY.share(Kind.PROVEN).taken()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/agent/runs", "/mcp"})
  void hostileShapesAreRefused(String path) {
    var shapes =
        Map.of(
            "{\"a\":" + "[".repeat(64 * 1024),
            "nests too deeply",
            "{\"" + "n".repeat(900_000) + "\":1}",
            "name in it is too long",
            "{\"a\":" + "9".repeat(100_000) + "}",
            "number in it is too long",
            "{\"prompt\":\"x\",\"prompt\":\"y\"}",
            "occurs twice");

    shapes.forEach(
        (body, why) -> {
          var answer = send("POST", path, RunningService.KEY, body);
          assertThat(answer.statusCode()).isEqualTo(400);
          assertThat(answer.body()).contains(why);
        });
  }

  @Test
  void keyForReadingIsRefusedBeforeTheBodyIsRead() {
    var answer = send("POST", "/api/v1/agent/runs", readKey, "not even JSON");

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(RunningService.problem(answer)).isEqualTo("not_authorized");
  }

  @Test
  void mcpMessageLargerThanAMegabyteIsRefusedUnread() {
    var answer = send("POST", "/mcp", readKey, objects(2 * MIB));

    assertThat(answer.statusCode()).isEqualTo(413);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/agent/runs", "/mcp"})
  void requestIsAskedToComeBackIfTheShareIsSpent(String path) {
    var share = MEMORY.share(Kind.PROVEN);
    try (var _ = share.tryTake(share.size() - 1024).orElseThrow()) {
      var answer =
          send("POST", path, RunningService.KEY, "{\"prompt\":\"" + "x".repeat(2000) + "\"}");

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("1");
      assertThat(RunningService.problem(answer)).isEqualTo("resource_unavailable");
    }
    assertThat(share.taken()).isZero();
  }

  @Test
  void runWithPicturesOfMoreThanAMegabyteIsAccepted() {
    var picture = "AAAA".repeat(500_000);

    var answer =
        send(
            "POST",
            "/api/v1/agent/runs",
            RunningService.KEY,
            "{\"prompt\":\"x\",\"attachments\":[{\"file_name\":\"a.png\",\"mime_type\":\"image/png\",\"data\":\"%s\"}]}"
                .formatted(picture));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(MEMORY.share(Kind.PROVEN).taken()).isZero();
  }

  @Test
  void fiveLargePicturesFitIntoTheSmallestHeap() {
    var picture =
        "{\"file_name\":\"a.png\",\"mime_type\":\"image/png\",\"data\":\"%s\"}"
            .formatted("AAAA".repeat(1024 * 1024));
    var five = String.join(",", Collections.nCopies(5, picture));

    var answer =
        send(
            "POST",
            "/api/v1/agent/runs",
            RunningService.KEY,
            "{\"prompt\":\"x\",\"attachments\":[" + five + "]}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(MEMORY.share(Kind.PROVEN).taken()).isZero();
  }
}
