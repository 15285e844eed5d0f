package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.testkit.Samples;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JiraAuthenticationTest {
  private static final List<String> SECRETS = List.of("older", "new secret/1");

  private static boolean isAuthentic(boolean isCloud, String path, Map<String, String> headers) {
    var body = "Hello, World!".getBytes(StandardCharsets.UTF_8);
    return new JiraAuthentication(SECRETS, isCloud)
        .isAuthentic(new RawRequest("POST", path, headers, body, Samples.NINE));
  }

  /// The vector that GitHub publishes for the same form and method.
  @ParameterizedTest
  @CsvSource({
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17, true",
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e18, false",
    "sha1=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17, false",
    "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17, false",
    "sha256=, false",
  })
  void signatureRequiresTheSha256Prefix(String signature, boolean isProved) {
    var request =
        new RawRequest(
            "POST",
            Jira.PATH,
            Map.of("x-hub-signature", signature),
            "Hello, World!".getBytes(StandardCharsets.UTF_8),
            Samples.NINE);

    assertThat(
            new JiraAuthentication(List.of("It's a Secret to Everybody"), true)
                .isAuthentic(request))
        .isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({
    "/webhooks/jira/older, true",
    "/webhooks/jira/new%20secret%2F1, true",
    "/webhooks/jira/new+secret%2F1, false",
    "/webhooks/jira/, false",
    "/webhooks/jira, false",
    "/webhooks/jira/%, false",
    "/webhooks/jira/other, false",
  })
  void aDataCenterMayHaveTheSecretInTheAddress(String path, boolean isProved) {
    assertThat(isAuthentic(false, path, Map.of())).isEqualTo(isProved);
    assertThat(isAuthentic(true, path, Map.of())).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"jira:older, true", ":older, true", "older:jira, false", "jira:, false"})
  void dataCenterAcceptsTheSecretAsABasicPassword(String pair, boolean isProved) {
    var basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));

    assertThat(isAuthentic(false, Jira.PATH, Map.of("authorization", "Basic " + basic)))
        .isEqualTo(isProved);
    assertThat(isAuthentic(true, Jira.PATH, Map.of("authorization", "Basic " + basic))).isFalse();
  }

  @Test
  void bearerTokenOfAnAppIsRejected() {
    var token = "Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk";
    for (var isCloud : List.of(true, false)) {
      assertThat(isAuthentic(isCloud, Jira.PATH, Map.of("authorization", token))).isFalse();
    }
  }

  @Test
  void wrongSignatureIsRejectedDespiteASecretInTheAddress() {
    assertThat(isAuthentic(false, "/webhooks/jira/older", Map.of("x-hub-signature", "sha256=0")))
        .isFalse();
  }
}
