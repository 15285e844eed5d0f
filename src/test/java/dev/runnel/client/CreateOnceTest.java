package dev.runnel.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.testkit.FaultyProxy;
import dev.runnel.testkit.FaultyProxy.Fault;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.RunItem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// However the answer of a creation is lost, there is one run in the end.
@Tag("slow")
@Timeout(60)
class CreateOnceTest {
  private static final CreateRun FIX_IT = CreateRun.of("fix it");

  /// Before the real service, which keeps what reaches it.
  @Nested
  class ThroughFaults {
    private EmbeddedService service;
    private FaultyProxy proxy;
    private RunsClient client;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
      service = new EmbeddedService(folder, "cat");
      proxy = new FaultyProxy(service.uri());
      client =
          RunsClient.builder()
              .baseUrl(proxy.uri("/api/v1"))
              .apiKey(EmbeddedService.KEY)
              .deadline(Duration.ofMillis(700))
              .time(new TestTime(ClientFixture.NOW))
              .build();
    }

    @AfterEach
    void stop() {
      client.close();
      proxy.close();
      service.close();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void createOnceMakesOneRunUnderEveryFault(Fault fault) {
      proxy.spoil(fault);

      var created = client.runs().createOnce(FIX_IT, "k-1").send();

      assertThat(proxy.left()).isZero();
      assertThat(runs()).extracting(RunItem::runId).containsExactly(created.runId());
    }

    @Test
    void theSameCreationUnderEveryFaultMakesOneRun() {
      for (var fault : EnumSet.allOf(Fault.class)) {
        proxy.spoil(fault);
        client.runs().createOnce(FIX_IT, "k-1").send();
      }

      assertThat(runs()).hasSize(1);
    }

    @Test
    void severalFaultsInARowMakeOneRun() {
      proxy.spoil(Fault.LOST_ON_THE_WAY, Fault.REFUSED_IN_BETWEEN, Fault.RESET);

      client.runs().createOnce(FIX_IT, "k-1").send();

      assertThat(proxy.left()).isZero();
      assertThat(runs()).hasSize(1);
    }

    @Test
    void createOnceWithAnotherKeyMakesAnotherRun() {
      client.runs().createOnce(FIX_IT, "k-1").send();
      client.runs().createOnce(FIX_IT, "k-2").send();

      assertThat(runs()).hasSize(2);
    }

    @Test
    void aRunIsFoundAndNotTheRunsBelowItWhichInheritItsKey() {
      var created = client.runs().createOnce(FIX_IT, "k-1").send();
      client.runs().create(below(created.runId())).send();

      assertThat(client.runs().createOnce(FIX_IT, "k-1").send().runId()).isEqualTo(created.runId());
      assertThat(client.runs().lookUp("k-1").send())
          .isInstanceOfSatisfying(
              LookupResult.Found.class,
              found -> assertThat(found.run().runId()).isEqualTo(created.runId()));
    }

    @Test
    void aRunBelowAnotherIsFoundByItsOwnKey() {
      var parent = client.runs().createOnce(FIX_IT, "k-1").send();
      var created = client.runs().createOnce(below(parent.runId()), "k-2").send();

      assertThat(client.runs().createOnce(below(parent.runId()), "k-2").send().runId())
          .isEqualTo(created.runId())
          .isNotEqualTo(parent.runId());
      assertThat(runs()).hasSize(2);
    }

    private CreateRun below(String parent) {
      return CreateRun.builder().prompt("fix a part").parentRunId(parent).build();
    }

    @Test
    void permanentFaultIsReportedAndCreatesNoRun() {
      proxy.spoil(Fault.LOST_ON_THE_WAY, Fault.LOST_ON_THE_WAY, Fault.LOST_ON_THE_WAY);

      assertThatThrownBy(() -> client.runs().createOnce(FIX_IT, "k-1").send())
          .isInstanceOf(RunsException.ConnectionFailed.class);
      assertThat(runs()).isEmpty();
    }

    private List<RunItem> runs() {
      return client
          .runs()
          .pages(ListRuns.ALL)
          .withOptions(options -> options.withDeadline(Duration.ofSeconds(20)))
          .items()
          .toList();
    }
  }

  /// Before services that tell less.
  @Nested
  class WhereListsTellLess extends ClientFixture {
    private RunsClient client;

    @BeforeEach
    void build() {
      client = builder().maxRetries(0).build();
    }

    @AfterEach
    void close() {
      client.close();
    }

    @Test
    void createOnceSendsTheKeyAsMetadataAndHeader() throws Exception {
      server.enqueue(json(200, page("", null)));
      server.enqueue(json(200, CREATED));

      client.runs().createOnce(FIX_IT, "k 1").send();

      assertThat(server.takeRequest().getTarget()).contains("metadata%5Bidempotency_key%5D=k%201");
      var creation = server.takeRequest();
      assertThat(creation.getHeaders().get("Idempotency-Key")).isEqualTo("k 1");
      assertThat(requireNonNull(creation.getBody()).utf8())
          .contains("\"metadata\":{\"idempotency_key\":\"k 1\"}");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 422})
    void aFilterThatIsRefusedIsReplacedByTheNewestRuns(int status) throws Exception {
      server.enqueue(problem(status, "feature_not_available"));
      server.enqueue(json(200, runs("r7", "k-1")));

      assertThat(client.runs().createOnce(FIX_IT, "k-1").send().runId()).isEqualTo("r7");

      server.takeRequest();
      assertThat(server.takeRequest().getTarget())
          .endsWith("?sort_by=created_at&sort_order=desc&limit=500");
      assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @Test
    void createOnceReturnsTheOldestRecentRunWithTheKey() {
      server.enqueue(problem(403, "feature_not_available"));
      server.enqueue(
          json(
              200,
              """
              {"runs": [
                {"run_id": "r9", "state": "QUEUED", "parent_run_id": "r7",
                 "created_at": "2026-01-05T09:30:00Z", "metadata": {"idempotency_key": "k-1"}},
                {"run_id": "r7", "state": "INPROGRESS",
                 "created_at": "2026-01-05T09:00:00Z", "metadata": {"idempotency_key": "k-1"}}],
               "page_info": {"has_next_page": false}}
              """));

      assertThat(client.runs().createOnce(FIX_IT, "k-1").send().runId()).isEqualTo("r7");
    }

    @Test
    void lookUpDetectsAnIgnoredFilter() {
      server.enqueue(json(200, runs("r1", "of somebody else")));
      server.enqueue(json(200, runs("r1", "of somebody else")));

      assertThat(client.runs().lookUp("idempotency_key", "k-1").send())
          .isEqualTo(new LookupResult.Absent());
    }

    @Test
    void lookUpIsUndecidableIfRunsDoNotShowTheirKeys() {
      server.enqueue(problem(403, "feature_not_available"));
      server.enqueue(json(200, page("r1,r2", null)));

      assertThat(client.runs().lookUp("idempotency_key", "k-1").send())
          .isEqualTo(new LookupResult.Unknowable());
    }

    @Test
    void uncertainCreationIsNotRepeatedIfTheLookUpIsUndecidable() {
      for (int look = 0; look < 2; look++) {
        server.enqueue(problem(403, "feature_not_available"));
        server.enqueue(json(200, page("r1,r2", null)));
        if (look == 0) {
          server.enqueue(problem(500, "internal_error"));
        }
      }

      assertThatThrownBy(() -> client.runs().createOnce(FIX_IT, "k-1").send())
          .isInstanceOfSatisfying(
              RunsException.ServerFailed.class,
              failure -> assertThat(failure.mayHaveHappened()).isTrue());
      assertThat(server.getRequestCount()).isEqualTo(5);
    }

    @Test
    void runCountsAsAbsentOnlyAfterTwoLookUps() {
      server.enqueue(json(200, page("", null)));
      server.enqueue(problem(500, "internal_error"));
      server.enqueue(json(200, page("", null)));
      server.enqueue(json(200, runs("r9", "k-1")));

      assertThat(client.runs().createOnce(FIX_IT, "k-1").send().runId()).isEqualTo("r9");
      assertThat(waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(3));
    }

    @Test
    void failedLookUpLeavesTheCreationUncertain() {
      server.enqueue(json(200, page("", null)));
      server.enqueue(problem(500, "internal_error"));
      server.enqueue(problem(503, "internal_error"));

      assertThatThrownBy(() -> client.runs().createOnce(FIX_IT, "k-1").send())
          .isInstanceOfSatisfying(
              RunsException.ServerFailed.class,
              failure -> {
                assertThat(failure.status()).hasValue(500);
                assertThat(failure.mayHaveHappened()).isTrue();
                assertThat(failure.getSuppressed()).hasSize(1);
              });
    }

    @Test
    void refusalIsReportedWithoutARetry() {
      server.enqueue(json(200, page("", null)));
      server.enqueue(problem(403, "insufficient_credits"));

      assertThatThrownBy(() -> client.runs().createOnce(FIX_IT, "k-1").send())
          .isInstanceOf(RunsException.Forbidden.class);
      assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @Test
    void permanentCreationFailureIsNotRetried() {
      server.enqueue(json(200, page("", null)));
      server.enqueue(problem(500, "environment_setup_failed", ", \"retryable\": false"));
      server.enqueue(json(200, page("", null)));
      server.enqueue(json(200, page("", null)));

      assertThatThrownBy(() -> client.runs().createOnce(FIX_IT, "k-1").send())
          .isInstanceOf(RunsException.ServerFailed.class);
      assertThat(server.getRequestCount()).isEqualTo(4);
    }

    @Test
    void createOnceRetriesNoEarlierThanRetryAfter() {
      server.enqueue(json(200, page("", null)));
      server.enqueue(
          problem(503, "internal_error").newBuilder().setHeader("Retry-After", "30").build());
      server.enqueue(json(200, page("", null)));
      server.enqueue(json(200, page("", null)));
      server.enqueue(json(200, CREATED));

      client.runs().createOnce(FIX_IT, "k-1").send();

      assertThat(waits).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(29));
    }

    @Test
    void keyMayContainNonAsciiCharacters() throws Exception {
      for (int time = 0; time < 2; time++) {
        server.enqueue(json(200, page("", null)));
        server.enqueue(json(200, CREATED));
        client.runs().createOnce(FIX_IT, "Prüfung 7").send();
      }

      server.takeRequest();
      var creation = server.takeRequest();
      assertThat(requireNonNull(creation.getBody()).utf8()).contains("\"Prüfung 7\"");
      server.takeRequest();
      assertThat(server.takeRequest().getHeaders().get("Idempotency-Key"))
          .isNotEmpty()
          .isEqualTo(creation.getHeaders().get("Idempotency-Key"));
    }

    @Test
    void interruptBeforeTheNextAttemptIsReportedAsInterrupted() {
      server.enqueue(json(200, page("", null)));
      server.enqueue(problem(500, "internal_error"));
      var interrupted =
          builder()
              .maxRetries(0)
              .time(
                  new TestTime(NOW) {
                    @Override
                    public void sleep(Duration time) throws InterruptedException {
                      super.sleep(time);
                      Thread.currentThread().interrupt();
                    }
                  })
              .build();

      assertThatThrownBy(() -> interrupted.runs().createOnce(FIX_IT, "k-1").send())
          .isInstanceOfSatisfying(
              RunsException.Interrupted.class,
              failure -> assertThat(failure.mayHaveHappened()).isTrue());
      assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void additionalBodyMembersAreSentOnlyWithTheCreation() throws Exception {
      var derived =
          client.withOptions(options -> options.withBodyMember("stars", IntNode.valueOf(5)));
      server.enqueue(json(200, page("", null)));
      server.enqueue(json(200, CREATED));

      derived.runs().createOnce(FIX_IT, "k-1").send();

      server.takeRequest();
      assertThat(requireNonNull(server.takeRequest().getBody()).utf8()).contains("\"stars\":5");
    }

    @Test
    void createOnceRequiresAKey() {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.runs().createOnce(FIX_IT, " ").send());
    }

    private static String runs(String id, String key) {
      return """
      {"runs": [{"run_id": "%s", "state": "QUEUED", "metadata": {"idempotency_key": "%s"}}],
       "page_info": {"has_next_page": false}}
      """
          .formatted(id, key);
    }
  }
}
