package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.wire.CreateRun;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("It changes the levels of loggers.")
class LoggingTest extends ClientFixture {
  private static final CreateRun FIX_IT = CreateRun.of("fix it");

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.runnel.client");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  @Test
  void offLevelLogsNothing() {
    create(LogLevel.OFF);

    assertThat(lines.list).isEmpty();
  }

  @Test
  void quietLevelLogsEachAttemptAtDebug() {
    create(LogLevel.QUIET);

    assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsOnly(Level.DEBUG);
    saysTheAttempts();
  }

  @Test
  void infoLevelLogsEachAttemptAtInfo() {
    create(LogLevel.INFO);

    assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsOnly(Level.INFO);
    saysTheAttempts();
  }

  @Test
  void debugLevelAlsoLogsHeadersAndBodies() {
    create(LogLevel.DEBUG);

    assertThat(text())
        .contains("body={\"prompt\":\"fix it\"}")
        .contains("\"run_id\":\"r1\"")
        .contains("X-Stainless-Retry-Count: 0")
        .doesNotContain(KEY);
  }

  @Test
  void variableSetsTheLogLevelUnlessTheBuilderDoes() {
    assertThat(levelWith("info")).isEqualTo(1);
    assertThat(levelWith(" DEBUG ")).isEqualTo(3);
    assertThat(levelWith("off")).isZero();
    assertThat(levelWith("loud")).isZero();
    server.enqueue(json(200, RUN));
    try (var client = given(new RunsClientBuilder(_ -> "debug")).log(LogLevel.OFF).build()) {
      client.runs().get("r1").send();
    }
    assertThat(lines.list).isEmpty();
  }

  @Test
  void secretsOfRequestsAndResponsesAreNotLogged() throws Exception {
    var secrets =
        """
        {"config": {"mcp_servers": {"a": {"command": "npx", "args": ["--key", "hush-args"],
                                          "env": {"A": "hush-env", "B": {"c": "hush-deep"}},
                                          "headers": {"X": "hush-header"}}}},
         "attachments": [{"file_name": "a.png", "mime_type": "image/png", "data": "hush-data"}],
         "download_url": "https://kept.example/a?X-Amz-Signature=hush-signed",
         "list": [{"token": "hush-1", "accessToken": "hush-2", "client_secret": {"v": "hush-3"},
                   "Password": 4711, "api_key": ["hush-5"], "x-api-key": "hush-6",
                   "apiKey": "hush-7", "secrets": [{"v": "hush-8"}]},
                  "https://kept.example/b?sig=hush-9",
                  "See https://kept.example/d?sig=hush-10\\nand https://kept.example/e?sig=hush-11.",
                  "https://bot:hush-12@code.example/shop.git"],
         "quoted": "Bearer %s", "shown": "plain"}
        """
            .formatted(KEY);
    server.enqueue(
        answer(200, secrets, "application/json")
            .setHeader("Set-Cookie", "hush-cookie")
            .setHeader("Location", "/kept/c?sig=hush-location")
            .setHeader("Link", "<https://kept.example/f?sig=hush-link>; rel=next")
            .build());
    try (var client = builder().log(LogLevel.DEBUG).build()) {
      client
          .post("agent/x", new ObjectMapper().readTree(secrets))
          .withOptions(
              it ->
                  it.withHeader("Cookie", "hush-cookie")
                      .withHeader("X-Auth-Token", "hush-token")
                      .withQuery("token", "hush-query"))
          .send();
    }

    assertThat(text())
        .contains("Authorization: …", "\"shown\":\"plain\"", "a.png", "https://kept.example/a?…")
        .doesNotContain("hush")
        .doesNotContain("4711")
        .doesNotContain(KEY);
    assertThat(lines.list).hasSize(3);
  }

  @Test
  void bodyThatIsNotJsonIsLoggedByItsSize() {
    server.enqueue(answer(200, "<html>hush</html>", "text/html").build());
    try (var client = builder().log(LogLevel.DEBUG).build()) {
      var _ = catchThrowable(() -> client.runs().get("r1").send());
    }

    assertThat(text()).contains("body=17 bytes that are no JSON").doesNotContain("hush");
  }

  @Test
  void responseTextCannotForgeALogLine() {
    server.enqueue(problem(400, "a\\n2026 ERROR b"));
    try (var client = builder().log(LogLevel.INFO).build()) {
      var _ = catchThrowable(() -> client.runs().get("r1").send());
    }

    assertThat(lines.list).hasSize(1);
    assertThat(text()).contains("code=a 2026 ERROR b");
  }

  @Test
  void failedRequestIsLoggedOnOneLine() {
    server.enqueue(reset());
    try (var client = builder().log(LogLevel.INFO).maxRetries(0).build()) {
      var _ = catchThrowable(() -> client.runs().get("r1").send());
    }

    assertThat(text())
        .startsWith("request failed call=GET /api/v1/agent/runs/r1 failure=ConnectionFailed");
  }

  private void create(LogLevel level) {
    server.enqueue(problem(429, "resource_unavailable"));
    server.enqueue(json(200, CREATED));
    try (var client = builder().log(level).build()) {
      client.runs().create(FIX_IT).withOptions(it -> it.withQuery("q", "hush")).send();
    }
  }

  private void saysTheAttempts() {
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .contains("call=POST /api/v1/agent/run status=429 code=resource_unavailable"),
            second -> assertThat(second).contains("call=POST /api/v1/agent/run status=200"));
    assertThat(text()).doesNotContain(KEY, "fix it", "hush");
  }

  /// How many lines one request has at INFO.
  private long levelWith(String variable) {
    lines.list.clear();
    server.enqueue(json(200, RUN));
    try (var client = given(new RunsClientBuilder(_ -> variable)).build()) {
      client.runs().get("r1").send();
    }
    var count = lines.list.stream().filter(line -> line.getLevel() == Level.INFO).count();
    lines.list.clear();
    return count;
  }

  private RunsClientBuilder given(RunsClientBuilder builder) {
    return builder.baseUrl(server.url("/").uri()).apiKey(KEY);
  }

  private String text() {
    return List.copyOf(lines.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .collect(Collectors.joining("\n"));
  }
}
