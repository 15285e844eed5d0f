package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.runnel.client.guide.BuildExamples;
import dev.runnel.client.guide.CallExamples;
import dev.runnel.client.guide.FirstRun;
import dev.runnel.client.guide.OtherExamples;
import dev.runnel.client.guide.RunExamples;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.RunStateValue;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import mockwebserver3.RecordedRequest;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Every example of docs/client.md does what the document says. That each block of the document is
/// one of these examples, [ClientGuideTextTest] holds.
@Tag("slow")
@Timeout(60)
class ClientGuideTest {
  private final PrintStream console = System.out;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @BeforeEach
  void listen() {
    printed.reset();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void stopListening() {
    System.setOut(console);
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class OnTheEmbeddedService {
    private static final String AGENT =
        """
        prompt=$(cat)
        case "$RUNNEL_EXECUTION $prompt" in
          *"Take your time"*) exec sleep 600 ;;
          "1 Ask"*) echo "::blocked Which branch?" ;;
          *) printf 'Looking around\\n\\nIt raced the clock: https://github.com/acme/shop/pull/7\\n' ;;
        esac
        """;

    private EmbeddedService service;
    private RunsClient client;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
      var script = Files.writeString(folder.resolve("agent.sh"), AGENT);
      service = new EmbeddedService(folder, "sh " + script);
      client =
          RunsClient.builder()
              .baseUrl(url())
              .apiKey(EmbeddedService.KEY)
              .time(new TenTimesAsFast())
              .build();
    }

    @AfterAll
    void stop() {
      client.close();
      service.close();
    }

    @Test
    void theFirstProgramPrintsTheAnswerAndThePullRequest() throws Exception {
      var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      var program =
          new ProcessBuilder(
              java, "-cp", System.getProperty("java.class.path"), FirstRun.class.getName());
      program.environment().put("RUNNEL_AGENT_API_URL", url().toString());
      program.environment().put("RUNNEL_AGENT_API_KEY", EmbeddedService.KEY);
      var process = program.redirectErrorStream(true).start();

      assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("SUCCEEDED\nIt raced the clock")
          .endsWith("https://github.com/acme/shop/pull/7\n");
      assertThat(process.waitFor()).isZero();
    }

    @Test
    void aRunIsCreatedReadAndListed() {
      var created = RunExamples.create(client);
      client.runs().await(created.runId()).send();
      RunExamples.read(client, created.runId());
      RunExamples.list(client);

      assertThat(printed())
          .startsWith(created.runId() + " is QUEUED\n")
          .contains(
              "Flaky checkout test is SUCCEEDED\n", "Looking around", "\nFlaky checkout test");
    }

    @Test
    void allRunsAreReadPageByPage() {
      var id = start("Fix it");
      RunExamples.pageByPage(client);
      RunExamples.listAsync(client);

      assertThat(printed()).contains(id + "\n", id + " is ");
    }

    @Test
    void aFollowUpIsWaitedFor() {
      var id = start("Fix it");
      var first = client.runs().await(id).send();

      assertThat(RunExamples.followUp(client, id).updatedAt()).isAfter(first.updatedAt());
    }

    @Test
    void cancelExampleWaitsUntilTheRunIsCancelled() {
      RunExamples.cancel(client, start("Take your time"));

      assertThat(printed()).isEqualTo("CANCELLED\n");
    }

    @Test
    void aRunIsCreatedOnceAndFoundByItsKey() {
      RunExamples.lookUp(client);
      var once = RunExamples.createOnce(client);

      assertThat(RunExamples.createOnce(client).runId()).isEqualTo(once.runId());
      RunExamples.lookUp(client);
      assertThat(printed()).isEqualTo("There is none\nIt is run " + once.runId() + "\n");
    }

    @Test
    void theQuestionOfARunIsAnswered() {
      var ended = RunExamples.await(client, start("Ask first"));

      assertThat(ended.state()).isEqualTo(RunStateValue.SUCCEEDED);
      assertThat(printed()).contains("now BLOCKED\nWhich branch?\n").endsWith("now SUCCEEDED\n");
    }

    @Test
    void theRunsOfANameAreWatched() {
      var watching = RunExamples.watch(client);

      // One that ended before the watch began is no change.
      await()
          .pollInterval(Duration.ofMillis(300))
          .untilAsserted(
              () -> {
                RunExamples.create(client);
                assertThat(printed()).contains(" is SUCCEEDED\n");
              });
      watching.cancel(true);
    }

    @Test
    void aRunIsReadAndAwaitedInTheBackground() {
      RunExamples.async(client, start("Fix it"));

      assertThat(printed()).startsWith("reading says ").endsWith("waiting says SUCCEEDED\n");
    }

    @Test
    void anAnswerIsReadRawAndAsAStream() {
      var id = start("Fix it");
      client.runs().await(id).send();

      assertThat(CallExamples.raw(client, id).runId()).isEqualTo(id);
      CallExamples.streamed(client, id);
      assertThat(printed())
          .startsWith("200, asked 1 times\napplication/json\nSUCCEEDED\n")
          .contains("Looking around\n");
    }

    @Test
    void errorExamplePrintsAReadableMessage() {
      CallExamples.errors(client, "nobody");

      assertThat(printed()).isEqualTo("There is no such run\n");
    }

    @Test
    void clientWithCustomOptionsWorks() {
      try (var built = BuildExamples.clientOptions(url(), EmbeddedService.KEY);
          var http = BuildExamples.ownHttpClient(url(), EmbeddedService.KEY, new OkHttpClient())) {
        assertThat(built.runs().list(ListRuns.ALL).send().items()).isNotNull();
        assertThat(http.runs().list(ListRuns.ALL).send().items()).isNotNull();
        assertThat(CallExamples.sharedClient(client).runs().list(ListRuns.ALL).send().items())
            .isNotNull();
      }
    }

    private URI url() {
      return service.uri().resolve("/api/v1");
    }

    private String start(String prompt) {
      return client.runs().create(CreateRun.of(prompt)).send().runId();
    }
  }

  @Nested
  class OnASocket extends ClientFixture {
    private RunsClient client;

    @BeforeEach
    void build() {
      client = builder().options(options -> options.withHeader("X-Caller", "test")).build();
    }

    @AfterEach
    void close() {
      client.close();
    }

    @Test
    void theOptionsOfACallAreSent() throws Exception {
      server.enqueue(json(200, CREATED));

      CallExamples.callOptions(client);

      var request = server.takeRequest();
      assertThat(request.getTarget()).isEqualTo("/api/v1/agent/run?dry_run=true");
      assertThat(request.getHeaders().get("X-Warp-Team-Uid")).isEqualTo("team-7");
      assertThat(request.getHeaders().get("X-Ticket")).isEqualTo("PAY-123");
      assertThat(request.getHeaders().get("X-Caller")).isNull();
      assertThat(bodyOf(request)).contains("\"priority\":3");
    }

    @Test
    void addressWithoutATypedMethodCanBeCalled() throws Exception {
      server.enqueue(json(200, "{\"count\": 5}"));
      server.enqueue(json(200, page("r1", null)));

      assertThat(CallExamples.anyAddress(client, "r1").runs()).hasSize(1);
      assertThat(printed()).isEqualTo("5\n");
      assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/agent/runs/r1/stars");
      assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/agent/runs?starred=true");
    }

    @Test
    void unknownValuesAreKept() {
      server.enqueue(json(200, "{\"run_id\": \"r1\", \"state\": \"DREAMING\", \"stars\": 5}"));

      CallExamples.unknown(client, "r1");

      assertThat(printed()).isEqualTo("Neither working nor over: DREAMING\nStars: 5\n");
    }

    @Test
    void nullIsDistinguishedFromAnAbsentMember() throws Exception {
      server.enqueue(json(200, "{\"run_id\": \"r1\", \"state\": \"QUEUED\", \"title\": null}"));
      server.enqueue(json(200, CREATED));

      CallExamples.nullOrAbsent(client, "r1");

      assertThat(printed()).isEqualTo("null\n");
      server.takeRequest();
      assertThat(bodyOf(server.takeRequest())).contains("\"title\":null");
    }

    @Test
    void strictParsingRejectsUnreadableMembers() {
      server.enqueue(
          json(200, "{\"run_id\": \"r1\", \"state\": \"QUEUED\", \"created_at\": \"once\"}"));

      assertThatThrownBy(() -> CallExamples.strict(client, "r1"))
          .isInstanceOf(RunsException.MalformedResponse.class);
    }

    @Test
    void everyAttemptIsObserved() {
      server.enqueue(
          problem(503, "resource_unavailable")
              .newBuilder()
              .setHeader("retry-after-ms", "1")
              .build());
      server.enqueue(json(200, RUN));

      try (var observed = BuildExamples.observed(server.url("/api/v1").uri(), KEY)) {
        observed.runs().get("r1").send();
      }

      assertThat(printed())
          .isEqualTo("read run r1 was answered, is tried again\nread run r1 was answered\n");
    }

    @Test
    void requestsGoThroughTheProxy() throws Exception {
      server.enqueue(json(200, RUN));
      var proxy = new InetSocketAddress(server.getHostName(), server.getPort());

      try (var proxied =
          BuildExamples.proxyAndTls(
              URI.create("http://runs.invalid/api/v1"),
              KEY,
              proxy,
              SSLContext.getDefault(),
              trusted())) {
        proxied.runs().get("r1").send();
      }

      assertThat(server.takeRequest().getRequestLine())
          .isEqualTo("GET http://runs.invalid/api/v1/agent/runs/r1 HTTP/1.1");
    }

    @Test
    void factoryCanBeFoundAndGetsARun() throws Exception {
      server.enqueue(json(200, "{\"factories\": [{\"uid\": \"f1\", \"name\": \"Payments\"}]}"));
      server.enqueue(json(200, CREATED));
      server.enqueue(json(200, RUN.replace("QUEUED", "BLOCKED")));

      assertThat(OtherExamples.factories(client).runId()).isEqualTo("r1");

      assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/factory?search=payments");
      assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/factory/f1/runs");
    }

    @Test
    void aScheduleIsMadePausedResumedAndDeleted() throws Exception {
      for (int call = 0; call < 3; call++) {
        server.enqueue(json(200, "{\"id\": \"s1\"}"));
      }
      server.enqueue(json(200, "{\"success\": true}"));

      OtherExamples.schedules(client);

      assertThat(bodyOf(server.takeRequest())).contains("\"cron_schedule\":\"0 3 * * *\"");
      assertThat(server.takeRequest().getTarget()).endsWith("/schedules/s1/pause");
      assertThat(server.takeRequest().getTarget()).endsWith("/schedules/s1/resume");
      assertThat(server.takeRequest().getMethod()).isEqualTo("DELETE");
    }

    @Test
    void identityExampleStartsARunOfTheIdentity() throws Exception {
      server.enqueue(json(200, "{\"uid\": \"a1\", \"name\": \"reviewer\"}"));
      server.enqueue(json(200, CREATED));

      assertThat(OtherExamples.identities(client).runId()).isEqualTo("r1");

      server.takeRequest();
      assertThat(bodyOf(server.takeRequest()))
          .contains("\"agent_identity_uid\":\"a1\"", "\"team\":true");
    }

    @Test
    void theCatalogIsListed() {
      server.enqueue(json(200, "{\"models\": [{\"id\": \"m1\"}]}"));
      server.enqueue(json(200, "{\"environments\": [{\"uid\": \"e1\"}]}"));
      server.enqueue(json(200, "{\"agents\": [{\"name\": \"review\"}]}"));
      server.enqueue(json(200, "{\"workers\": [{\"worker_host\": \"w1\"}]}"));

      OtherExamples.catalog(client);

      assertThat(printed()).isEqualTo("m1\ne1\nreview\nw1\n");
    }

    @Test
    void artifactsAreShownOrKept(@TempDir Path folder) throws Exception {
      server.enqueue(
          json(
              200,
              """
              {"run_id": "r1", "state": "SUCCEEDED", "artifacts": [
                {"artifact_type": "PULL_REQUEST", "data": {"url": "https://example.com/pull/7"}},
                {"artifact_type": "FILE", "data": {"artifact_uid": "f1"}},
                {"artifact_type": "HOLOGRAM", "data": {}}]}
              """));
      server.enqueue(answer(200, "content", "text/plain").build());

      OtherExamples.artifacts(client, "r1", folder);

      assertThat(printed()).isEqualTo("https://example.com/pull/7\nA new kind: HOLOGRAM\n");
      assertThat(folder.resolve("f1")).hasContent("content");
    }

    @Test
    void aConversationIsRead() {
      server.enqueue(
          json(
              200,
              """
              {"steps": [{"messages": [{"role": "USER", "content": [{"text": "Fix it"}]}]}]}
              """));

      OtherExamples.conversations(client, "r1");

      assertThat(printed()).isEqualTo("USER: Fix it\n");
    }

    @Test
    void aTestWithoutAServiceWorks() throws Exception {
      BuildExamples.testing();
    }

    private static String bodyOf(RecordedRequest request) {
      return Objects.requireNonNull(request.getBody()).utf8();
    }

    private static X509TrustManager trusted() throws Exception {
      var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((@Nullable KeyStore) null);
      return (X509TrustManager) factory.getTrustManagers()[0];
    }
  }

  /// For examples that wait for real runs.
  private static final class TenTimesAsFast implements Time {
    @Override
    public Instant now() {
      return Time.SYSTEM.now();
    }

    @Override
    public long nanos() {
      return 10 * Time.SYSTEM.nanos();
    }

    @Override
    public void sleep(Duration time) throws InterruptedException {
      Time.SYSTEM.sleep(time.dividedBy(10));
    }
  }
}
