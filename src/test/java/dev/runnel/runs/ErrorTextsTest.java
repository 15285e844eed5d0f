package dev.runnel.runs;

import static dev.runnel.runs.FakeRunService.problem;
import static dev.runnel.testkit.AgentRunsContract.newKey;
import static dev.runnel.testkit.AgentRunsContract.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.client.RunsClient;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.testkit.MockServers;
import dev.runnel.wire.ErrorCode;
import java.net.URI;
import java.util.HashSet;
import java.util.Map;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What people read when the run service says no to a start.
class ErrorTextsTest {
  /// The whole catalogue. What is mostly tried again, and refused only when the service says that
  /// this does not help, has a status here that is final.
  private static final Map<String, Integer> STATUS_OF =
      Map.ofEntries(
          Map.entry("invalid_request", 400),
          Map.entry("integration_not_configured", 400),
          Map.entry("authentication_required", 401),
          Map.entry("external_authentication_required", 401),
          Map.entry("not_authorized", 403),
          Map.entry("insufficient_credits", 403),
          Map.entry("budget_exceeded", 403),
          Map.entry("feature_not_available", 403),
          Map.entry("integration_disabled", 403),
          Map.entry("content_policy_violation", 403),
          Map.entry("resource_not_found", 404),
          Map.entry("operation_not_supported", 422),
          Map.entry("environment_setup_failed", 500),
          Map.entry("infrastructure_timeout", 500),
          Map.entry("agent_process_failed", 500),
          Map.entry("agent_stream_network_error", 400),
          Map.entry("agent_stream_failure", 400),
          Map.entry("conflict", 400),
          Map.entry("resource_unavailable", 400),
          Map.entry("internal_error", 400));

  private final MockWebServer server = MockServers.create();
  private RunsClient client;

  @BeforeEach
  void start() throws Exception {
    server.start();
    client = RunsClient.builder().baseUrl(server.url("/").uri()).apiKey("wk-key").build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void theTableHasEveryCodeOfTheCatalogue() throws Exception {
    var codes = new HashSet<String>();
    for (var field : ErrorCode.class.getFields()) {
      codes.add(((ErrorCode) field.get(null)).value());
    }

    assertThat(STATUS_OF.keySet()).isEqualTo(codes);
  }

  @Test
  void everyErrorCodeHasItsOwnSentenceWithARemedy() {
    var sentences = new HashSet<String>();
    STATUS_OF.forEach(
        (code, status) -> {
          var refused = refusal(problem(status, code));

          assertThat(refused.code()).isEqualTo(code);
          assertThat(refused.why())
              .matches(why -> why.split("(?<=[.]) ").length >= 2, "says what is and what to do")
              .doesNotContain(code, "http", "Could not", String.valueOf(status));
          sentences.add(refused.why());
        });

    assertThat(sentences).hasSameSizeAs(STATUS_OF.keySet());
  }

  /// What no person should read, as a careless service or a proxy in front of it may say it.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.lang.IllegalStateException: boom",
        "TypeError: x is not a function",
        "Could not reach http://localhost:8080/api/v1/agent/run",
        "GET http://10.0.0.7/internal",
        "Authorization: Bearer wk-1234567890",
        "X-Api-Key: wk-1",
        "at com.acme.runs.Service.run(Service.java:7)"
      })
  void technicalDetailsOfAServiceErrorAreNotShown(String title) {
    STATUS_OF.forEach(
        (code, status) ->
            assertThat(refusal(problem(status, code, title, "")).why())
                .as(code)
                .doesNotContain("Exception", "Error", "http", "Bearer", "Api-Key", ".java"));
    assertThat(refusal(problem(403, "moon_phase", title, "")).why())
        .isEqualTo("The run service refused this. Ask your Runnel admin if you do not know why.");
  }

  @Test
  void reasonOfTheServiceIsShownIfTheCodeIsUnspecific() {
    assertThat(refusal(problem(400, "invalid_request", "No environment env-9", "")).why())
        .isEqualTo(
            "The run service did not accept this: No environment env-9."
                + " Check your options, and try again.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | invalid_request | There is no environment nope here. There are: web, docs.",
        "400 | invalid_request | There is no agent reviewer. There are: planner.",
        "403 | feature_not_available | The model opus is not part of your plan.",
        "400 | moon_phase | The moon is full until Friday."
      })
  void detailOfTheServiceIsShownRatherThanItsTitle(int status, String code, String detail) {
    var more = ", \"detail\": \"%s\"".formatted(detail);

    assertThat(refusal(problem(status, code, "The request is not valid", more)).why())
        .contains(": " + detail + " ")
        .doesNotContain("not valid");
  }

  @Test
  void titleIsShownWhereTheDetailIsForDevelopers() {
    var more = ", \"detail\": \"java.lang.IllegalStateException: boom\"";

    assertThat(refusal(problem(400, "invalid_request", "No environment env-9", more)).why())
        .contains("No environment env-9.")
        .doesNotContain("Exception");
  }

  @Test
  void refusalLinksToThePageWhereThePersonCanAct() {
    assertThat(
            refusal(
                    problem(
                        401,
                        "external_authentication_required",
                        "Link it",
                        ", \"auth_url\": \"https://a.example/link\""))
                .link())
        .contains(URI.create("https://a.example/link"));
    assertThat(
            refusal(
                    problem(
                        400,
                        "integration_not_configured",
                        "Set it up",
                        ", \"setup_url\": \"https://a.example/setup\""))
                .link())
        .contains(URI.create("https://a.example/setup"));
  }

  @Test
  void invalidLinkIsOmitted() {
    var refused =
        refusal(
            problem(
                401,
                "external_authentication_required",
                "Link it",
                ", \"auth_url\": \"javascript:alert(1)\""));

    assertThat(refused.link()).isEmpty();
  }

  @Test
  void unknownErrorCodeIsShownByItsTitle() {
    var refused = refusal(problem(403, "moon_phase", "The moon is full", ""));

    assertThat(refused.code()).isEqualTo("moon_phase");
    assertThat(refused.why()).startsWith("The run service refused this: The moon is full.");
  }

  @Test
  void refusalWithoutACodeGetsTheCodeOfItsStatus() {
    var refused = refusal(FakeRunService.json(403, "{}"));

    assertThat(refused.code()).isEqualTo("not_authorized");
  }

  private Outcome.Refused refusal(MockResponse response) {
    server.enqueue(response);
    var outcome = new ClientAgentRuns(client, false).start(prompt("Fix it"), newKey());
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    return (Outcome.Refused) outcome;
  }
}
