package dev.runnel.service;

import static dev.runnel.service.Probes.assertTime;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.http.UnservedPath;
import dev.runnel.service.run.Factory;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Section 2.16 of the interface: what grew since, and the names that are published.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class GrownRowsTest {
  /// Uses a tool that works and one that does not, and says what its model took.
  private static final String CLAUDE =
      """
      #!/bin/sh
      head -n 1 > /dev/null
      use() {
        printf '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash",'
        printf '"input":{"command":"%s"}}]}}\\n' "$1"
        printf '{"type":"user","message":{"content":[{"type":"tool_result","content":"%s",' "$2"
        printf '"is_error":%s}]}}\\n' "$3"
      }
      printf '{"type":"assistant","message":{"content":[{"type":"text","text":"Looking"}]}}\\n'
      use 'mvn test' 'all green' false
      use 'mvn verify' '' true
      printf '{"type":"result","subtype":"success","is_error":false,'
      printf '"result":"See https://github.com/o/r/pull/7",'
      printf '"total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":5}}\\n'
      """;

  @TempDir static Path folder;
  @TempDir static Path other;
  private static RunningService service;

  /// Its slot is taken for good: runs stay queued.
  private static RunningService full;

  private static JsonNode run;

  @BeforeAll
  static void start() throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(program, CLAUDE);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    var mill =
        new Factory(
            "mill",
            "The mill",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new Factory.Member(
                "foreman", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
            List.of());
    var bare = EnvironmentRuns.web("bare", List.of());
    var web = Environment.named("web").withName("The web shop");
    service =
        RunningService.inEnvironment(
            folder,
            Optional.empty(),
            Map.of("PATH", program.getParent() + ":" + System.getenv("PATH")),
            Setup.USUAL
                .with(new Environments(List.of(web, bare), Optional.of(bare), Map.of()))
                .with(mill));
    full = RunningService.withCommand(other, "exec sleep 300", 1);
    full.awaitState(full.create("takes the slot"), "INPROGRESS");
    run = service.awaitState(service.create("Fix it"), "SUCCEEDED");
  }

  @AfterAll
  static void stop() {
    full.close();
    service.close();
  }

  @Row("2.16 finished_at")
  void theEndIsKnownOfEndedRunsAndNullOfOthers() {
    assertTime(run.get("finished_at"));
    assertThat(run.get("finished_at")).isEqualTo(run.get("updated_at"));
    var queued = full.run(full.create("x"));
    assertThat(queued.has("finished_at")).isTrue();
    assertThat(queued.get("finished_at").isNull()).isTrue();
  }

  @Row("2.16 root_run_id")
  void theRootIsTheTopOfTheTree() {
    var root = full.create("x");
    var child = child(root);
    var grandchild = child(child);

    for (var each : List.of(root, child, grandchild)) {
      assertThat(full.run(each).get("root_run_id").asText()).isEqualTo(root);
    }
    assertThat(full.run(grandchild).get("parent_run_id").asText()).isEqualTo(child);
  }

  @Row("2.16 source of chats and trackers")
  void theSourceSaysWhereARunWasAskedFor() {
    var sources =
        Map.of(
            "slack", "SLACK",
            "github", "GITHUB_WEBHOOK",
            "gitlab", "GITLAB_WEBHOOK",
            "jira", "JIRA",
            "linear", "LINEAR",
            "gitea", "CUSTOM_WEBHOOK",
            "hooks", "CUSTOM_WEBHOOK",
            "console", "WEB_APP",
            "elsewhere", "API");
    sources.forEach(
        (surface, source) -> {
          var asked = asked("\"runnel.surface\":\"" + surface + "\"");
          assertThat(asked.get("source").asText()).as(surface).isEqualTo(source);
          assertThat(Probes.ids(full, "source=" + source)).contains(asked.get("run_id").asText());
        });
  }

  @Row("2.16 trigger_url")
  void theTriggerIsTheThreadOrTheTicket() {
    var thread = "https://team.slack.example/archives/C1/p1";

    assertThat(asked("\"runnel.link\":\"" + thread + "\"").get("trigger_url").asText())
        .isEqualTo(thread);
    assertThat(
            asked("\"runnel.link\":\"" + thread + "\",\"ticket_url\":\"https://t.example/7\"")
                .get("trigger_url")
                .asText())
        .isEqualTo("https://t.example/7");
    assertThat(asked("\"runnel.link\":\"javascript:alert(1)\"").has("trigger_url")).isFalse();
  }

  @Row("2.16 creator of chats and trackers")
  void theCreatorIsThePersonAndTheExecutorTheAccount() {
    var asked =
        asked(
            "\"runnel.surface\":\"slack\",\"runnel.person\":\"U1\",\"runnel.person_name\":\"Ada\"");

    assertThat(asked.get("creator"))
        .isEqualTo(
            Probes.object("{\"type\":\"user\",\"uid\":\"slack:U1\",\"display_name\":\"Ada\"}"));
    assertThat(asked.at("/executor/type").asText()).isEqualTo("service_account");
    assertThat(Probes.ids(full, "creator=slack:U1")).containsExactly(asked.get("run_id").asText());
  }

  @Row("2.16 resolved agent_config")
  void theConfigurationIsShownWithWhatDefaultsAdded() {
    assertThat(run.get("agent_config"))
        .isEqualTo(
            Probes.object(
                "{\"environment_id\":\"bare\",\"model_id\":\"default\",\"harness\":{\"type\":\"claude\"}}"));
    var given =
        Probes.created(
            service,
            """
            {"prompt": "x", "config": {"environment_id": "The web shop", "model_id": "sonnet",
              "harness": {"type": "oz", "reasoning_level": "high"}}}
            """);
    assertThat(given.get("agent_config"))
        .isEqualTo(
            Probes.object(
                """
                {"environment_id": "web", "model_id": "sonnet",
                 "harness": {"type": "oz", "reasoning_level": "high"}}
                """));
  }

  @Row("2.16 environment_id of defaults")
  void aRunIsFoundByTheEnvironmentItWorkedIn() {
    assertThat(Probes.ids(service, "environment_id=bare")).contains(id());
    assertThat(Probes.ids(service, "environment_id=web&limit=500")).doesNotContain(id());
    var web =
        Probes.created(service, "{\"prompt\":\"x\",\"config\":{\"environment_id\":\"web\"}}")
            .get("run_id")
            .asText();
    assertThat(Probes.ids(service, "environment_id=web&limit=500")).contains(web);
    assertThat(Probes.ids(service, "environment_id=The%20web%20shop&limit=500")).contains(web);
    assertThat(Probes.ids(service, "environment_id=empty-environment")).isEmpty();
  }

  @Row("2.16 PULL_REQUEST status")
  void whatBecameOfAPullRequestIsUnknownHere() {
    assertThat(run.at("/artifacts/0/artifact_type").asText()).isEqualTo("PULL_REQUEST");
    assertThat(run.at("/artifacts/0/data/status").asText()).isEqualTo("unknown");
  }

  @Row("2.16 task_status of a tree")
  void aTaskRunsWhileAnythingBelowItDoes() throws InterruptedException {
    var root = full.create("x");
    var child = child(root);
    full.cancel(root);
    // What is below a cancelled run is cancelled with it; a new part of it is not.
    full.awaitState(child, "CANCELLED");
    assertThat(Probes.ids(full, "task_status=running&limit=500")).doesNotContain(root, child);
    var later = child(child);

    assertThat(Probes.ids(full, "task_status=running&limit=500"))
        .contains(root, later)
        .doesNotContain(child);
  }

  @Row("2.16 timeline types")
  void aTimelineHasThePublishedTypesAndTheExecution() {
    var events = service.ok(service.get("/agent/runs/" + id() + "/timeline")).get("events");

    assertThat(events.findValuesAsText("event_type"))
        .containsExactly(
            "oz_run_created",
            "oz_run_claimed",
            "shared_session_started",
            "worker_container_ready",
            "agent_started",
            "oz_run_done");
    assertThat(events.get(0).has("execution_id")).isFalse();
    for (int i = 1; i < events.size(); i++) {
      assertThat(events.get(i).get("execution_id").intValue()).isEqualTo(1);
    }
  }

  @Row("2.16 conversation step")
  void aStepHasItsTimes() {
    var step = conversation().at("/steps/0");

    assertThat(step.get("id").asText()).isNotBlank();
    assertThat(step.get("messages").isArray()).isTrue();
    assertThat(step.get("steps").isArray()).isTrue();
    assertTime(step.get("started_at"));
    assertTime(step.get("completed_at"));
  }

  @Row("2.16 conversation message")
  void aMessageHasItsRoleContentsAndTime() {
    for (var message : conversation().at("/steps/0/messages")) {
      assertThat(message.get("role").asText()).isIn("user", "assistant", "tool", "system");
      assertThat(message.get("content")).isNotEmpty();
      assertTime(message.get("timestamp"));
    }
  }

  @Row("2.16 text")
  void aTextIsATextAlone() {
    assertThat(contents("text"))
        .extracting(each -> each.get("text").asText())
        .startsWith("Fix it", "Looking");
    assertThat(contents("text")).allMatch(each -> each.properties().size() == 2);
  }

  @Row("2.16 action")
  void anActionIsFlatWithItsPublicName() {
    var action = contents("action").getFirst();

    assertThat(action.get("id").asText()).isNotBlank();
    assertThat(action.get("name").asText()).isEqualTo("run_command");
    assertThat(action.get("category").asText()).isEqualTo("command");
    assertThat(action.get("input")).isEqualTo(Probes.object("{\"command\":\"mvn test\"}"));
  }

  @Row("2.16 action_result")
  void aResultNamesItsActionAndItsState() {
    var actions = contents("action");
    var results = contents("action_result");

    assertThat(results).hasSize(2);
    for (int i = 0; i < results.size(); i++) {
      assertThat(results.get(i).get("action_id")).isEqualTo(actions.get(i).get("id"));
      assertThat(results.get(i).get("name")).isEqualTo(actions.get(i).get("name"));
      assertThat(results.get(i).get("category")).isEqualTo(actions.get(i).get("category"));
      assertThat(results.get(i).get("output").isObject()).isTrue();
    }
    assertThat(results)
        .extracting(each -> each.get("state").asText())
        .containsExactly("completed", "failed");
  }

  @Row("2.16 event")
  void anEventHasItsNameAndData() {
    assertThat(contents("event")).isNotEmpty();
    for (var event : contents("event")) {
      assertThat(event.get("name").asText()).isNotBlank();
      assertThat(event.get("data").isObject()).isTrue();
    }
  }

  @Row("2.16 model provider")
  void theProviderOfAModelIsOneOfFour() {
    for (var model : service.ok(service.get("/agent/models")).get("models")) {
      assertThat(model.get("provider").asText())
          .isIn("OPENAI", "ANTHROPIC", "GOOGLE", "UNKNOWN")
          .isEqualTo("ANTHROPIC");
    }
  }

  @Row("2.16 model description")
  void aModelIsDescribed() {
    for (var model : service.ok(service.get("/agent/models")).get("models")) {
      assertThat(model.get("description").asText()).isNotBlank();
    }
  }

  @Row("2.16 request_usage")
  void theUsageHasThePublishedMembers() {
    var usage = run.get("request_usage");

    assertThat(usage.get("inference_cost_usd").decimalValue()).isEqualByComparingTo("0.25");
    assertThat(usage.get("total_tokens").intValue()).isEqualTo(15);
    assertThat(usage.has("total_cost_usd")).isFalse();
  }

  @Row("2.16 factory members")
  void aFactoryHasAllThatIsRequired() {
    var factory = service.ok(service.get("/factory/mill"));

    for (var member :
        List.of("alias", "description", "default_environment", "default_model", "avatar_url")) {
      assertThat(factory.has(member)).as(member).isTrue();
      assertThat(factory.get(member).isNull()).as(member).isTrue();
    }
    assertThat(factory.get("code_forge").asText()).isEqualTo("NONE");
    assertThat(factory.get("code_forges")).hasSize(1);
    assertThat(factory.get("credential_strategy").asText()).isEqualTo("EXECUTOR");
    assertThat(factory.get("agent_defaults"))
        .isEqualTo(
            Probes.object(
                """
                {"default_runner_uid": "", "worker_host": "", "mcp_servers": {}, "secrets": []}
                """));
    assertThat(factory.get("scorer_defaults").isObject()).isTrue();
    assertThat(factory.get("scoring").has("default_model")).isTrue();
  }

  @Row("2.16 identity members")
  void anIdentityHasARunnerAndAMemory() {
    RunningService.json(service.post("/agent/identities", "{\"name\":\"a\"}"));
    var identities = service.ok(service.get("/agent/identities")).get("agents");

    // That of the factory, and the one just made.
    assertThat(identities).hasSizeGreaterThanOrEqualTo(2);
    for (var identity : identities) {
      assertThat(identity.get("default_runner_uid").isTextual()).isTrue();
      assertThat(identity.get("memory"))
          .isEqualTo(Probes.object("{\"attached_stores\":[],\"auto_memory\":{\"enabled\":false}}"));
    }
  }

  @Row("2.16 conversation follow-ups")
  void whatIsSaidToAConversationGoesToItsNewestRun() {
    var first = full.run(full.create("x"));
    var conversation = first.get("conversation_id").asText();
    var second =
        full.create(Probes.object("{\"prompt\":\"y\"}").put("conversation_id", conversation));
    var path = "/agent/conversations/" + conversation;

    var answer = full.ok(full.post(path + "/followups", "{\"message\":\"more\"}"));

    assertThat(answer.get("run_id").asText()).isEqualTo(second);
    assertThat(answer.get("outcome").asText()).isEqualTo("queued_prompt");
    assertThat(answer.get("followup_id").isNull()).isTrue();
    assertThat(full.run(second).get("prompt").asText()).isEqualTo("y\n\nmore");
    Probes.assertInvalid(full.post(path + "/followups", "{\"prompt\":\"more\"}"));
    Probes.assertNotFound(
        full.post("/agent/conversations/none/followups", "{\"message\":\"more\"}"));
    Probes.assertRefused(full.post(path + "/interrupt", ""), 422, "operation_not_supported");
  }

  @Row("2.16 what the hosted product has")
  void whatOnlyTheHostedProductHasIsSaidInWords() {
    for (var path : UnservedPath.ALL) {
      var address = path.template().replaceAll("\\{\\w+}", "mill").replace("/**", "/more/of/it");
      assertThat(missing(address)).as(address).isEqualTo(path.why());
    }
    for (var address :
        List.of(
            "/factory-inbox",
            "/factory-files/validate",
            "/factory/mill/metrics/run-breakdown",
            "/factory/mill/costs/per-pr/by-size",
            "/factory/mill/pull-requests",
            "/factory/scorers",
            "/factory/scorers/1/results",
            "/factory/mill/scorers",
            "/factory/mill/benchmarks/runs/1")) {
      assertThat(missing(address)).as(address).contains("belongs to the hosted product");
    }
    for (var address :
        List.of(
            "/networking/egress-ranges",
            "/factory/mill/tasks",
            "/factory/mill/task-by-run?run_id=x",
            "/agent/conversations/x/screenshots/y/download")) {
      assertThat(missing(address)).as(address).startsWith("This service does not");
    }
    for (var address : List.of("/agent/inbox", "/agent/metrics", "/agent/costs")) {
      assertThat(missing(address)).as(address).isEqualTo("There is nothing at this address");
    }
    assertThat(missing("/factory/none")).isEqualTo("There is no factory with this uid");
  }

  private static String missing(String path) {
    var answer = service.get(path);
    Probes.assertNotFound(answer);
    return RunningService.json(answer).get("detail").asText();
  }

  /// A run with metadata, as it is shown.
  private static JsonNode asked(String metadata) {
    return Probes.created(full, "{\"prompt\":\"x\",\"metadata\":{" + metadata + "}}");
  }

  private static String child(String parent) {
    return full.create(Probes.object("{\"prompt\":\"x\"}").put("parent_run_id", parent));
  }

  private static String id() {
    return run.get("run_id").asText();
  }

  private static JsonNode conversation() {
    return service.ok(service.get("/agent/runs/" + id() + "/conversation"));
  }

  private static List<JsonNode> contents(String type) {
    var contents = new ArrayList<JsonNode>();
    for (var message : conversation().at("/steps/0/messages")) {
      for (var content : message.get("content")) {
        if (content.get("type").asText().equals(type)) {
          contents.add(content);
        }
      }
    }
    return contents;
  }
}
