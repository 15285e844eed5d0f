package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static dev.runnel.service.Probes.encoded;
import static dev.runnel.service.Probes.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.Factory;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Section 2.10 of the interface: what a list is asked for. There are two queued runs, the one that
/// takes the only slot, and one that was started by another.
@Tag("slow")
@ResourceLock("ListRowsTest")
@DisplayNameGeneration(Row.Names.class)
class ListRowsTest {
  /// All but the one that takes the slot.
  private static final String OURS = "metadata%5Bset%5D=1";

  /// A foreman keeps the key for the runs below its own.
  private static final String AGENT =
      "printf %s \"$RUNNEL_AGENT_API_KEY\" > part; mv part key; exec sleep 300";

  @TempDir static Path folder;
  private static RunningService service;
  private static String working;
  private static String plain;
  private static String skilled;
  private static String child;

  @BeforeAll
  static void start() {
    var shop =
        new Factory(
            "shop",
            "Web shop",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new Factory.Member(
                "foreman", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
            List.of());
    service = RunningService.with(folder, AGENT, 1, RunningService.Setup.USUAL.with(shop));
    working =
        service
            .ok(service.post("/factory/shop/runs", "{\"prompt\":\"takes the slot\"}"))
            .get("run_id")
            .asText();
    service.awaitState(working, "INPROGRESS");
    plain =
        service.create(
            object(
                "{\"prompt\":\"Fix the flaky"
                    + " test\",\"title\":\"b\",\"metadata\":{\"set\":\"1\"}}"));
    skilled =
        service.create(
            object(
                """
                {"skill": "o/r:tidy", "title": "a", "on_behalf_of": "ada@team.example",
                 "metadata": {"ticket_id": "V 1", "team": "blue", "set": "1"},
                 "config": {"name": "nightly", "model_id": "m-1", "environment_id": "e-1"}}
                """));
    // Children have slots of their own.
    child =
        service.create(
            object("{\"prompt\":\"part\",\"title\":\"c\",\"parent_run_id\":\"" + plain + "\"}"));
    service.awaitState(child, "INPROGRESS");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Row("2.10 limit")
  void aPageHasAsManyRunsAsAreAskedForAndTwentyElse() {
    assertThat(ids("limit=1")).hasSize(1);
    assertThat(ids("limit=3")).hasSize(3);
    for (int i = 0; i < 21; i++) {
      service.create(object("{\"prompt\":\"x\",\"metadata\":{\"tag\":\"many\"}}"));
    }
    assertThat(ids("metadata%5Btag%5D=many")).hasSize(20);
    ids("metadata%5Btag%5D=many&limit=500").forEach(service::cancel);
  }

  @Row("2.10 cursor")
  void aCursorIsFromThePageBefore() {
    var page = service.ok(list("limit=1&" + OURS));
    var cursor = page.at("/page_info/next_cursor");

    assertThat(cursor.isTextual()).isTrue();
    assertThat(ids("limit=1&" + OURS + "&cursor=" + encoded(cursor.asText())))
        .hasSize(1)
        .doesNotContain(page.at("/runs/0/run_id").asText());
    for (var wrong : List.of("", "none", "%25%25", "bm8", "e30")) {
      assertInvalid(list("cursor=" + wrong));
    }
  }

  @Row("2.10 sort_by, sort_order")
  void runsComeInEachOrder() {
    var all = "state=QUEUED&state=INPROGRESS";
    assertThat(ids(all)).isEqualTo(ids(all + "&sort_by=updated_at&sort_order=desc"));
    assertThat(ids(all + "&sort_by=created_at&sort_order=asc"))
        .containsExactly(working, plain, skilled, child);
    assertThat(ids(all + "&sort_by=created_at")).containsExactly(child, skilled, plain, working);
    assertThat(ids(OURS + "&sort_by=title&sort_order=asc")).containsExactly(skilled, plain, child);
    assertThat(ids(OURS + "&sort_by=agent&sort_order=asc")).startsWith(skilled).hasSize(3);
    assertThat(ids(OURS + "&sort_by=agent&sort_order=desc")).startsWith(skilled).hasSize(3);
    for (var by : List.of("agent", "title", "created_at", "updated_at")) {
      for (var order : List.of("asc", "desc")) {
        assertThat(pages(OURS + "&limit=1&sort_by=" + by + "&sort_order=" + order))
            .as(by + " " + order)
            .isEqualTo(ids(OURS + "&sort_by=" + by + "&sort_order=" + order));
      }
    }
    assertInvalid(list("sort_by=color"));
    assertInvalid(list("sort_order=up"));
  }

  @Row("2.10 state")
  void statesAreRepeatedForAlternatives() {
    assertThat(ids("state=INPROGRESS")).containsExactlyInAnyOrder(working, child);
    assertThat(ids("state=QUEUED")).containsExactly(skilled, plain);
    assertThat(ids("state=QUEUED&state=INPROGRESS"))
        .containsExactlyInAnyOrder(working, plain, skilled, child);
    assertThat(ids("state=FAILED")).isEmpty();
    for (var wrong : List.of("", "DONE", "queued", "QUEUED,FAILED")) {
      assertInvalid(list("state=" + wrong));
    }
  }

  @Row("2.10 name")
  void theNameIsMatchedExactly() {
    assertThat(ids("name=nightly")).containsExactly(skilled);
    assertThat(ids("name=nightly&name=other")).containsExactly(skilled);
    assertThat(ids("name=night")).isEmpty();
    assertThat(ids("name=")).isEmpty();
  }

  @Row("2.10 model_id, creator, environment_id, schedule_id")
  void runsAreFoundByWhatTheyRunWith() {
    for (var query : List.of("model_id=m-1", "creator=ada%40team.example", "environment_id=e-1")) {
      assertThat(ids(query)).as(query).containsExactly(skilled);
      assertThat(ids(query + "x")).as(query).isEmpty();
      assertThat(ids(query + "x&" + query)).as(query).containsExactly(skilled);
    }
    assertThat(ids("creator=runnel&" + OURS)).containsExactly(child, plain);
    assertThat(ids("schedule_id=s-1")).isEmpty();
    assertThat(ids("model_id=m-1&environment_id=other")).isEmpty();
  }

  @Row("2.10 source")
  void sourcesAreAlternativesAndMustBeKnown() {
    assertThat(ids("source=ORCHESTRATION")).containsExactly(child);
    assertThat(ids("source=SLACK")).isEmpty();
    assertThat(ids("source=SLACK&source=ORCHESTRATION")).containsExactly(child);
    assertInvalid(list("source=PIGEON"));
    assertInvalid(list("source="));
  }

  @Row("2.10 created_after, created_before, updated_after")
  void timesAreExclusiveBounds() {
    var run = service.run(skilled);
    var created = encoded(run.get("created_at").asText());
    assertThat(ids(OURS + "&created_after=" + created)).containsExactly(child);
    assertThat(ids("created_before=" + created)).contains(plain, working).doesNotContain(skilled);
    assertThat(ids("updated_after=" + encoded(run.get("updated_at").asText())))
        .doesNotContain(skilled);
    for (var time :
        List.of("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5%2B02:00", "2020-01-01T00:00:00")) {
      assertThat(ids(OURS + "&created_after=" + time)).hasSize(3);
      assertThat(ids(OURS + "&updated_after=" + time)).hasSize(3);
      assertThat(ids("created_before=" + time)).isEmpty();
    }
    for (var name : List.of("created_after", "created_before", "updated_after")) {
      assertInvalid(list(name + "=yesterday"));
      assertInvalid(list(name + "="));
    }
  }

  @Row("2.10 skill, skill_spec")
  void theSkillHasTwoNames() {
    assertThat(ids("skill=o%2Fr:tidy")).containsExactly(skilled);
    assertThat(ids("skill_spec=o%2Fr:tidy")).containsExactly(skilled);
    assertThat(ids("skill=o%2Fr:tidy&skill=o%2Fr:other")).containsExactly(skilled);
    assertThat(ids("skill=o%2Fr:other")).isEmpty();
  }

  @Row("2.10 artifact_type")
  void artifactsAreFoundByTheirType() {
    for (var type : List.of("PLAN", "PULL_REQUEST", "SCREENSHOT", "FILE", "EXTERNAL_REFERENCE")) {
      assertThat(ids("artifact_type=" + type)).isEmpty();
    }
    assertThat(ids("artifact_type=PLAN&artifact_type=FILE")).isEmpty();
    assertInvalid(list("artifact_type=HOLOGRAM"));
  }

  @Row("2.10 q")
  void wordsAreLookedForInTitlePromptAndSkillAndIdsAreFound() {
    assertThat(ids("q=FLAKY")).containsExactly(plain);
    assertThat(ids("q=fix%20test")).containsExactly(plain);
    assertThat(ids("q=tidy")).containsExactly(skilled);
    assertThat(ids("q=" + child)).containsExactly(child);
    assertThat(ids("q=" + encoded("http://runnel.test:8080/runs/" + child))).containsExactly(child);
    assertThat(ids("q=flaky%20elephant")).isEmpty();
  }

  @Row("2.10 execution_location")
  void allRunsWorkHereWhichIsRemoteToTheCaller() {
    assertThat(ids(OURS + "&execution_location=REMOTE")).hasSize(3);
    assertThat(ids("execution_location=LOCAL")).isEmpty();
    assertThat(ids(OURS + "&execution_location=LOCAL&execution_location=REMOTE")).hasSize(3);
    assertInvalid(list("execution_location=MOON"));
  }

  @Row("2.10 ancestor_run_id")
  void theAncestorMustExistAndBeAccessible() throws IOException {
    assertThat(ids("ancestor_run_id=" + plain)).containsExactly(child);
    assertThat(ids("ancestor_run_id=" + child)).isEmpty();
    assertInvalid(list("ancestor_run_id=nobody"));
    assertInvalid(list("ancestor_run_id="));

    var file = folder.resolve("workspaces/" + working + "/key");
    RunningService.awaitFile(file);
    var key = Files.readString(file);
    for (var query : List.of("", "ancestor_run_id=" + working)) {
      assertThat(service.ok(list(key, query)).get("runs")).isEmpty();
    }
    assertInvalid(list(key, "ancestor_run_id=" + plain));
  }

  @Row("2.10 executor, metadata")
  void pairsOfMetadataMustAllHold() {
    assertThat(ids("executor=runnel&" + OURS)).containsExactly(child, skilled, plain);
    assertThat(ids("executor=ada%40team.example")).isEmpty();
    assertThat(ids("metadata%5Bticket_id%5D=V%201&metadata%5Bteam%5D=blue"))
        .containsExactly(skilled);
    assertThat(ids("metadata%5Bticket_id%5D=V%201&metadata%5Bteam%5D=red")).isEmpty();
    assertThat(ids("metadata%5BTeam%5D=blue")).isEmpty();
    var five = "metadata%5Ba%5D=1&metadata%5Bb%5D=1&metadata%5Bc%5D=1&metadata%5Bd%5D=1";
    assertThat(ids(five + "&metadata%5Be%5D=1")).isEmpty();
    assertInvalid(list(five + "&metadata%5Be%5D=1&metadata%5Bf%5D=1"));
    assertInvalid(list("metadata%5Bbad%20key%5D=1"));
    assertInvalid(list("metadata%5B%5D=1"));
  }

  @Row("2.10 automation_id, factory_uid")
  void runsOfAnAutomationOrAFactoryAreFound() {
    assertThat(ids("automation_id=a-1")).isEmpty();
    assertThat(ids("factory_uid=shop")).containsExactly(working);
    assertThat(ids("factory_uid=shop&factory_uid=mill")).containsExactly(working);
    assertThat(ids("factory_uid=mill")).isEmpty();
  }

  @Row("2.10 task_status, factory_only")
  void runsOfATaskAreFoundByHowItIs() {
    assertThat(ids("task_status=running&factory_only=true")).containsExactly(working);
    assertThat(ids("task_status=running&factory_only=false"))
        .containsExactlyInAnyOrder(child, skilled, plain, working);
    for (var status : List.of("failed", "blocked", "complete")) {
      assertThat(ids("task_status=" + status)).isEmpty();
    }
    var gone = service.create("to be cancelled");
    service.cancel(gone);
    assertThat(ids("task_status=cancelled")).contains(gone).doesNotContain(plain);
    assertThat(ids("task_status=cancelled&task_status=running")).contains(gone, plain);
    assertInvalid(list("task_status=done"));
    assertInvalid(list("factory_only=1"));
  }

  @Row("2.10 empty-environment")
  void runsWithoutAnEnvironmentAreFound() {
    var blank = service.create(object("{\"prompt\":\"x\",\"config\":{\"environment_id\":\"\"}}"));
    var query = "state=QUEUED&environment_id=empty-environment";
    assertThat(ids(query)).containsExactly(blank, plain);
    assertThat(ids(query + "&environment_id=e-1")).containsExactly(blank, skilled, plain);
    service.cancel(blank);
  }

  @Row("2.10 bounds of limit")
  void aPageHasOneToFiveHundredRuns() {
    assertThat(list("limit=1").statusCode()).isEqualTo(200);
    assertThat(list("limit=500").statusCode()).isEqualTo(200);
    for (var wrong : List.of("0", "501", "-1", "1.5", "many", "", "99999999999")) {
      assertInvalid(list("limit=" + wrong));
    }
  }

  @Row("2.10 continuation")
  void theSameQueryWithTheNextCursorComesToAnEnd() {
    assertThat(pages(OURS + "&limit=2")).containsExactly(child, skilled, plain);
    assertThat(pages("state=FAILED&limit=2")).isEmpty();
  }

  @Test
  void aRunThatChangesIsOnAPageOfTheOrderByCreation() {
    var tag = "metadata%5Btag%5D=moves&limit=1";
    var older = service.create(object("{\"prompt\":\"x\",\"metadata\":{\"tag\":\"moves\"}}"));
    var newer = service.create(object("{\"prompt\":\"x\",\"metadata\":{\"tag\":\"moves\"}}"));
    var byCreation = tag + "&sort_by=created_at";
    var first = service.ok(list(byCreation)).at("/page_info/next_cursor").asText();
    var firstByChange = service.ok(list(tag)).at("/page_info/next_cursor").asText();

    service.followUp(older, "changes");

    assertThat(ids(byCreation + "&cursor=" + encoded(first))).containsExactly(older);
    assertThat(ids(tag + "&cursor=" + encoded(firstByChange))).isEmpty();
    assertThat(ids(tag)).containsExactly(older);
    service.cancel(older);
    service.cancel(newer);
  }

  @Row("2.10 403 of metadata")
  void theFilterByMetadataIsOpenToEveryKey() {
    var reading =
        RunningService.json(service.post("/agent/keys", "{\"name\":\"k\",\"scope\":\"read\"}"))
            .get("key")
            .asText();

    var answer = list(reading, "metadata%5Bteam%5D=blue");
    assertThat(service.ok(answer).get("runs")).hasSize(1);
  }

  @Row("2.14 config_name")
  void theNameOfTheConfigurationHasTwoNames() {
    assertThat(ids("config_name=nightly")).containsExactly(skilled);
    assertThat(ids("config_name=other")).isEmpty();
  }

  /// As the libraries go on: the same query, with the cursor replaced.
  private static List<String> pages(String query) {
    var all = new ArrayList<String>();
    JsonNode page = service.ok(list(query));
    while (true) {
      all.addAll(page.get("runs").findValuesAsText("run_id"));
      if (!page.at("/page_info/has_next_page").booleanValue()) {
        assertThat(page.at("/page_info").has("next_cursor")).isFalse();
        return all;
      }
      var cursor = encoded(page.at("/page_info/next_cursor").asText());
      page = service.ok(list(query + "&cursor=" + cursor));
    }
  }

  private static List<String> ids(String query) {
    return Probes.ids(service, query);
  }

  private static HttpResponse<String> list(String query) {
    return service.get("/agent/runs?" + query);
  }

  private static HttpResponse<String> list(String key, String query) {
    return service.send(
        HttpRequest.newBuilder(service.uri("/api/v1/agent/runs?" + query))
            .header("Authorization", "Bearer " + key));
  }
}
