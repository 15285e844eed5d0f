package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
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
  void whatIsThereAtTheBeginningIsNoChange() {
    list("a QUEUED 10");
    list("a QUEUED 10");
    list("a QUEUED 10");
    list("a INPROGRESS 20");

    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL), 1))
        .containsExactly("a INPROGRESS");
  }

  @Test
  void eachLookGoesBackALittleAndTellsNothingTwice() throws Exception {
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
  void whereThereWereNoRunsEveryRunIsNews() {
    list();
    list();
    list("a QUEUED 1");

    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL), 1)).containsExactly("a QUEUED");
  }

  @Test
  void itCanGoOnWhereAnEarlierWatchEnded() throws Exception {
    list("a SUCCEEDED 10");

    var since = Instant.parse("2026-01-05T09:00:08Z");
    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL).since(since), 1))
        .containsExactly("a SUCCEEDED");
    assertThat(server.takeRequest().getTarget()).contains("updated_after=2026-01-05T09%3A00%3A03Z");
  }

  @Test
  void whatPassesIsWaitedOut() {
    list("a QUEUED 10");
    list("a QUEUED 10");
    server.enqueue(reset());
    server.enqueue(problem(503, "resource_unavailable"));
    list("a SUCCEEDED 20");

    assertThat(told(client.runs().watch(ListRuns.ALL, INTERVAL), 1)).containsExactly("a SUCCEEDED");
    assertThat(waits).hasSize(3).containsOnly(INTERVAL);
  }

  @Test
  void whatStaysEndsIt() {
    server.enqueue(problem(401, "authentication_required"));

    assertThatThrownBy(() -> told(client.runs().watch(ListRuns.ALL, INTERVAL), 1))
        .isInstanceOf(RunsException.Unauthorized.class);
  }

  @Test
  void inTheBackgroundItTellsUntilItIsCancelled() throws Exception {
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
    var items =
        Arrays.stream(runs)
            .map(run -> run.split(" "))
            .map(
                run ->
                    """
                    {"run_id": "%s", "state": "%s", "updated_at": "2026-01-05T09:00:%02dZ"}
                    """
                        .formatted(run[0], run[1], Integer.parseInt(run[2])))
            .collect(Collectors.joining(","));
    server.enqueue(
        json(200, "{\"runs\": [" + items + "], \"page_info\": {\"has_next_page\": false}}"));
  }
}
