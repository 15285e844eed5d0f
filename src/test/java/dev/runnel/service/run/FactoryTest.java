package dev.runnel.service.run;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.RunningService;
import dev.runnel.service.run.Factory.Member;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Work for a group of agents. The foreman here is a real process that starts real runs below its
/// own, over HTTP, with the key it was given.
@Tag("slow")
class FactoryTest {
  private static final String AGENT =
      """
      read -r line
      case "$line" in
        lead*)
          child=$(curl -sS -X POST "$RUNNEL_AGENT_API_URL/agent/runs" \
            -H "Authorization: Bearer $RUNNEL_AGENT_API_KEY" -H 'Content-Type: application/json' \
            -d '{"prompt": "part", "agent_identity_uid": "shop:coder",
              "metadata": {"runnel.surface": "slack", "runnel.person": "U1"}}' | sed 's/.*"run_id":"\\([^"]*\\)".*/\\1/')
          echo "::status child $child"
          state=
          while [ "$state" != SUCCEEDED ]; do
            sleep 0.1
            state=$(curl -sS "$RUNNEL_AGENT_API_URL/agent/runs/$child" \
              -H "Authorization: Bearer $RUNNEL_AGENT_API_KEY" | sed 's/.*"state":"\\([A-Z]*\\)".*/\\1/')
          done
          others=$(curl -sS -o /dev/null -w '%{http_code}' "$RUNNEL_AGENT_API_URL/agent/runs/$STRANGER" \
            -H "Authorization: Bearer $RUNNEL_AGENT_API_KEY")
          named=$(curl -sS -o /dev/null -w '%{http_code}' -X POST "$RUNNEL_AGENT_API_URL/agent/runs" \
            -H "Authorization: Bearer $RUNNEL_AGENT_API_KEY" -H 'Content-Type: application/json' \
            -d '{"prompt": "part", "on_behalf_of": "ada@team.example"}')
          echo "child $child is done; in another's name: $named; a stranger's run: $others"
          echo "$RUNNEL_AGENT_API_KEY" > "$KEY_FILE";;
        wait*) sleep 300;;
        think*) sleep 1; cat;;
        *) test -z "$RUNNEL_AGENT_API_KEY" || echo "has a key";;
      esac
      case "$line" in
        lead*|wait*|think*) ;;
        *) echo "did it";;
      esac
      """;

  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    var shop =
        new Factory(
            "shop",
            "Web shop",
            Optional.of("store"),
            Optional.empty(),
            Optional.empty(),
            Optional.of("big"),
            member("foreman", "Split the work"),
            List.of(member("coder", "Write small changes")));
    // One slot: a foreman that waits for its child must not take the child's place.
    service =
        RunningService.with(
            folder,
            AGENT.replace("$STRANGER", "nobody").replace("$KEY_FILE", folder + "/key"),
            1,
            RunningService.Setup.USUAL.with(shop));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void aFactoryIsFoundByAPartOfItsNameOrAlias() {
    assertThat(uids("")).containsExactly("shop");
    assertThat(uids("?search=SHOP")).containsExactly("shop");
    assertThat(uids("?search=tor")).containsExactly("shop");
    assertThat(uids("?search=mill")).isEmpty();
    assertThat(uids("?filter_team_uid=other")).isEmpty();
    assertThat(service.ok(service.get("/factory/shop")).get("default_model").asText())
        .isEqualTo("big");
    assertThat(problem(service.get("/factory/mill"))).isEqualTo("resource_not_found");
  }

  @Test
  void factoryAgentsAreReadOnlyIdentities() {
    var agents = service.ok(service.get("/agent/identities?factory_uid=shop")).get("agents");

    assertThat(agents)
        .extracting(agent -> agent.get("uid").asText())
        .containsExactly("shop:foreman", "shop:coder");
    assertThat(problem(service.send(service.request("/agent/identities/shop:coder").DELETE())))
        .isEqualTo("operation_not_supported");
  }

  @Test
  void dispatchedRunIsAnOrdinaryRunWhoseForemanStartsChildren() throws Exception {
    var dispatched =
        service.ok(
            service.post(
                "/factory/shop/runs",
                "{\"prompt\":\"lead"
                    + " this\",\"ticket_ref\":\"linear:PAY-1\",\"ticket_url\":\"https://t.example/PAY-1\"}"));
    var id = dispatched.get("run_id").asText();
    var run = service.awaitState(id, "SUCCEEDED");

    assertThat(dispatched.get("foreman_agent").asText()).isEqualTo("foreman");
    assertThat(dispatched.get("ticket_ref").asText()).isEqualTo("linear:PAY-1");
    assertThat(dispatched.get("run_url").asText()).endsWith("/runs/" + id);
    assertThat(run.get("prompt").asText()).isEqualTo("lead this");
    assertThat(run.get("factory_uid").asText()).isEqualTo("shop");
    assertThat(run.get("trigger_url").asText()).isEqualTo("https://t.example/PAY-1");
    assertThat(run.at("/metadata/ticket_id").asText()).isEqualTo("PAY-1");
    assertThat(run.at("/agent_config/base_prompt").asText())
        .startsWith("Split the work")
        .contains("shop:coder");
    assertThat(run.at("/status_message/message").asText())
        .endsWith("in another's name: 403; a stranger's run: 404");
    var child = service.ok(service.get("/agent/runs?ancestor_run_id=" + id)).get("runs").get(0);
    assertThat(child.get("source").asText()).isEqualTo("ORCHESTRATION");
    assertThat(child.at("/creator/type").asText()).isEqualTo("service_account");
    assertThat(child.get("factory_uid").asText()).isEqualTo("shop");
    assertThat(child.at("/agent_config/base_prompt").asText()).isEqualTo("Write small changes");
    assertThat(service.ok(service.get("/agent/runs?factory_uid=shop")).get("runs")).hasSize(2);
    var key = Files.readString(folder.resolve("key")).strip();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(
                        service
                            .send(
                                HttpRequest.newBuilder(service.uri("/api/v1/agent/runs"))
                                    .header("Authorization", "Bearer " + key))
                            .statusCode())
                    .isEqualTo(401));
  }

  @Test
  void foremanAcceptsWorkOnlyThroughADispatch() {
    assertThat(
            problem(
                service.post(
                    "/agent/runs", "{\"prompt\":\"x\",\"agent_identity_uid\":\"shop:foreman\"}")))
        .isEqualTo("invalid_request");
    assertThat(
            problem(
                service.post(
                    "/agent/schedules",
                    """
                    {"name": "n", "cron_schedule": "* * * * *", "prompt": "x",
                     "agent_uid": "shop:foreman"}
                    """)))
        .isEqualTo("invalid_request");
  }

  @Test
  void dispatchRequiresAPromptAndAValidTicket() {
    assertThat(problem(service.post("/factory/shop/runs", "{}"))).isEqualTo("invalid_request");
    assertThat(
            problem(service.post("/factory/shop/runs", "{\"prompt\":\"x\",\"ticket_ref\":\"7\"}")))
        .isEqualTo("invalid_request");
  }

  @Test
  void cancelOfARunCancelsItsChildren() {
    var parent = service.create("wait here");
    var child =
        service.create(
            JSON.createObjectNode().put("prompt", "wait too").put("parent_run_id", parent));
    service.awaitState(child, "INPROGRESS");

    service.cancel(parent);

    service.awaitState(child, "CANCELLED");
  }

  @Test
  void cancelOfARunCancelsRunsBelowAnEndedChild() {
    var parent = service.create("wait here");
    var ended =
        service.create(JSON.createObjectNode().put("prompt", "tidy").put("parent_run_id", parent));
    service.awaitState(ended, "SUCCEEDED");
    var below =
        service.create(
            JSON.createObjectNode().put("prompt", "wait too").put("parent_run_id", ended));
    service.awaitState(below, "INPROGRESS");

    service.cancel(parent);

    service.awaitState(below, "CANCELLED");
  }

  @Test
  void cancelOfARunCancelsItsBlockedChildren() {
    var parent = service.create("wait here");
    var child =
        service.create(
            JSON.createObjectNode()
                .put("prompt", "tidy")
                .put("mode", "plan")
                .put("parent_run_id", parent));
    service.awaitState(child, "BLOCKED");

    service.cancel(parent);

    service.awaitState(child, "CANCELLED");
  }

  @Test
  void planIsExecutedAfterItsApproval() {
    var id = service.create(JSON.createObjectNode().put("prompt", "tidy").put("mode", "plan"));
    var planned = service.awaitState(id, "BLOCKED");

    assertThat(planned.at("/status_message/message").asText())
        .startsWith("did it")
        .contains("Reply");
    assertThat(planned.at("/artifacts/0/artifact_type").asText()).isEqualTo("PLAN");
    service.followUp(id, "go on");
    assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
        .isEqualTo("did it");
  }

  @Test
  void messageDuringPlanningIsPlannedToo() {
    var id = service.create(JSON.createObjectNode().put("prompt", "think").put("mode", "plan"));
    service.awaitState(id, "INPROGRESS");
    service.followUp(id, "mind the tests");

    assertThat(service.awaitState(id, "BLOCKED").at("/status_message/message").asText())
        .contains("Reply");
  }

  @Test
  void orchestratingRunKeepsItsKeyInTheNextExecution() {
    var id =
        service.create(JSON.createObjectNode().put("prompt", "tidy").put("mode", "orchestrate"));
    assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
        .contains("has a key");

    service.followUp(id, "more");

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> service.transcript(id).lines().filter(it -> it.equals("did it")).count() == 2);
    assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
        .contains("has a key");
  }

  private static List<String> uids(String query) {
    JsonNode factories = service.ok(service.get("/factory" + query)).get("factories");
    return factories.findValuesAsText("uid");
  }

  private static Member member(String name, String prompt) {
    return new Member(
        name, Optional.of(prompt), Optional.empty(), Optional.empty(), Optional.empty());
  }
}
