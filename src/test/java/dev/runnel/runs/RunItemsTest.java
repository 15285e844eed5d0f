package dev.runnel.runs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.wire.RunItem;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How a run of the wire reads as a run of the core.
class RunItemsTest {
  private static final JsonMapper JSON =
      JsonMapper.builder().addModule(new JavaTimeModule()).build();

  @ParameterizedTest
  @CsvSource({
    "QUEUED, QUEUED",
    "PENDING, QUEUED",
    "CLAIMED, QUEUED",
    "INPROGRESS, RUNNING",
    "BLOCKED, BLOCKED",
    "SUCCEEDED, SUCCEEDED",
    "FAILED, FAILED",
    "ERROR, FAILED",
    "CANCELLED, CANCELLED",
    "DREAMING, UNKNOWN",
  })
  void serviceStatesMapToSevenRunStates(String wire, RunState folded) throws Exception {
    var run = run("\"state\": \"%s\"".formatted(wire));

    assertThat(run.state()).isEqualTo(folded);
    assertThat(run.stateName()).isEqualTo(wire);
  }

  @Test
  void presentMembersAreRead() throws Exception {
    var run =
        run(
            """
            "state": "FAILED", "title": "Fix it", "updated_at": "2026-01-05T09:00:00Z",
            "status_message": {"message": "The tests are red", "retryable": true},
            "session_link": "https://runs.example/s/1", "run_time": "PT2M30S",
            "metadata": {"runnel.delivery": "slack:1"}
            """);

    assertThat(run.title()).isEqualTo("Fix it");
    assertThat(run.message()).contains("The tests are red");
    assertThat(run.retryable()).isTrue();
    assertThat(run.session()).contains(URI.create("https://runs.example/s/1"));
    assertThat(run.runTime()).contains(Duration.ofSeconds(150));
    assertThat(run.updatedAt()).contains(Instant.parse("2026-01-05T09:00:00Z"));
    assertThat(run.delivery()).contains(new DeliveryId("slack:1"));
  }

  @Test
  void environmentAndModelAreReadAndOpaqueIdsHaveNoName() throws Exception {
    var named =
        run(
            "\"state\": \"QUEUED\","
                + " \"agent_config\": {\"environment_id\": \"staging\", \"model_id\": \"fast\"}");
    var opaque =
        run(
            "\"state\": \"QUEUED\","
                + " \"agent_config\": {\"environment_id\": \"UA17BXYZabcdefghijklmn\"}");

    assertThat(named.environment()).contains("staging");
    assertThat(named.model()).contains("fast");
    assertThat(named.environmentName()).contains("staging");
    assertThat(opaque.environment()).contains("UA17BXYZabcdefghijklmn");
    assertThat(opaque.environmentName()).isEmpty();
    assertThat(opaque.model()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "insufficient_credits | Account 7 | There are no credits left at the run service. Add some,"
            + " and try again.",
        "environment_setup_failed | npm install failed | The environment could not be set up: npm"
            + " install failed. Correct its setup, and try again.",
        "environment_setup_failed | java.io.IOException: no | The environment could not be set up."
            + " Correct its setup, and try again.",
        "internal_error | NullPointerException at http://localhost:80/x | Something broke inside"
            + " the run service. Try again later.",
        "infrastructure_timeout | It ran for 2 hours, which is the limit. | It ran for 2 hours,"
            + " which is the limit.",
        "agent_process_failed | AssertionError in CheckoutTest | AssertionError in CheckoutTest",
        "agent_stream_failure | - | The model stopped answering. Try again, or with another model.",
        "moon_phase | The moon is full | The run service refused this: The moon is full. Ask your"
            + " Runnel admin if you do not know why.",
        "- | The tests are red | The tests are red",
        "- | - | -",
      })
  void failureReasonIsAPlainSentence(
      @Nullable String code, @Nullable String message, @Nullable String why) throws Exception {
    var status = new java.util.LinkedHashMap<String, Object>();
    status.put("message", message);
    status.put("error_code", code);

    var run = run("\"state\": \"ERROR\", \"status_message\": " + JSON.writeValueAsString(status));

    assertThat(run.message().orElse(null)).isEqualTo(why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent", "setup", "budget"})
  void failureReasonOfTheEmbeddedServiceStaysUnchanged(String category) throws Exception {
    var run =
        run(
            """
            "state": "FAILED", "error_category": "%s", "status_message":
              {"message": "The command `npm test` failed:\\nTypeError: x is undefined",
               "error_code": "environment_setup_failed"}\
            """
                .formatted(category));

    assertThat(run.message()).contains("The command `npm test` failed:\nTypeError: x is undefined");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET http://10.0.0.7:4873/left-pad", "authorization: Basic dGVzdDp0ZXN0"})
  void outputOfASetupWithInternalAddressesOrHeadersIsLeftOut(String output) throws Exception {
    var run =
        run(
            """
            "state": "FAILED", "error_category": "setup", "status_message":
              {"message": "The command `npm ci` failed:\\n%s",
               "error_code": "environment_setup_failed"}\
            """
                .formatted(output));

    assertThat(run.message()).hasValueSatisfying(it -> assertThat(it).doesNotContain(output));
  }

  @Test
  void aRunThatCostTooMuchIsOverItsBudget() throws Exception {
    var status = "\"state\": \"FAILED\", \"status_message\": {\"error_code\": \"%s\"}";

    assertThat(run(status.formatted("budget_exceeded")).isOverBudget()).isTrue();
    assertThat(run(status.formatted("internal_error")).isOverBudget()).isFalse();
  }

  @Test
  void missingMembersAreEmpty() throws Exception {
    var run = run("\"state\": \"QUEUED\"");

    assertThat(run.title()).isEmpty();
    assertThat(run.message()).isEmpty();
    assertThat(run.session()).isEmpty();
    assertThat(run.artifacts()).isEmpty();
    assertThat(run.cost()).isEmpty();
    assertThat(run.runTime()).isEmpty();
    assertThat(run.updatedAt()).isEmpty();
    assertThat(run.delivery()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"javascript:alert(1)", "/s/1", "https:///s/1", "not a link", ""})
  void invalidSessionLinkIsOmitted(String link) throws Exception {
    assertThat(run("\"state\": \"QUEUED\", \"session_link\": \"%s\"".formatted(link)).session())
        .isEmpty();
  }

  @Test
  void invalidRunTimeIsOmitted() throws Exception {
    assertThat(run("\"state\": \"QUEUED\", \"run_time\": \"long\"").runTime()).isEmpty();
  }

  @Test
  void artifactsHaveALabelAndALink() throws Exception {
    var run =
        run(
            """
            "state": "SUCCEEDED", "artifacts": [
              {"artifact_type": "PULL_REQUEST",
               "data": {"url": "https://github.com/o/r/pull/7", "branch": "fix"}},
              {"artifact_type": "PULL_REQUEST",
               "data": {"url": "https://github.com/o/r/pull/8", "branch": ""}},
              {"artifact_type": "PULL_REQUEST",
               "data": {"url": "https://gitlab.com/o/r/-/merge_requests/9#note_1"}},
              {"artifact_type": "PULL_REQUEST", "data": {"url": "https://a.example/changes"}},
              {"artifact_type": "PLAN", "data": {"document_uid": "d", "url": "https://a.example/p",
               "title": "Plan A"}},
              {"artifact_type": "PLAN", "data": {"document_uid": "without a link"}},
              {"artifact_type": "EXTERNAL_REFERENCE",
               "data": {"reference_type": "ticket", "url": "https://a.example/t"}},
              {"artifact_type": "FILE", "data": {"url": "https://a.example/f"}},
              {"artifact_type": "HOLOGRAM"},
              {}, null]
            """);

    assertThat(run.artifacts())
        .containsExactly(
            new Artifact(
                "o/r#7 (fix)",
                URI.create("https://github.com/o/r/pull/7"),
                true,
                Optional.of("fix")),
            new Artifact("o/r#8", URI.create("https://github.com/o/r/pull/8"), true),
            new Artifact(
                "o/r!9", URI.create("https://gitlab.com/o/r/-/merge_requests/9#note_1"), true),
            new Artifact("Pull request", URI.create("https://a.example/changes"), true),
            new Artifact("Plan (Plan A)", URI.create("https://a.example/p"), false),
            new Artifact("ticket", URI.create("https://a.example/t"), false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"inference_cost_usd\": 0.4, \"compute_cost_usd\": 0.02} | $0.42",
        "{\"inference_cost_usd\": 0.4, \"total_cost_usd\": 0.5}    | $0.50",
        "{\"inference_cost_cents\": 12.4, \"compute_cost_cents\": 100} | $1.12",
        "{\"inference_cost_usd\": 0.001} | under $0.01",
        "{\"inference_cost_usd\": 0}     | $0.00",
        "{\"inference_cost\": 3, \"total_tokens\": 900} |",
        "{\"inference_cost_usd\": \"much\"} |",
        "{\"inference_cost_breakdown_usd\": {\"a\": 1}} |",
        "[] |",
        "null |",
      })
  void costIsReadOnlyFromAmountsOfMoney(String usage, String cost) throws Exception {
    var run = run("\"state\": \"SUCCEEDED\", \"request_usage\": " + usage);

    assertThat(run.cost().orElse(null)).isEqualTo(cost);
  }

  private static Run run(String members) throws Exception {
    return RunItems.run(JSON.readValue("{\"run_id\": \"r1\", " + members + "}", RunItem.class));
  }
}
