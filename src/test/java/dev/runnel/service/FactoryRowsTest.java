package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static dev.runnel.service.Probes.assertNotFound;
import static dev.runnel.service.Probes.assertTime;
import static dev.runnel.service.Probes.assertUuid;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.Factory.Member;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Section 2.15 of the interface: groups of agents.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class FactoryRowsTest {
  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    var usual = Setup.USUAL;
    service =
        RunningService.with(
            folder,
            "cat",
            4,
            new Setup(
                usual.environments(),
                usual.limits(),
                usual.isolation(),
                usual.access(),
                List.of(factory("shop", "Web shop", "store"), factory("mill", "Paper", "pulp")),
                usual.egress(),
                usual.permissionRules()));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Row("2.15 GET /factory")
  void factoriesAreListedByAPartOfTheirNameOrAliasAndInPages() {
    assertThat(uids("")).containsExactly("mill", "shop");
    assertThat(uids("?search=SHOP")).containsExactly("shop");
    assertThat(uids("?search=tOr")).containsExactly("shop");
    assertThat(uids("?search=nothing")).isEmpty();
    assertThat(uids("?filter_team_uid=runnel")).hasSize(2);
    assertThat(uids("?filter_team_uid=other")).isEmpty();
    var page = service.ok(service.get("/factory?limit=1"));
    assertThat(page.at("/page_info/has_next_page").booleanValue()).isTrue();
    var cursor = page.at("/page_info/next_cursor").textValue();
    var last = service.ok(service.get("/factory?limit=1&cursor=" + cursor));
    assertThat(last.get("factories").findValuesAsText("uid")).containsExactly("shop");
    assertThat(last.at("/page_info/has_next_page").booleanValue()).isFalse();
    assertThat(last.get("page_info").has("next_cursor")).isFalse();
    for (var wrong : List.of("limit=0", "limit=501", "limit=x", "cursor=x", "cursor=-1")) {
      assertInvalid(service.get("/factory?" + wrong));
    }
  }

  @Row("2.15 GET /factory/{uid}")
  void aFactoryIsReadByItsUid() {
    var factory = service.ok(service.get("/factory/shop"));

    assertThat(factory.get("uid").asText()).isEqualTo("shop");
    assertThat(factory.get("name").asText()).isEqualTo("Web shop");
    assertThat(factory.get("alias").asText()).isEqualTo("store");
    assertThat(factory.get("description").asText()).isEqualTo("Sells");
    assertThat(factory.get("team_uid").asText()).isEqualTo("runnel");
    assertThat(factory.get("default_model").asText()).isEqualTo("big");
    assertThat(factory.get("repositories").isArray()).isTrue();
    assertThat(factory.get("integrations").isArray()).isTrue();
    assertTime(factory.get("created_at"));
    assertTime(factory.get("updated_at"));
    assertNotFound(service.get("/factory/nobody"));
    assertNotFound(service.get("/factory/"));
  }

  @Row("2.15 POST /factory/{uid}/runs")
  void workIsDispatchedAndIsARunLikeAnyOther() {
    var answer =
        dispatch(
            """
            {"prompt": " as it is ", "title": "Mine", "ticket_ref": "linear:PAY-123",
             "ticket_url": "https://tickets.example/7"}
            """);
    assertUuid(answer.get("run_id"));
    assertThat(answer.get("state").asText()).isEqualTo("QUEUED");
    assertThat(answer.get("factory_uid").asText()).isEqualTo("shop");
    assertThat(answer.get("foreman_agent").asText()).isEqualTo("foreman");
    assertThat(answer.get("ticket_ref").asText()).isEqualTo("linear:PAY-123");
    assertThat(answer.get("run_url").asText()).endsWith("/runs/" + answer.get("run_id").asText());

    var run = service.run(answer.get("run_id").asText());
    assertThat(run.get("prompt").asText()).isEqualTo(" as it is ");
    assertThat(run.get("title").asText()).isEqualTo("Mine");
    assertThat(run.get("factory_uid").asText()).isEqualTo("shop");
    assertThat(run.get("trigger_url").asText()).isEqualTo("https://tickets.example/7");
    assertThat(run.at("/metadata/ticket_id").asText()).isEqualTo("PAY-123");
    assertThat(run.at("/metadata/ticket_source").asText()).isEqualTo("linear");
    assertThat(run.at("/metadata/ticket_url").asText()).isEqualTo("https://tickets.example/7");
    assertThat(run.has("run_url")).isFalse();

    var minted = dispatch("{\"prompt\":\"x\"}");
    assertThat(minted.get("ticket_ref").asText()).matches("adhoc:\\S+");
    assertThat(service.run(minted.get("run_id").asText()).at("/metadata/ticket_id").asText())
        .isEqualTo(minted.get("ticket_ref").asText().substring("adhoc:".length()));
    var path = "/factory/shop/runs";
    var once = service.post(path, "{\"prompt\":\"x\"}", "key");
    assertThat(service.post(path, "{\"prompt\":\"x\"}", "key").body()).isEqualTo(once.body());
    for (var wrong :
        List.of(
            "{}",
            "{\"prompt\":\"\"}",
            "{\"prompt\":\" \"}",
            "{\"prompt\":7}",
            "{\"prompt\":\"x\",\"ticket_ref\":\"PAY-123\"}",
            "{\"prompt\":\"x\",\"ticket_url\":7}")) {
      assertInvalid(service.post(path, wrong));
    }
    assertNotFound(service.post("/factory/nobody/runs", "{\"prompt\":\"x\"}"));
  }

  @Row("2.15 factory tasks")
  void thereAreNoTasksHere() {
    for (var path :
        List.of("/tasks", "/tasks/t-1", "/task-by-run?run_id=r", "/task-by-conversation")) {
      assertNotFound(service.get("/factory/shop" + path));
    }
  }

  private static JsonNode dispatch(String body) {
    return service.ok(service.post("/factory/shop/runs", body));
  }

  private static List<String> uids(String query) {
    return service.ok(service.get("/factory" + query)).get("factories").findValuesAsText("uid");
  }

  private static Factory factory(String uid, String name, String alias) {
    return new Factory(
        uid,
        name,
        Optional.of(alias),
        Optional.of("Sells"),
        Optional.empty(),
        Optional.of("big"),
        new Member(
            "foreman", Optional.of("Lead"), Optional.empty(), Optional.empty(), Optional.empty()),
        List.of());
  }
}
