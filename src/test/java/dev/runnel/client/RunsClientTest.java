package dev.runnel.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.FollowUpOutcome;
import dev.runnel.wire.RunStateValue;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import mockwebserver3.RecordedRequest;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okio.Buffer;
import okio.GzipSink;
import okio.Okio;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Isolated("It changes the levels of loggers.")
class RunsClientTest extends ClientFixture {
  private static final CreateRun FIX_IT =
      CreateRun.builder()
          .prompt("fix it")
          .config(
              AgentConfig.builder().name("tests").modelId("fast").environmentId("env-1").build())
          .title("Fix it")
          .metadata(Map.of("runnel.delivery", "slack:1"))
          .build();

  private RunsClient client;

  @BeforeEach
  void build() {
    client = builder().build();
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Nested
  class Requests {
    @Test
    void aCreationIsPostedAsJsonWithTheKey() throws Exception {
      server.enqueue(json(200, CREATED));

      var created =
          client
              .runs()
              .create(FIX_IT)
              .withOptions(it -> it.withHeader("Idempotency-Key", "k"))
              .send();

      assertThat(created.runId()).isEqualTo("r1");
      assertThat(created.state()).isEqualTo(RunStateValue.QUEUED);
      var request = server.takeRequest();
      assertThat(request.getRequestLine()).isEqualTo("POST /api/v1/agent/run HTTP/1.1");
      assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer " + KEY);
      assertThat(request.getHeaders().get("Content-Type")).isEqualTo("application/json");
      assertThat(request.getHeaders().get("User-Agent")).startsWith("runnel/");
      assertThat(request.getHeaders().get("Idempotency-Key")).isEqualTo("k");
      assertThat(request.getHeaders().get("Accept-Encoding")).isEqualTo("gzip");
      assertThat(body(request))
          .isEqualTo(
              "{\"prompt\":\"fix it\","
                  + "\"config\":{\"name\":\"tests\",\"model_id\":\"fast\",\"environment_id\":\"env-1\"},\"title\":\"Fix"
                  + " it\",\"metadata\":{\"runnel.delivery\":\"slack:1\"}}");
    }

    @Test
    void aCreationMayGoToThePluralPath() throws Exception {
      server.enqueue(json(200, CREATED));

      try (var plural = builder().createOnPluralPath().build()) {
        plural.runs().create(FIX_IT).send();
      }

      assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/agent/runs");
    }

    @Test
    void aBaseUrlMayEndWithASlash() throws Exception {
      server.enqueue(json(200, RUN));

      try (var slashed = builder().baseUrl(server.url("/api/v1/").uri()).build()) {
        slashed.runs().get("r1").send();
      }

      assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/agent/runs/r1");
    }

    @Test
    void idIsEncodedAsOnePathSegment() throws Exception {
      server.enqueue(json(200, RUN));

      client.runs().get("a/../b?c#d%2Fe f").send();

      assertThat(server.takeRequest().getTarget())
          .isEqualTo("/api/v1/agent/runs/a%2F..%2Fb%3Fc%23d%252Fe%20f");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ".", ".."})
    void invalidIdIsNeverSent(String id) {
      assertThatIllegalArgumentException().isThrownBy(() -> client.runs().get(id).send());
      assertThatIllegalArgumentException().isThrownBy(() -> client.runs().cancel(id).send());
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.runs().followUp(id, FollowUpMessage.of("go on")).send());
      assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void aListsFiltersAreEncodedAsTheServiceReadsThem() throws Exception {
      server.enqueue(json(200, page("", null)));

      client
          .runs()
          .list(
              ListRuns.ALL
                  .limit(20)
                  .limit(500)
                  .state(RunStateValue.QUEUED)
                  .state(RunStateValue.FAILED)
                  .metadata("ticket_id", "V 1")
                  .updatedAfter(Instant.parse("2026-01-05T09:00:00.5Z"))
                  .and("created_after", "2026-01-05T10:00:00+01:00")
                  .sorted(SortBy.UPDATED_AT, SortOrder.ASC))
          .send();

      assertThat(server.takeRequest().getTarget())
          .isEqualTo(
              "/api/v1/agent/runs?limit=500&state=QUEUED&state=FAILED"
                  + "&metadata%5Bticket_id%5D=V%201&updated_after=2026-01-05T09%3A00%3A00.500Z"
                  + "&created_after=2026-01-05T10%3A00%3A00%2B01%3A00"
                  + "&sort_by=updated_at&sort_order=asc");
    }

    @Test
    void aCancellationHasNeitherBodyNorContentType() throws Exception {
      server.enqueue(json(200, "\"r1\""));

      assertThat(client.runs().cancel("r1").send()).isEqualTo("r1");

      var request = server.takeRequest();
      assertThat(request.getRequestLine()).isEqualTo("POST /api/v1/agent/runs/r1/cancel HTTP/1.1");
      assertThat(request.getHeaders().get("Content-Length")).isEqualTo("0");
      assertThat(request.getHeaders().get("Content-Type")).isNull();
    }

    @Test
    void followUpIsPostedAsAMessage() throws Exception {
      server.enqueue(json(200, "{\"followup_id\": null, \"outcome\": \"live_session\"}"));

      var accepted = client.runs().followUp("r1", FollowUpMessage.of("go on")).send();

      assertThat(accepted.outcome()).isEqualTo(FollowUpOutcome.LIVE_SESSION);
      var request = server.takeRequest();
      assertThat(request.getTarget()).isEqualTo("/api/v1/agent/runs/r1/followups");
      assertThat(body(request)).isEqualTo("{\"message\":\"go on\"}");
    }

    @Test
    void createDoesNotFollowARedirect() {
      server.enqueue(
          answer(302, "", "text/plain").setHeader("Location", server.url("/other")).build());

      assertThatThrownBy(() -> client.runs().create(FIX_IT).send())
          .isInstanceOf(RunsException.OtherStatus.class)
          .hasMessage(
              "Could not create a run: the address of the run service leads somewhere else (302)");
      assertThat(server.getRequestCount()).isOne();
    }
  }

  @Nested
  class Answers {
    @Test
    void unknownMembersAreIgnoredAndTimesAreRead() {
      server.enqueue(json(200, RUN));

      var run = client.runs().get("r1").send();

      assertThat(run.title()).isEqualTo("Fix it");
      assertThat(run.updatedAt()).isEqualTo(NOW);
    }

    @Test
    void aStateOfALaterVersionIsKept() {
      server.enqueue(json(200, RUN.replace("QUEUED", "DREAMING")));

      assertThat(client.runs().get("r1").send().state()).isEqualTo(new RunStateValue("DREAMING"));
    }

    @Test
    void gzipResponsesAreUnpacked() throws Exception {
      var packed = new Buffer();
      try (var sink = Okio.buffer(new GzipSink(packed))) {
        sink.writeUtf8(RUN);
      }
      server.enqueue(
          answer(200, "", "application/json")
              .setHeader("Content-Encoding", "gzip")
              .body(packed)
              .build());

      assertThat(client.runs().get("r1").send().runId()).isEqualTo("r1");
    }

    @Test
    void emptyFollowUpResponseOfAnOldServiceHasNoOutcome() {
      server.enqueue(json(200, "{}"));

      assertThat(client.runs().followUp("r1", FollowUpMessage.of("go on")).send().outcome())
          .isNull();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "{\"run_id\": \"r1\", \"sta",
          "<html><body>Log in</body></html>",
          "[]",
          "null",
          "\"r1\"",
          "{}",
          "{\"run_id\": \"r1\"}",
          "{\"run_id\": \"\", \"state\": \"QUEUED\"}",
          "{\"run_id\": \"r1\", \"state\": \"QUEUED\"} <!-- served by -->",
        })
    void anAnswerThatIsNotARunIsUnreadable(String body) {
      server.enqueue(json(200, body));

      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOfSatisfying(
              RunsException.MalformedResponse.class,
              failure -> {
                assertThat(failure.status()).hasValue(200);
                assertThat(failure.mayHaveHappened()).isFalse();
              });
      assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void htmlResponseLeavesTheCreationUncertain() {
      server.enqueue(answer(200, "<html>Log in, " + KEY + "</html>", "text/html").build());

      assertThatThrownBy(() -> client.runs().create(FIX_IT).send())
          .isInstanceOfSatisfying(
              RunsException.MalformedResponse.class,
              failure -> assertThat(failure.mayHaveHappened()).isTrue())
          .hasMessage(
              "Could not create a run: the response does not have the expected format"
                  + " (200, text/html, 36 bytes)");
      assertThat(server.getRequestCount()).isOne();
    }

    @Test
    void aCancellationIsAnsweredByAStringAndNothingElse() {
      server.enqueue(json(200, "{\"run_id\": \"r1\"}"));

      assertThatThrownBy(() -> client.runs().cancel("r1").send())
          .isInstanceOf(RunsException.MalformedResponse.class);
    }

    @Test
    void aListWithoutPageInfoIsItsOnlyPage() {
      server.enqueue(json(200, "{\"runs\": []}"));

      assertThat(client.runs().list(ListRuns.ALL).send().hasNext()).isFalse();
    }
  }

  @Nested
  class Building {
    @Test
    void clientRequiresABaseUrlAndAKey() {
      assertThatIllegalStateException().isThrownBy(() -> RunsClient.builder().build());
      assertThatIllegalStateException().isThrownBy(() -> RunsClient.builder().apiKey(KEY).build());
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"ftp://a.example/", "https://u:p@a.example/", "https://a.example/?q", "/api"})
    void invalidBaseUrlIsRejected(String url) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RunsClient.builder().baseUrl(URI.create(url)));
    }

    @Test
    void aKeyThatNoHeaderCanCarryIsRefusedWithoutBeingShown() {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RunsClient.builder().apiKey(KEY + "\n"))
          .withMessageNotContaining(KEY);
    }

    @Test
    void toStringShowsNoSecrets() {
      assertThat(builder().toString()).doesNotContain(KEY);
      assertThat(RequestOptions.DEFAULT.withHeader("X-Token", "secret").toString())
          .contains("X-Token")
          .doesNotContain("secret");
    }

    @Test
    void closedClientSendsNothing() {
      client.close();

      assertThatThrownBy(() -> client.runs().get("r1").send())
          .isInstanceOf(RunsException.ConnectionFailed.class);
    }
  }

  @Test
  void theCallersHttpClientIsUsedAndLeftOpen() throws Exception {
    var seen = new ArrayList<String>();
    var threads = Executors.newVirtualThreadPerTaskExecutor();
    var own =
        new OkHttpClient.Builder()
            .dispatcher(new Dispatcher(threads))
            .addInterceptor(
                chain -> {
                  seen.add(chain.request().method());
                  return chain.proceed(chain.request());
                })
            .build();
    server.enqueue(json(200, RUN));

    try (var borrowing = builder().httpClient(own).build()) {
      borrowing.runs().get("r1").send();
    }

    assertThat(seen).containsExactly("GET");
    assertThat(threads.isShutdown()).isFalse();
    threads.shutdown();
  }

  @Test
  void logsContainEachAttemptWithoutKeyPromptOrQuery() {
    var logger = (Logger) LoggerFactory.getLogger("dev.runnel.client");
    var level = logger.getLevel();
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(lines);
    try {
      server.enqueue(problem(429, "resource_unavailable"));
      server.enqueue(json(200, CREATED));
      server.enqueue(json(200, page("", null)));
      client.runs().create(FIX_IT).send();
      client.runs().list(ListRuns.ALL.metadata("runnel.delivery", "slack:1")).send();
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(level);
    }

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anyMatch(line -> line.contains("call=POST /api/v1/agent/run status=429"))
        .anyMatch(line -> line.contains("call=GET /api/v1/agent/runs status=200"))
        .noneMatch(line -> line.contains(KEY) || line.contains("fix it") || line.contains("slack"));
  }

  private static String body(RecordedRequest request) {
    return requireNonNull(request.getBody()).utf8();
  }
}
