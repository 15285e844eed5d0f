package dev.runnel.service.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.wire.AgentConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// No member of a configuration is taken and ignored. The table of docs/http-api.md is made from
/// the same list; to write it anew: `mvn test -Dtest=ConfigMembersTest -Drunnel.write=true`.
class ConfigMembersTest {
  private static final Path PAGE = Path.of("docs/http-api.md");
  private static final String BEGIN = "<!-- configuration -->\n";
  private static final String END = "<!-- end of configuration -->";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          worker_host          | {"worker_host":"builder-7"}                                       | 400
          worker_host          | {"worker_host":"Warp"}                                            | 400
          secrets              | {"secrets":[{"name":"NPM_TOKEN"}]}                                | 400
          secrets_append       | {"secrets_append":[{"name":"NPM_TOKEN"}]}                         | 400
          harness_auth_secrets | {"harness_auth_secrets":{"claude_auth_secret_name":"KEY"}}        | 400
          harness_auth_secrets | {"harness_auth_secrets":{"gemini_auth_secret_name":"KEY"}}        | 400
          auth_secret_name     | {"harness":{"type":"claude","auth_secret_name":"KEY"}}            | 400
          runner_id            | {"runner_id":"large"}                                             | 400
          default_runner_uid   | {"default_runner_uid":"large"}                                    | 400
          memory_stores        | {"memory_stores":[{"uid":"m","access":"read_only"}]}              | 403
          memory               | {"memory":{"auto_memory":{"enabled":true},"attached_stores":[]}}  | 403
          memory               | {"memory":{"attached_stores":[{"uid":"m"}]}}                      | 403
          session_sharing      | {"session_sharing":{"public_access":"VIEWER"}}                    | 403
          session_sharing      | {"session_sharing":{"public_access":"ANYBODY"}}                   | 403
          inference_providers  | {"inference_providers":{"aws":{"role_arn":"arn"}}}                | 403
          """)
  void memberThatWouldBeIgnoredIsRefusedByName(String member, String config, int status) {
    var refusal =
        catchThrowableOfType(RequestProblem.class, () -> ConfigMembers.check(object(config)));

    assertThat(refusal.code().status()).isEqualTo(status);
    assertThat(refusal.detail()).startsWith(member + ": ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"worker_host\":\"warp\"}",
        "{\"worker_host\":\"\"}",
        "{\"worker_host\":null}",
        "{\"secrets\":[]}",
        "{\"secrets\":null}",
        "{\"secrets_append\":[]}",
        "{\"harness_auth_secrets\":{}}",
        "{\"harness_auth_secrets\":{\"claude_auth_secret_name\":null}}",
        "{\"harness_auth_secrets\":{\"codex_auth_secret_name\":\"\"}}",
        "{\"harness\":{\"type\":\"claude\",\"auth_secret_name\":null}}",
        "{\"runner_id\":\"\"}",
        "{\"memory_stores\":[]}",
        "{\"memory\":{\"attached_stores\":[],\"auto_memory\":{\"enabled\":false}}}",
        "{\"session_sharing\":{}}",
        "{\"session_sharing\":{\"public_access\":null}}",
        "{\"inference_providers\":{}}",
        "{\"computer_use_enabled\":true}",
        "{\"a_member_of_next_year\":[1]}",
      })
  void memberThatAsksForNothingIsAccepted(String config) {
    assertThatCode(() -> ConfigMembers.check(object(config))).doesNotThrowAnyException();
  }

  @Test
  void answerShowsWhatHolds() {
    assertThat(
            ConfigMembers.inEffect(
                object(
                    """
                    {"name": "n", "computer_use_enabled": true, "computer_use_model_id": "eyes",
                     "experimental": {"fast": true}, "worker_host": "warp", "next": 1}\
                    """)))
        .isEqualTo(
            object(
                """
                {"name": "n", "computer_use_enabled": false, "worker_host": "warp", "next": 1}\
                """));
    assertThat(ConfigMembers.inEffect(object("{}"))).isEmpty();
  }

  @Test
  void everyPublishedMemberOfAConfigurationIsInTheList() {
    var published =
        Arrays.stream(AgentConfig.class.getRecordComponents())
            .map(it -> Optional.ofNullable(it.getAccessor().getAnnotation(JsonProperty.class)))
            .flatMap(Optional::stream)
            .map(JsonProperty::value)
            .toList();

    assertThat(ConfigMembers.PUBLISHED)
        .extracting(ConfigMembers.Member::name)
        .doesNotHaveDuplicates()
        .containsAll(published);
  }

  @Test
  void pageSaysWhatHappensToEachMember() throws Exception {
    var page = Files.readString(PAGE);
    var written =
        page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
            + table()
            + page.substring(page.indexOf(END));
    if (Boolean.getBoolean("runnel.write")) {
      Files.writeString(PAGE, written);
    }

    assertThat(page).isEqualTo(written);
  }

  private static String table() {
    return "\n| member | here | |\n|---|---|---|\n"
        + ConfigMembers.PUBLISHED.stream()
            .map(it -> "| `%s` | %s | %s |\n".formatted(it.name(), it.use().words(), it.note()))
            .collect(Collectors.joining())
        + "\n";
  }

  private static ObjectNode object(String json) {
    return (ObjectNode) ServiceJson.read(json);
  }
}
