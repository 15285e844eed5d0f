package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static dev.runnel.service.Probes.assertNotFound;
import static dev.runnel.service.Probes.assertTime;
import static dev.runnel.service.Probes.assertUuid;
import static dev.runnel.service.Probes.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.SettableClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Sections 2.6, 2.7 and 2.9 of the interface: a run as it is shown, in lists and alone. Its states
/// are in `StateRowsTest`.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class RunItemRowsTest {
  private static final String COMMAND =
      """
      read -r line
      case "$line" in
        fail*) echo 'no disk' >&2; exit 3;;
        wait*) echo '::status reading'; sleep 300;;
        open*) echo 'See https://github.com/o/r/pull/7'; cat;;
        *) echo "$line"; cat;;
      esac
      """;

  /// Writes a plan and a file, and says what its model took.
  private static final String CLAUDE =
      """
      #!/bin/sh
      head -n 1 > /dev/null
      printf 'My notes' > notes.md
      say() {
        printf '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"%s",' "$1"
        printf '"input":{"%s":"%s"}}]}}\\n' "$2" "$3"
      }
      say Write file_path "$PWD/notes.md"
      say ExitPlanMode plan '1. read'
      printf '{"type":"result","subtype":"success","is_error":false,"result":"Done.",'
      printf '"total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":5}}\\n'
      """;

  @TempDir static Path folder;
  @TempDir static Path other;
  private static RunningService service;

  /// Its slot is taken for good: runs stay queued.
  private static RunningService full;

  /// One that succeeded, with all that can be asked for.
  private static JsonNode done;

  private static JsonNode failed;
  private static JsonNode waiting;

  /// One of a known agent.
  private static JsonNode made;

  @BeforeAll
  static void start() throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(program, CLAUDE);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    full = RunningService.withCommand(other, "exec sleep 300", 1);
    full.awaitState(full.create("takes the slot"), "INPROGRESS");
    service =
        RunningService.inEnvironment(
            folder,
            Optional.of(COMMAND),
            Map.of("PATH", program.getParent() + ":" + System.getenv("PATH")));
    var first =
        service.create(
            object(
                """
                {"prompt": "open it\\nplease", "title": "Mine", "on_behalf_of": "ada@team.example",
                 "metadata": {"ticket_url": "https://tickets.example/7", "k": ""},
                 "config": {"name": "nightly", "skill_spec": "o/r:a/tidy/SKILL.md"}}
                """));
    var others =
        List.of(
            service.create("fail"),
            service.create("wait"),
            service.create(
                object("{\"prompt\":\"x\",\"config\":{\"harness\":{\"type\":\"claude\"}}}")));
    done = service.awaitState(first, "SUCCEEDED");
    failed = service.awaitState(others.get(0), "FAILED");
    await().until(() -> service.message(others.get(1)).equals("reading"));
    waiting = service.run(others.get(1));
    made = service.awaitState(others.get(2), "SUCCEEDED");
  }

  @AfterAll
  static void stop() {
    full.close();
    service.close();
  }

  @Row("2.6 run_id")
  void theIdIsAUuidAndTheSameInListAndDetail() {
    assertUuid(done.get("run_id"));
    for (var run :
        service.ok(service.get("/agent/runs?state=SUCCEEDED&state=FAILED")).get("runs")) {
      assertThat(service.run(run.get("run_id").asText())).isEqualTo(run);
    }
  }

  @Row("2.6 task_id")
  void theIdHasItsOldNameToo() {
    assertThat(done.get("task_id")).isEqualTo(done.get("run_id"));
  }

  @Row("2.6 title")
  void theTitleIsAlwaysThere() {
    assertThat(done.get("title").asText()).isEqualTo("Mine");
    assertThat(waiting.get("title").asText()).isEqualTo("wait");
  }

  @Row("2.6 state")
  void theStateIsAlwaysThere() {
    assertThat(done.get("state").asText()).isEqualTo("SUCCEEDED");
    assertThat(failed.get("state").asText()).isEqualTo("FAILED");
    assertThat(waiting.get("state").asText()).isEqualTo("INPROGRESS");
  }

  @Row("2.6 prompt")
  void thePromptIsAlwaysThereEvenIfEmpty() {
    assertThat(done.get("prompt").asText()).isEqualTo("open it\nplease");
    assertThat(Probes.created(service, "{\"skill\":\"o/r:s\"}").get("prompt").asText()).isEmpty();
  }

  @Row("2.6 created_at")
  void theCreationHasATime() {
    assertTime(done.get("created_at"));
  }

  @Row("2.6 updated_at")
  void theLastChangeHasATime() {
    assertTime(done.get("updated_at"));
    assertThat(done.get("updated_at").asText()).isGreaterThan(done.get("created_at").asText());
  }

  @Row("2.6 started_at")
  void theStartHasATime() {
    assertTime(done.get("started_at"));
    assertThat(done.get("started_at").asText())
        .isBetween(done.get("created_at").asText(), done.get("updated_at").asText());
  }

  @Row("2.6 status_message")
  void theStatusMessageSaysHowItIs() {
    assertThat(waiting.at("/status_message/message").asText()).isEqualTo("reading");
    assertThat(done.at("/status_message/message").asText()).endsWith("please");
    assertThat(failed.at("/status_message/message").asText()).isEqualTo("no disk");
  }

  @Row("2.6 source")
  void theSourceIsSaid() {
    assertThat(done.get("source").asText()).isEqualTo("API");
  }

  @Row("2.6 creator")
  void theCreatorIsWhomTheRunIsFor() {
    assertThat(done.at("/creator/email").asText()).isEqualTo("ada@team.example");
    assertThat(failed.at("/creator/uid").asText()).isEqualTo("runnel");
  }

  @Row("2.6 executor")
  void theExecutorIsAsWhomTheAgentWorks() {
    assertThat(done.at("/executor/uid").asText()).isEqualTo("runnel");
    assertThat(done.at("/executor/type").asText()).isEqualTo("service_account");
  }

  @Row("2.6 session_id")
  void theSessionIsAUuid() {
    assertUuid(done.get("session_id"));
  }

  @Row("2.6 session_link")
  void theSessionHasAnAddress() {
    assertThat(done.get("session_link").asText())
        .isEqualTo("http://runnel.test:8080/runs/" + done.get("run_id").asText());
  }

  @Row("2.6 trigger_url")
  void theTicketIsWhatCausedTheRun() {
    assertThat(done.get("trigger_url").asText()).isEqualTo("https://tickets.example/7");
    assertThat(failed.has("trigger_url")).isFalse();
  }

  @Row("2.6 agent_config")
  void theConfigurationIsShown() {
    assertThat(done.get("agent_config"))
        .isEqualTo(
            object(
                """
                {"name": "nightly", "skill_spec": "o/r:a/tidy/SKILL.md", "model_id": "default",
                 "harness": {"type": "oz"}}
                """));
    assertThat(failed.get("agent_config"))
        .isEqualTo(object("{\"model_id\":\"default\",\"harness\":{\"type\":\"oz\"}}"));
  }

  @Row("2.6 agent_skill")
  void theSkillIsShownByItsPath() {
    assertThat(done.get("agent_skill"))
        .isEqualTo(object("{\"name\":\"tidy\",\"full_path\":\"o/r:a/tidy/SKILL.md\"}"));
    assertThat(failed.has("agent_skill")).isFalse();
  }

  @Row("2.6 conversation_id")
  void theConversationIsAUuid() {
    assertUuid(done.get("conversation_id"));
  }

  @Row("2.6 parent_run_id")
  void theParentIsOnlyThereForAChild() {
    var id = done.get("run_id").asText();

    assertThat(child(id).get("parent_run_id").asText()).isEqualTo(id);
    assertThat(done.has("parent_run_id")).isFalse();
  }

  @Row("2.6 artifacts")
  void artifactsAreAList() {
    assertThat(failed.get("artifacts").isArray()).isTrue();
    assertThat(done.get("artifacts")).hasSize(1);
    for (var artifact : made.get("artifacts")) {
      assertThat(artifact.get("artifact_type").isTextual()).isTrue();
      assertTime(artifact.get("created_at"));
      assertThat(artifact.get("data").isObject()).isTrue();
    }
  }

  @Row("2.6 request_usage")
  void whatTheModelTookIsSaidWhereItIsKnown() {
    assertThat(made.get("request_usage").isObject()).isTrue();
    assertThat(done.has("request_usage")).isFalse();
  }

  @Row("2.6 schedule")
  void theScheduleIsSaidOfItsRunsOnly(@TempDir Path clocked) {
    assertThat(done.has("schedule")).isFalse();

    var schedule = scheduled(clocked).get("schedule");
    assertUuid(schedule.get("schedule_id"));
    assertThat(schedule.get("schedule_name").asText()).isEqualTo("hourly");
    assertThat(schedule.get("cron_schedule").asText()).isEqualTo("0 * * * *");
  }

  @Row("2.6 scope")
  void theScopeIsTheTeamsOrAUsers() {
    assertThat(done.at("/scope/type").asText()).isEqualTo("Team");
    assertThat(
            Probes.created(service, "{\"prompt\":\"x\",\"team\":false}").at("/scope/type").asText())
        .isEqualTo("User");
  }

  @Row("2.6 is_sandbox_running")
  void aSandboxRunsWhileTheAgentWorks() {
    assertThat(waiting.get("is_sandbox_running").booleanValue()).isTrue();
    assertThat(done.get("is_sandbox_running").isBoolean()).isTrue();
    assertThat(done.get("is_sandbox_running").booleanValue()).isFalse();
  }

  @Row("2.6 execution_location")
  void theWorkIsDoneOnTheServicesSide() {
    assertThat(done.get("execution_location").asText()).isEqualTo("REMOTE");
  }

  @Row("2.6 metadata")
  void metadataIsAMapOfText() {
    assertThat(done.get("metadata"))
        .isEqualTo(object("{\"ticket_url\":\"https://tickets.example/7\",\"k\":\"\"}"));
    assertThat(failed.get("metadata")).isEqualTo(object("{}"));
  }

  @Row("2.6 run_time")
  void theTimeOfTheWorkIsADuration() {
    assertThat(Duration.parse(done.get("run_time").asText())).isPositive();
    assertThat(Duration.parse(waiting.get("run_time").asText()))
        .isGreaterThanOrEqualTo(Duration.ZERO);
  }

  @Row("2.6 is_run_type_cancellable")
  void everyRunIsOfAKindThatCanBeCancelled() {
    for (var run : List.of(done, failed, waiting, made)) {
      assertThat(run.get("is_run_type_cancellable").booleanValue()).isTrue();
    }
  }

  @Row("2.6 debug_agent_available")
  void thereIsNoAgentForDebugging() {
    assertThat(done.get("debug_agent_available").isBoolean()).isTrue();
    assertThat(done.get("debug_agent_available").booleanValue()).isFalse();
  }

  @Row("2.6 factory_uid")
  void noFactoryIsNamedWhereThereIsNone() {
    assertThat(done.has("factory_uid")).isFalse();
    assertThat(forged().has("factory_uid")).isFalse();
  }

  @Row("2.6 submitted_prompt")
  void thePromptIsTheSubmittedOneAndIsNotSaidTwice() {
    assertThat(done.get("prompt").asText()).isEqualTo("open it\nplease");
    assertThat(done.has("submitted_prompt")).isFalse();
    var id = full.create("one");
    full.followUp(id, "two");
    assertThat(full.run(id).get("prompt").asText()).isEqualTo("one\n\ntwo");
    assertThat(full.run(id).has("submitted_prompt")).isFalse();
  }

  @Row("2.6 no run_url")
  void aRunHasNoAddressNorWhatACallerMadeUp() {
    assertThat(done.has("run_url")).isFalse();
    assertThat(forged().has("run_url")).isFalse();
  }

  @Row("2.6 started_at of null")
  void nothingOfAStartIsSaidBeforeIt() {
    var run = forged();

    for (var member : List.of("started_at", "run_time", "session_id", "session_link")) {
      assertThat(run.hasNonNull(member)).as(member).isFalse();
    }
    assertThat(run.get("a_member_of_next_year").asInt()).isEqualTo(1);
  }

  @Row("2.7 RunStatusMessage")
  void categoryAndRetryAreSaidOfFailuresOnly() {
    // The catalogue has no code for an agent that fails.
    assertThat(failed.get("status_message").has("error_code")).isFalse();
    assertThat(failed.path("error_category").asText()).isEqualTo("agent");
    assertThat(failed.at("/status_message/retryable").isBoolean()).isTrue();
    for (var run : List.of(done, waiting, made)) {
      assertThat(run.at("/status_message/message").isTextual()).isTrue();
      assertThat(run.get("status_message").has("error_code")).isFalse();
      assertThat(run.get("status_message").has("retryable")).isFalse();
    }
  }

  @Row("2.7 RunCreatorInfo")
  void peopleAndAccountsAreToldApart() {
    assertThat(done.at("/creator/type").asText()).isEqualTo("user");
    assertThat(done.at("/creator/uid").asText()).isEqualTo("ada@team.example");
    assertThat(done.at("/creator/display_name").asText()).isEqualTo("ada@team.example");
    assertThat(failed.get("creator"))
        .isEqualTo(
            object(
                "{\"type\":\"service_account\",\"uid\":\"runnel\",\"display_name\":\"Runnel\"}"));
  }

  @Row("2.7 RequestUsage")
  void usageIsNumbers() {
    assertThat(made.at("/request_usage/total_tokens").asInt()).isEqualTo(15);
    assertThat(made.at("/request_usage/inference_cost_usd").decimalValue())
        .isEqualByComparingTo("0.25");
    assertThat(made.get("request_usage")).allMatch(JsonNode::isNumber);
  }

  @Row("2.7 metadata")
  void theRequestsMetadataWinsOverTheParents() {
    var parent =
        service.create(
            object("{\"prompt\":\"x\",\"metadata\":{\"a\":\"parent\",\"b\":\"parent\"}}"));
    var body = object("{\"prompt\":\"x\",\"metadata\":{\"b\":\"own\",\"B\":\"other\"}}");
    var run = service.run(service.create(body.put("parent_run_id", parent)));

    assertThat(run.get("metadata"))
        .isEqualTo(object("{\"a\":\"parent\",\"b\":\"own\",\"B\":\"other\"}"));
    assertInvalid(
        service.post("/agent/runs", "{\"prompt\":\"x\",\"metadata\":{\"bad key\":\"v\"}}"));
  }

  @Row("2.7 PLAN")
  void aPlanHasItsDocument() {
    var plan = made("PLAN");

    assertUuid(plan.get("document_uid"));
    assertUuid(plan.get("notebook_uid"));
    assertUuid(plan.get("artifact_uid"));
    assertThat(plan.get("title").asText()).isEqualTo("Plan");
    assertThat(Probes.ids(service, "artifact_type=PLAN"))
        .containsExactly(made.get("run_id").asText());
  }

  @Row("2.7 PULL_REQUEST")
  void aPullRequestHasAddressAndBranch() {
    var data = done.at("/artifacts/0/data");

    assertThat(done.at("/artifacts/0/artifact_type").asText()).isEqualTo("PULL_REQUEST");
    assertThat(data.get("url").asText()).isEqualTo("https://github.com/o/r/pull/7");
    assertThat(data.get("branch").isTextual()).isTrue();
    assertThat(Probes.ids(service, "artifact_type=PULL_REQUEST"))
        .containsExactly(done.get("run_id").asText());
  }

  @Row("2.7 SCREENSHOT")
  void nobodyMakesScreenshotsHere() {
    assertThat(Probes.ids(service, "artifact_type=SCREENSHOT")).isEmpty();
  }

  @Row("2.7 FILE")
  void aFileHasPathNameAndType() {
    var file = made("FILE");

    assertUuid(file.get("artifact_uid"));
    assertThat(file.get("filepath").asText()).isEqualTo("notes.md");
    assertThat(file.get("filename").asText()).isEqualTo("notes.md");
    assertThat(file.get("mime_type").asText()).contains("/");
    assertThat(
            service
                .ok(service.get("/agent/artifacts/" + file.get("artifact_uid").asText()))
                .at("/data/size_bytes")
                .isIntegralNumber())
        .isTrue();
    assertThat(Probes.ids(service, "artifact_type=FILE&artifact_type=SCREENSHOT"))
        .containsExactly(made.get("run_id").asText());
  }

  @Row("2.7 EXTERNAL_REFERENCE")
  void nobodyMakesReferencesHere() {
    assertThat(Probes.ids(service, "artifact_type=EXTERNAL_REFERENCE")).isEmpty();
    assertNotFound(service.get("/agent/run-by-external-reference?url=https%3A%2F%2Fx.example%2F1"));
  }

  @Row("2.7 other artifacts")
  void thereAreNoOtherArtifacts() {
    assertInvalid(service.get("/agent/runs?artifact_type=HOLOGRAM"));
  }

  @Row("2.7 PageInfo")
  void aPageSaysWhetherAnotherFollows() {
    var first = service.ok(service.get("/agent/runs?limit=1")).get("page_info");
    assertThat(first.get("has_next_page").booleanValue()).isTrue();
    assertThat(first.get("next_cursor").isTextual()).isTrue();
    var last = service.ok(service.get("/agent/runs?limit=500")).get("page_info");
    assertThat(last.get("has_next_page").isBoolean()).isTrue();
    assertThat(last.get("has_next_page").booleanValue()).isFalse();
    assertThat(last.has("next_cursor")).isFalse();
  }

  @Row("2.7 ListRunsResponse")
  void aListHasRunsAndAPageEvenIfThereAreNone() {
    var none = service.ok(service.get("/agent/runs?name=nobody"));

    assertThat(none.get("runs").isArray()).isTrue();
    assertThat(none.get("runs")).isEmpty();
    assertThat(none.get("page_info").isObject()).isTrue();
  }

  @Row("2.9 sources")
  void theSourceTellsRequestsRunsAndSchedulesApart(@TempDir Path clocked) {
    assertThat(done.get("source").asText()).isEqualTo("API");
    assertThat(child(done.get("run_id").asText()).get("source").asText())
        .isEqualTo("ORCHESTRATION");
    assertThat(scheduled(clocked).get("source").asText()).isEqualTo("SCHEDULED_AGENT");
    for (var source :
        List.of(
            "LINEAR SLACK LOCAL WEB_APP GITHUB_ACTION CLOUD_MODE CLI JIRA SELF_IMPROVEMENT",
            "GITHUB_WEBHOOK GITLAB_WEBHOOK AUTOFIX RUN_SCORER TEAMS AZURE_DEVOPS_WEBHOOK",
            "BENCHMARK_TRIAL CREATE_BENCHMARK_TASK CUSTOM_WEBHOOK MCP")) {
      for (var one : source.split(" ", -1)) {
        assertThat(Probes.ids(service, "source=" + one)).as(one).isEmpty();
      }
    }
  }

  @Row("2.9 later values")
  void aSourceOfALaterVersionIsNoneOfThisOnes() {
    assertInvalid(service.get("/agent/runs?source=NEXT_YEAR"));
    assertThat(forged().get("source").asText()).isEqualTo("API");
  }

  /// A queued one whose creator sent what only the service says.
  private static JsonNode forged() {
    var body =
        object(
            """
            {"prompt": "x", "a_member_of_next_year": 1, "run_url": "https://evil.example",
             "session_link": "https://evil.example", "session_id": "s", "factory_uid": "f",
             "started_at": "2026-01-05T09:00:00Z", "run_time": "PT1H", "source": "SLACK",
             "state": "SUCCEEDED", "schedule": {"schedule_id": "s"}, "trigger_url": "https://e"}
            """);
    return full.run(full.create(body));
  }

  private static JsonNode child(String parent) {
    return Probes.created(service, "{\"prompt\":\"x\",\"parent_run_id\":\"" + parent + "\"}");
  }

  private static JsonNode made(String type) {
    for (var artifact : made.get("artifacts")) {
      if (artifact.get("artifact_type").asText().equals(type)) {
        return artifact.get("data");
      }
    }
    throw new AssertionError("No " + type + " in " + made.get("artifacts"));
  }

  /// The run of a schedule whose hour has come.
  private static JsonNode scheduled(Path folder) {
    var clock = new SettableClock();
    try (var service = RunningService.withClock(folder, "cat", clock)) {
      var schedule = "{\"name\":\"hourly\",\"cron_schedule\":\"0 * * * *\",\"prompt\":\"tidy\"}";
      var id = RunningService.json(service.post("/agent/schedules", schedule)).get("id").asText();
      clock.advance(Duration.ofHours(1));
      // Any change of a schedule has the clock looked at.
      service.post("/agent/schedules", schedule.replace("0 *", "0 1"));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> !Probes.ids(service, "schedule_id=" + id).isEmpty());
      return service.run(Probes.ids(service, "schedule_id=" + id).getFirst());
    }
  }
}
