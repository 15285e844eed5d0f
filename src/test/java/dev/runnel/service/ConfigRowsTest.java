package dev.runnel.service;

import static dev.runnel.service.Probes.assertInvalid;
import static dev.runnel.service.Probes.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environments;
import dev.runnel.wire.Golden;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Section 2.4 of the interface: how an agent is configured. The agent here gives back the
/// configuration that it was given.
@Tag("slow")
@DisplayNameGeneration(Row.Names.class)
class ConfigRowsTest {
  @TempDir static Path folder;
  private static RunningService service;

  /// With every member that is published and not refused here.
  private static ObjectNode sent;

  private static JsonNode shown;
  private static JsonNode given;

  @BeforeAll
  static void start() throws Exception {
    service = RunningService.withCommand(folder, "printf '%s\\n' \"$RUNNEL_CONFIG_JSON\"");
    sent = (ObjectNode) Golden.tree("agent-config");
    sent.remove("skill_spec");
    ((ObjectNode) sent.get("harness")).put("type", "oz");
    sent.put("worker_host", "warp");
    sent.remove(
        List.of(
            "harness_auth_secrets",
            "runner_id",
            "session_sharing",
            "memory_stores",
            "inference_providers",
            "secrets"));
    var run = ended(object("{\"prompt\":\"x\"}").set("config", sent), "SUCCEEDED");
    shown = run.get("agent_config");
    given = RunningService.JSON.readTree(run.at("/status_message/message").asText());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Row("2.4 name")
  void theNameIsTheSkillsUnlessItIsGiven() {
    assertKept("name");
    assertThat(shown("{\"skill_spec\":\"o/r:a/tidy/SKILL.md\"}").get("name").asText())
        .isEqualTo("tidy");
    assertThat(shown("{\"skill_spec\":\"o/r:tidy\",\"name\":\"mine\"}").get("name").asText())
        .isEqualTo("mine");
    assertThat(shown("{\"model_id\":\"m\"}").has("name")).isFalse();
    assertInvalid(post("{\"name\":7}"));
  }

  @Row("2.4 model_id")
  void theModelIsGivenToTheAgent() {
    assertKept("model_id");
    assertThat(shown("{\"name\":\"n\"}").get("model_id").asText()).isEqualTo("default");
    assertInvalid(post("{\"model_id\":{}}"));
  }

  @Row("2.4 base_prompt")
  void theBasePromptIsGivenToTheAgent() {
    assertKept("base_prompt");
    assertInvalid(post("{\"base_prompt\":[]}"));
  }

  @Row("2.4 environment_id")
  void anEnvironmentIsOneOfThoseThatAreHere(@TempDir Path other) {
    assertKept("environment_id");
    assertInvalid(post("{\"environment_id\":7}"));
    var web = EnvironmentRuns.web("web", List.of());
    var setup = Setup.USUAL.with(new Environments(List.of(web), Optional.of(web), Map.of()));
    try (var limited = RunningService.with(other, "cat", 1, setup)) {
      assertThat(EnvironmentRuns.answer(limited, "web")).isEqualTo("Do it");
      assertInvalid(
          limited.post(
              "/agent/runs", "{\"prompt\":\"x\",\"config\":{\"environment_id\":\"gone\"}}"));
    }
  }

  @Row("2.4 skill_spec")
  void theSkillOfTheConfigurationIsTheRuns() {
    var run = Probes.created(service, "{\"config\":{\"skill_spec\":\"o/r:a/tidy/SKILL.md\"}}");

    assertThat(run.at("/agent_config/skill_spec").asText()).isEqualTo("o/r:a/tidy/SKILL.md");
    assertThat(run.at("/agent_skill/full_path").asText()).isEqualTo("o/r:a/tidy/SKILL.md");
    assertInvalid(post("{\"skill_spec\":7}"));
  }

  @Row("2.4 mcp_servers")
  void toolServersAreAMapByName() {
    assertThat(given.get("mcp_servers")).isEqualTo(sent.get("mcp_servers"));
    assertThat(shown.get("mcp_servers").properties())
        .extracting(Map.Entry::getKey)
        .containsExactly("linear", "files", "docs");
    assertInvalid(post("{\"mcp_servers\":[]}"));
    assertInvalid(post("{\"mcp_servers\":{\"s\":null}}"));
  }

  @Row("2.4 computer_use_enabled")
  void computerUseIsABooleanAndNotMadeUp() {
    assertKept("computer_use_enabled");
    assertThat(shown("{\"computer_use_enabled\":true}").get("computer_use_enabled").booleanValue())
        .isFalse();
    assertThat(shown("{\"name\":\"n\"}").has("computer_use_enabled")).isFalse();
    assertInvalid(post("{\"computer_use_enabled\":\"true\"}"));
    assertInvalid(post("{\"computer_use_enabled\":1}"));
  }

  @Row("2.4 idle_timeout_minutes")
  void theIdleTimeIsAtMostAnHourOfWholeMinutes() {
    assertKept("idle_timeout_minutes");
    for (var minutes : List.of(0, 1, 60)) {
      assertThat(shown("{\"idle_timeout_minutes\":" + minutes + "}").elements().next().intValue())
          .isEqualTo(minutes);
    }
    for (var wrong : List.of("-1", "61", "7.5", "\"10\"", "99999999999")) {
      assertInvalid(post("{\"idle_timeout_minutes\":" + wrong + "}"));
    }
  }

  @Row("2.4 worker_host")
  void aRunWorksHereOrIsRefused() {
    assertKept("worker_host");
    assertInvalid(post("{\"worker_host\":\"worker-1\"}"));
    assertInvalid(post("{\"worker_host\":7}"));
  }

  @Row("2.4 harness")
  void theAgentIsTheUsualOrOneThatIsInstalledHere() {
    assertThat(shown.get("harness")).isEqualTo(sent.get("harness"));
    assertThat(given.get("harness")).isEqualTo(sent.get("harness"));
    assertInvalid(post("{\"harness\":\"claude\"}"));
    assertInvalid(post("{\"harness\":{\"type\":7}}"));
    var missing = post("{\"harness\":{\"type\":\"abacus\"}}");
    assertInvalid(missing);
    assertThat(RunningService.json(missing).get("detail").asText()).contains("abacus");
  }

  @Row("2.4 harness_auth_secrets")
  void secretsOfAnAgentAreRefusedByTheirNames() {
    assertInvalid(post("{\"harness_auth_secrets\":{\"claude_auth_secret_name\":\"KEY\"}}"));
    assertInvalid(post("{\"harness_auth_secrets\":{\"claude_auth_secret_name\":7}}"));
    assertThat(post("{\"harness_auth_secrets\":{}}").statusCode()).isEqualTo(200);
  }

  @Row("2.4 skills")
  void theFirstOfSeveralSkillsComesBackAsTheSkill() {
    assertKept("skills");
    assertThat(shown.get("skill_spec")).isEqualTo(sent.at("/skills/0"));
    assertInvalid(post("{\"skills\":[\"o/r:a\"],\"skill_spec\":\"o/r:b\"}"));
    assertInvalid(post("{\"skills\":\"o/r:a\"}"));
  }

  @Row("2.4 runner_id")
  void aRunnerIsRefused() {
    assertInvalid(post("{\"runner_id\":\"runner-1\"}"));
    assertInvalid(post("{\"runner_id\":7}"));
  }

  @Row("2.4 session_sharing")
  void sharingOfTheSessionIsNotOffered() {
    assertNotOffered("{\"session_sharing\":{\"public_access\":\"VIEWER\"}}");
    assertInvalid(post("{\"session_sharing\":\"VIEWER\"}"));
  }

  @Row("2.4 memory_stores")
  void memoryStoresAreNotOffered() {
    assertNotOffered(
        "{\"memory_stores\":[{\"uid\":\"m\",\"access\":\"read_only\",\"instructions\":\"i\"}]}");
    assertInvalid(post("{\"memory_stores\":{}}"));
  }

  @Row("2.4 inference_providers")
  void inferenceProvidersAreNotOffered() {
    assertNotOffered("{\"inference_providers\":{\"aws\":{\"region\":\"eu-central-1\"}}}");
    assertInvalid(post("{\"inference_providers\":{\"aws\":7}}"));
  }

  @Row("2.4 credential_strategy")
  void aCredentialStrategyMayBeNull() {
    assertKept("credential_strategy");
    for (var strategy : List.of("\"CREATOR\"", "\"EXECUTOR\"", "null")) {
      var config = "{\"credential_strategy\":" + strategy + "}";
      assertThat(shown(config).get("credential_strategy"))
          .isEqualTo(object(config).get("credential_strategy"));
    }
    assertInvalid(post("{\"credential_strategy\":7}"));
  }

  @Row("2.4 computer_use_model_id")
  void theModelThatWouldUseTheComputerIsLeftOutOfTheAnswer() {
    assertThat(shown.has("computer_use_model_id")).isFalse();
    assertInvalid(post("{\"computer_use_model_id\":7}"));
  }

  @Row("2.4 secrets")
  void secretsAreRefusedByTheirNames() {
    assertInvalid(post("{\"secrets\":[{\"name\":\"NPM_TOKEN\"}]}"));
    assertInvalid(post("{\"secrets\":{}}"));
    assertThat(post("{\"secrets\":[]}").statusCode()).isEqualTo(200);
  }

  @Row("2.4 experimental")
  void whatOnlyTheServiceSetsIsLeftOutOfTheAnswer() {
    assertThat(shown.has("experimental")).isFalse();
  }

  @Row("2.4 auth_secret_name")
  void theOneSecretNameOfOldLibrariesIsRefused() {
    assertInvalid(post("{\"harness\":{\"type\":\"oz\",\"auth_secret_name\":\"KEY\"}}"));
  }

  @Row("2.4 one of warp_id, command, url")
  void aToolServerIsReachedInExactlyOneWay() {
    for (var way :
        List.of("\"warp_id\":\"linear\"", "\"command\":\"c\"", "\"url\":\"https://u\"")) {
      assertThat(post("{\"mcp_servers\":{\"s\":{" + way + "}}}").statusCode()).isEqualTo(200);
    }
    for (var wrong :
        List.of(
            "",
            "\"args\":[]",
            "\"command\":\"c\",\"url\":\"https://u\"",
            "\"warp_id\":\"w\",\"command\":\"c\"",
            "\"warp_id\":\"w\",\"command\":\"c\",\"url\":\"https://u\"")) {
      assertInvalid(post("{\"mcp_servers\":{\"s\":{" + wrong + "}}}"));
    }
  }

  @Row("2.4 args, env, headers")
  void argumentsVariablesAndHeadersReachTheAgentAndNoViewShowsTheirValues() {
    assertThat(given.at("/mcp_servers/files/args/1").asText()).isEqualTo("files");
    assertThat(given.at("/mcp_servers/files/env/TOKEN").asText()).isEqualTo("a-secret-value");
    assertThat(given.at("/mcp_servers/docs/headers/Authorization").asText())
        .isEqualTo("a-secret-value");
    assertThat(shown.at("/mcp_servers/files/args")).isEqualTo(sent.at("/mcp_servers/files/args"));
    assertThat(shown.at("/mcp_servers/files/env/TOKEN").isTextual()).isTrue();
    assertThat(shown.at("/mcp_servers/docs/headers/Authorization").isTextual()).isTrue();
    assertThat(shown.toString()).doesNotContain("a-secret-value");
    assertInvalid(server("\"args\":\"-v\""));
    assertInvalid(server("\"env\":[]"));
    assertInvalid(server("\"env\":{\"A\":7}"));
    assertInvalid(server("\"headers\":\"A: b\""));
  }

  @Row("2.4 no secret in a string")
  void noAnswerRepeatsASecret() {
    for (var body :
        List.of(
            "\"url\":\"u\",\"env\":{\"A\":\"a-secret-value\"}",
            "\"env\":{\"A\":{\"b\":\"a-secret-value\"}}",
            "\"headers\":[\"a-secret-value\"]")) {
      var answer = server(body);
      assertInvalid(answer);
      assertThat(answer.body()).doesNotContain("a-secret-value");
    }
    var refused =
        post(
            """
            {"harness": {"type": "abacus"},
             "mcp_servers": {"s": {"command": "c", "env": {"A": "a-secret-value"}}}}\
            """);
    assertInvalid(refused);
    assertThat(refused.body()).doesNotContain("a-secret-value");
  }

  private static void assertNotOffered(String config) {
    Probes.assertRefused(post(config), 403, "feature_not_available");
  }

  /// Shown as it was sent, and given so to the agent.
  private static void assertKept(String member) {
    assertThat(shown.get(member)).isNotNull().isEqualTo(sent.get(member));
    assertThat(given.get(member)).isEqualTo(sent.get(member));
  }

  private static HttpResponse<String> server(String members) {
    return post("{\"mcp_servers\":{\"s\":{\"command\":\"c\"," + members + "}}}");
  }

  private static HttpResponse<String> post(String config) {
    return service.post("/agent/runs", "{\"prompt\":\"x\",\"config\":" + config + "}");
  }

  private static JsonNode shown(String config) {
    return Probes.created(service, "{\"prompt\":\"x\",\"config\":" + config + "}")
        .get("agent_config");
  }

  private static JsonNode ended(JsonNode body, String state) {
    return service.awaitState(service.create((ObjectNode) body), state);
  }
}
