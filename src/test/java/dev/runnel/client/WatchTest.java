package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The changes of all runs, by listing.
@Timeout(30)
class WatchTest extends ClientFixture {
  private static final Duration INTERVAL = Duration.ofSeconds(5);

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
  void runsPresentAtTheStartAreNotReportedAsChanges() {
    list("a QUEUED 10");
    list("a QUEUED 10");
    list("a QUEUED 10");
    list("a INPROGRESS 20");

    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL), 1))
        .containsExactly("a INPROGRESS");
  }

  @Test
  void pollsOverlapALittleAndReportNothingTwice() throws Exception {
    list("a QUEUED 10");
    list("a QUEUED 10");
    list("a INPROGRESS 20");
    list("b QUEUED 19", "a INPROGRESS 20");
    list("a INPROGRESS 20", "b SUCCEEDED 30");

    assertThat(told(client.runs().watch(ListRuns.ALL.name("tests"), INTERVAL), 3))
        .containsExactly("a INPROGRESS", "b QUEUED", "b SUCCEEDED");
    assertThat(server.takeRequest().getTarget())
        .endsWith("?name=tests&sort_by=updated_at&sort_order=desc&limit=1");
    server.takeRequest();
    assertThat(server.takeRequest().getTarget())
        .endsWith(
            "?name=tests&updated_after=2026-01-05T09%3A00%3A05Z"
                + "&sort_by=updated_at&sort_order=asc&limit=500");
    assertThat(server.takeRequest().getTarget()).contains("updated_after=2026-01-05T09%3A00%3A15Z");
  }

  @Test
  void everyRunIsReportedIfThereWereNoneAtTheStart() {
    list();
    list();
    list("a QUEUED 1");

    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL), 1)).containsExactly("a QUEUED");
  }

  @Test
  void watchCanContinueWhereAnEarlierWatchEnded() throws Exception {
    list("a SUCCEEDED 10");

    var since = Instant.parse("2026-01-05T09:00:08Z");
    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL).since(since), 1))
        .containsExactly("a SUCCEEDED");
    assertThat(server.takeRequest().getTarget()).contains("updated_after=2026-01-05T09%3A00%3A03Z");
  }

  @Test
  void watchWaitsAnIntervalBetweenPollsEvenAfterChanges() {
    list("a QUEUED 10");
    list("a QUEUED 11");
    list("a INPROGRESS 12");

    var watch = client.runs().watch(ListRuns.ALL, INTERVAL).since(NOW);
    assertThat(told(watch, 3)).containsExactly("a QUEUED", "a QUEUED", "a INPROGRESS");
    assertThat(waits).containsExactly(INTERVAL, INTERVAL);
  }

  @Test
  void runsOnTheFirstPageAreReportedBeforeTheSecondPageIsRead() {
    list(true, "a QUEUED 10");
    list(true, "a QUEUED 10");
    list("b QUEUED 11");

    var watch = client.runs().watch(ListRuns.ALL, INTERVAL).since(NOW);
    var told = new ArrayList<String>();
    watch.stream()
        .limit(2)
        .forEach(run -> told.add(run.runId() + " after " + server.getRequestCount()));

    assertThat(told).containsExactly("a after 1", "b after 3");
    assertThat(waits).isEmpty();
  }

  @Test
  void watchReadsAllPagesIfTheServiceSortsDifferently() {
    list(true, "a QUEUED 50", "b QUEUED 40");
    list("c QUEUED 10");
    list("c SUCCEEDED 55");

    var watch = client.runs().watch(ListRuns.ALL, INTERVAL).since(NOW);
    assertThat(told(watch, 4)).containsExactly("a QUEUED", "b QUEUED", "c QUEUED", "c SUCCEEDED");
  }

  @Test
  void watchIgnoresTheCursorOfItsQuery() throws Exception {
    list("a QUEUED 10");

    var told =
        told(client.runs().watch(ListRuns.ALL.cursor("c9").limit(3), INTERVAL).since(NOW), 1);

    assertThat(told).containsExactly("a QUEUED");
    assertThat(server.takeRequest().getTarget()).doesNotContain("cursor").contains("limit=500");
  }

  @Test
  void initialFailureDoesNotReportExistingRunsAsChanges() {
    list("a QUEUED 10");
    server.enqueue(reset());
    list("a QUEUED 10");
    list("a QUEUED 10", "b QUEUED 11");

    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL), 1)).containsExactly("b QUEUED");
  }

  @Test
  void watchObeysTheRetryAfterOfAFullService() {
    server.enqueue(
        problem(429, "resource_unavailable").newBuilder().setHeader("Retry-After", "90").build());
    list("a QUEUED 10");

    told(client.runs().watch(ListRuns.ALL, INTERVAL).since(NOW), 1);

    assertThat(waits).containsExactly(Duration.ofSeconds(90));
  }

  @Test
  void closedClientEndsTheWatch() {
    client.close();

    assertThatThrownBy(() -> told(client.runs().watch(ListRuns.ALL, INTERVAL), 1))
        .isInstanceOf(RunsException.ConnectionFailed.class);
  }

  @Test
  void watchContinuesAfterATemporaryFailure() {
    list("a QUEUED 10");
    list("a QUEUED 10");
    server.enqueue(reset());
    server.enqueue(problem(503, "resource_unavailable"));
    list("a SUCCEEDED 20");

    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL), 1)).containsExactly("a SUCCEEDED");
    assertThat(waits).hasSize(3).containsOnly(INTERVAL);
  }

  @Test
  void permanentFailureEndsTheWatch() {
    server.enqueue(problem(401, "authentication_required"));

    assertThatThrownBy(() -> told(client.runs().watch(ListRuns.ALL, INTERVAL), 1))
        .isInstanceOf(RunsException.Unauthorized.class);
  }

  @Test
  void asyncWatchReportsRunsUntilARequestIsUnauthorized() throws Exception {
    list("a SUCCEEDED 10");
    server.enqueue(json(401, "{}"));
    var told = new CopyOnWriteArrayList<String>();

    var watching =
        client
            .runs()
            .watch(ListRuns.ALL, INTERVAL)
            .since(NOW)
            .forEachAsync(run -> told.add(run.runId()));

    assertThatThrownBy(() -> watching.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(RunsException.Unauthorized.class);
    assertThat(told).containsExactly("a");
  }

  private static List<String> told(Watch watch, int changes) {
    return watch.stream().limit(changes).map(run -> run.runId() + " " + run.state()).toList();
  }

  /// @param runs `id STATE second`
  private void list(String... runs) {
    list(false, runs);
  }

  private void list(boolean more, String... runs) {
    var items =
        Arrays.stream(runs)
            .map(run -> run.split(" "))
            .map(
                run ->
                    """
                    {"run_id": "%s", "state": "%s", "updated_at": "2026-01-05T09:00:%02dZ",
                     "run_time": "%s"}
                    """
                        .formatted(run[0], run[1], Integer.parseInt(run[2]), runTime()))
            .collect(Collectors.joining(","));
    var info = "{\"has_next_page\": %s, \"next_cursor\": \"c1\"}".formatted(more);
    server.enqueue(json(200, "{\"runs\": [" + items + "], \"page_info\": " + info + "}"));
  }
}
