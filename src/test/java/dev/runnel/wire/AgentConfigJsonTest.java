package dev.runnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.client.ClientJson;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How an agent is run, as it is sent and as it comes back.
public class AgentConfigJsonTest {
  @Test
  public void everyMemberIsReadAndWrittenUnderItsName() throws Exception {
    var golden = Golden.tree("agent-config");
    var config =
        AgentConfig.builder()
            .name("tests")
            .modelId("claude-large")
            .basePrompt("Be brief.")
            .environmentId("UA17BXYZ0123456789abcd")
            .skillSpec("team/app:fix-tests")
            .mcpServers(
                Map.of(
                    "linear",
                    McpServer.builder().warpId("linear").build(),
                    "files",
                    McpServer.builder()
                        .command("npx")
                        .args(List.of("-y", "files"))
                        .env(Map.of("TOKEN", "a-secret-value"))
                        .build(),
                    "docs",
                    McpServer.builder()
                        .url("https://docs.example/mcp")
                        .headers(Map.of("Authorization", "a-secret-value"))
                        .more(
                            Map.of(
                                "timeout",
                                golden.at("/mcp_servers/docs/timeout"),
                                "proxy",
                                NullNode.instance))
                        .build()))
            .computerUseEnabled(false)
            .computerUseModelId("eyes-1")
            .idleTimeoutMinutes(0)
            .workerHost("worker-1")
            .harness(
                Harness.builder()
                    .type(HarnessType.CODEX)
                    .modelId("codex-1")
                    .reasoningLevel("high")
                    .more(Map.of("version", NullNode.instance))
                    .build())
            .harnessAuthSecrets(
                new HarnessAuthSecrets(
                    "CLAUDE_KEY",
                    "CODEX_KEY",
                    Map.of(
                        "gemini_auth_secret_name",
                        golden.at("/harness_auth_secrets/gemini_auth_secret_name"))))
            .skills(List.of("team/app:fix-tests", "team/app:review"))
            .runnerId("runner-1")
            .sessionSharing(
                new SessionSharing(PublicAccess.VIEWER, Map.of("until", NullNode.instance)))
            .memoryStores(
                List.of(
                    new MemoryStore(
                        "m-1",
                        "read_only",
                        "Look here first.",
                        Map.of("rank", golden.at("/memory_stores/0/rank")))))
            .inferenceProviders(
                new InferenceProviders(
                    new AwsInference(
                        false,
                        "eu-central-1",
                        "arn:aws:iam::1:role/r",
                        Map.of("profile", NullNode.instance)),
                    Map.of("elsewhere", golden.at("/inference_providers/elsewhere"))))
            .credentialStrategy(CredentialStrategy.EXECUTOR)
            .secrets(
                List.of(
                    new SecretName("NPM_TOKEN", Map.of("scope", golden.at("/secrets/0/scope")))))
            .experimental(golden.path("experimental"))
            .more(
                Map.of(
                    "a_member_of_next_year",
                    golden.path("a_member_of_next_year"),
                    "a_null_of_next_year",
                    NullNode.instance))
            .build();

    assertThat(ClientJson.tree(config)).isEqualTo(golden);
    assertThat(Golden.read("agent-config", AgentConfig.class)).isEqualTo(config);
    assertThat(config.toBuilder().build()).isEqualTo(config);
    Golden.isFull(config, "mcpServers.");
  }

  @Test
  public void agentConfigurationSurvivesARoundTrip() throws Exception {
    Golden.isLossless("agent-config", AgentConfig.class);
  }

  @Test
  public void aMemberThatCannotBeReadCountsAsAbsentUnlessReadStrictly() throws Exception {
    Golden.oddMembersCountAsAbsent("agent-config", AgentConfig.class);
  }

  @Test
  public void allConfigurationMembersAreOptional() throws Exception {
    var config = ClientJson.strict(ClientJson.tree("{}"), AgentConfig.class);

    assertThat(config).isEqualTo(AgentConfig.builder().build());
    assertThat(ClientJson.tree(config).toString()).isEqualTo("{}");
  }

  @Test
  public void severalSkillsAreReadWithTheFirstAsSkillSpec() throws Exception {
    var config = Golden.read("agent-config", AgentConfig.class);

    assertThat(config.skills()).containsExactly("team/app:fix-tests", "team/app:review");
    assertThat(config.skillSpec()).isEqualTo("team/app:fix-tests");
  }

  @Test
  public void emptyTextAndListsAreSent() throws Exception {
    var config = AgentConfig.builder().basePrompt("").skills(List.of()).build();

    assertThat(ClientJson.tree(config).toString())
        .isEqualTo("{\"base_prompt\":\"\",\"skills\":[]}");
  }

  @Test
  public void nullCredentialStrategyIsSentAsNull() throws Exception {
    var config =
        AgentConfig.builder().more(Map.of("credential_strategy", NullNode.instance)).build();

    assertThat(ClientJson.tree(config).toString()).isEqualTo("{\"credential_strategy\":null}");
    assertThat(ClientJson.strict(ClientJson.tree(config), AgentConfig.class).credentialStrategy())
        .isNull();
  }

  @Test
  public void aNumberThatDoesNotFitCountsAsAbsent() throws Exception {
    var json = ClientJson.tree("{\"idle_timeout_minutes\": 99999999999, \"name\": \"tests\"}");

    var config = ClientJson.lenient(json, AgentConfig.class);

    assertThat(config.idleTimeoutMinutes()).isNull();
    assertThat(config.name()).isEqualTo("tests");
  }

  @Test
  public void legacySecretNameIsKept() throws Exception {
    var json =
        ClientJson.tree("{\"harness\":{\"type\":\"claude\",\"auth_secret_name\":\"CLAUDE_KEY\"}}");

    assertThat(ClientJson.tree(ClientJson.strict(json, AgentConfig.class))).isEqualTo(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"warp_id\":\"linear\",\"url\":\"https://a.example\"}",
        "{\"command\":\"npx\",\"url\":\"https://a.example\"}",
        "{\"warp_id\":\"linear\",\"command\":\"npx\"}",
        "{\"warp_id\":\"linear\",\"command\":\"npx\",\"url\":\"https://a.example\"}"
      })
  public void aToolServerHasExactlyOneOfIdCommandAndUrl(String json) throws IOException {
    var server = ClientJson.strict(ClientJson.tree(json), McpServer.class);

    assertThat(server.ways()).isNotEqualTo(1);
  }

  @Test
  public void argumentsEnvironmentAndHeadersOfAToolServerAreWritten() throws Exception {
    var stdio = McpServer.builder().command("npx").args(List.of("-y")).env(Map.of("A", "1"));
    var http = McpServer.builder().url("https://a.example").headers(Map.of("B", "2"));

    assertThat(ClientJson.tree(stdio.build()).toString())
        .isEqualTo("{\"command\":\"npx\",\"args\":[\"-y\"],\"env\":{\"A\":\"1\"}}");
    assertThat(ClientJson.tree(http.build()).toString())
        .isEqualTo("{\"url\":\"https://a.example\",\"headers\":{\"B\":\"2\"}}");
  }

  @Test
  public void toStringShowsNoSecretsOfAToolServer() throws Exception {
    assertThat(Golden.read("agent-config", AgentConfig.class).toString())
        .contains("TOKEN", "Authorization")
        .doesNotContain("a-secret-value");
  }

  @Test
  public void parsedConfigurationIsUnmodifiable() throws Exception {
    var json = (ObjectNode) Golden.tree("agent-config");
    var config = ClientJson.strict(json, AgentConfig.class);

    json.putArray("a_member_of_next_year");
    assertThat(config.more().get("a_member_of_next_year")).hasSize(2);
    assertThat(config.mcpServers()).isUnmodifiable();
    assertThat(config.skills()).isUnmodifiable();
    assertThat(config.more()).isUnmodifiable();
  }
}
