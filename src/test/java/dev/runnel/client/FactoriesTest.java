package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.DispatchedRun;
import dev.runnel.wire.Factory;
import dev.runnel.wire.Golden;
import org.junit.jupiter.api.Test;

class FactoriesTest extends GroupFixture {
  @Test
  void factoriesAreListedBySearchTeamLimitAndCursor() throws Exception {
    answerGolden("factory-page");
    var query = ListFactories.ALL.search("pay & go").team("t-1").limit(5).cursor("a+/=");

    var page =
        sends(
            client.factories().list(query),
            "GET /factory?search=pay%20%26%20go&filter_team_uid=t-1&limit=5&cursor=a%2B%2F%3D");

    assertThat(page.items()).extracting(Factory::uid).containsExactly("f-1");
    assertThat(page.hasNext()).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> ListFactories.ALL.limit(0));
  }

  @Test
  void factoriesAreReadPageByPage() throws Exception {
    server.enqueue(
        json(
            200,
            "{\"factories\": [{\"uid\": \"a\"}],"
                + " \"page_info\": {\"has_next_page\": true, \"next_cursor\": \"c1\"}}"));
    answerGolden("factory-page");

    assertThat(client.factories().search("pay").items())
        .extracting(Factory::uid)
        .containsExactly("a", "f-1");
    assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/factory?search=pay");
    assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/factory?search=pay&cursor=c1");
  }

  @Test
  void factoryIsReadByItsUid() throws Exception {
    answerGolden("factory");

    assertThat(sends(client.factories().get("f/1"), "GET /factory/f%2F1"))
        .isEqualTo(Golden.read("factory", Factory.class));
  }

  @Test
  void dispatchStartsARunOfAFactory() throws Exception {
    answerGolden("dispatched-run");
    var dispatch = Golden.read("dispatch-run", DispatchRun.class);

    var run =
        sends(
            client.factories().dispatch("f-1", dispatch),
            "POST /factory/f-1/runs",
            Golden.tree("dispatch-run"));

    assertThat(run).isEqualTo(Golden.read("dispatched-run", DispatchedRun.class));
    assertThat(run.runUrl()).isEqualTo("https://app.example/runs/r1");
  }

  @Test
  void dispatchIsNotRetried() {
    var dispatch = DispatchRun.builder().prompt("fix it").build();
    server.enqueue(problem(500, "internal_error"));

    assertThat(catchThrowable(() -> client.factories().dispatch("f-1", dispatch).send()))
        .isInstanceOf(RunsException.ServerFailed.class);
    assertThat(server.getRequestCount()).isOne();
  }

  @Test
  void factoryTasksAreReadByPath() throws Exception {
    server.enqueue(json(200, "{\"tasks\": [{\"uid\": \"t1\", \"stage\": \"REVIEW\"}]}"));
    server.enqueue(json(200, "{\"uid\": \"t1\", \"stage\": \"REVIEW\"}"));

    assertThat(sends(client.get("/factory/f-1/tasks"), "GET /factory/f-1/tasks").findPath("stage"))
        .hasToString("\"REVIEW\"");
    sends(
        client.get("/factory/f-1/task-by-run").withOptions(it -> it.withQuery("run_id", "r1")),
        "GET /factory/f-1/task-by-run?run_id=r1");
  }

  @Test
  void failedFactoryCallThrowsTheMatchingException() {
    isRefused(
        client.factories().get("f-1"), 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(
        client.factories().list(ListFactories.ALL),
        403,
        "feature_not_available",
        RunsException.Forbidden.class);
  }

  @Test
  void emptyIdsAreNeverSent() {
    var dispatch = DispatchRun.builder().prompt("fix it").build();
    areNeverSent(
        () -> client.factories().get(""), () -> client.factories().dispatch(" ", dispatch));
  }
}
