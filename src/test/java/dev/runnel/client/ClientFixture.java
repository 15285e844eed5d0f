package dev.runnel.client;

import dev.runnel.testkit.MockServers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A client before a real socket, which waits nowhere and notes how long it would have waited.
abstract class ClientFixture {
  static final String KEY = "wk-a-secret-key";
  static final Instant NOW = Instant.parse("2026-01-05T09:00:00Z");
  static final String RUN =
      """
      {"run_id": "r1", "task_id": "r1", "title": "Fix it", "state": "QUEUED", "prompt": "fix it",
       "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T10:00:00+01:00",
       "a_member_of_next_year": {"x": 1}}
      """;
  static final String CREATED = "{\"run_id\": \"r1\", \"task_id\": \"r1\", \"state\": \"QUEUED\"}";

  final MockWebServer server = MockServers.create();
  final TestTime time = new TestTime(NOW);
  final List<Duration> waits = time.waits;

  private int reads;

  @BeforeEach
  void startServer() throws Exception {
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  RunsClientBuilder builder() {
    return RunsClient.builder()
        .baseUrl(server.url("/api/v1").uri())
        .apiKey(KEY)
        .time(time)
        .random(() -> 0L);
  }

  /// Another one at each answer, as a service computes it at each read.
  String runTime() {
    return Duration.ofMillis(++reads).toString();
  }

  static MockResponse json(int status, String body) {
    return answer(status, body, "application/json").build();
  }

  static MockResponse problem(int status, String code) {
    return problem(status, code, "");
  }

  /// @param members in addition, each with a comma in front
  static MockResponse problem(int status, String code, String members) {
    var body =
        """
        {"type": "https://api.example/errors/%s", "title": "It went wrong", "status": %d,
         "error": "It went wrong"%s}
        """
            .formatted(code, status, members);
    return answer(status, body, "application/problem+json").build();
  }

  static MockResponse reset() {
    return new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build();
  }

  static MockResponse.Builder answer(int status, String body, String contentType) {
    return new MockResponse.Builder()
        .code(status)
        .setHeader("Content-Type", contentType)
        .body(body);
  }

  /// @param ids with commas between
  static String page(String ids, @Nullable String cursor) {
    var runs =
        ids.isEmpty()
            ? ""
            : "{\"run_id\": \"%s\", \"state\": \"QUEUED\"}"
                .formatted(ids.replace(",", "\", \"state\": \"QUEUED\"}, {\"run_id\": \""));
    var next = cursor == null ? "" : ", \"next_cursor\": \"" + cursor + "\"";
    return "{\"runs\": [%s], \"page_info\": {\"has_next_page\": %s%s}}"
        .formatted(runs, cursor != null, next);
  }
}
