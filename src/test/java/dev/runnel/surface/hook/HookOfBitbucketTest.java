package dev.runnel.surface.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.surface.hook.HookProof.Encoding;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bitbucket has no surface of its own. A hook takes its issues: `X-Hub-Signature` is SHA-256
/// there, while elsewhere a header of that name is SHA-1.
class HookOfBitbucketTest {
  private static final String SECRET = "a secret";
  private static final byte[] BODY =
      """
      {"actor": {"display_name": "Dana"}, "issue": {"id": 7, "title": "Checkout fails"}}
      """
          .getBytes(StandardCharsets.UTF_8);

  /// @param id the header that names a delivery: `X-Request-UUID`, on Data Center `X-Request-Id`
  private static HookSurface surface(String id) {
    return new HookSurface(
        List.of(
            new Hook(
                "bitbucket",
                new HookProof.Signature(
                    "X-Hub-Signature", "sha256=", Encoding.HEX, List.of(SECRET)),
                Hook.conditions(Map.of()),
                Hook.conditions(Map.of()),
                HookPrompt.Template.parse("Work on {/issue/title}."),
                Optional.empty(),
                Optional.of(Hook.place("/issue/id")),
                Optional.of(id),
                Optional.empty(),
                RunOptions.NONE,
                Optional.empty())),
        new OkHttpClient(),
        new SettableClock(),
        MemoryBudget.of(256 << 20).share(MemoryBudget.Kind.PROVEN));
  }

  private static RawRequest request(Map<String, String> headers) {
    var all = new HashMap<>(Map.of("x-event-key", "issue:created"));
    all.put("x-request-uuid", "0b1c");
    all.put("x-request-id", "0b1c");
    all.putAll(headers);
    return new RawRequest("POST", "/webhooks/hooks/bitbucket", all, BODY, Samples.NINE);
  }

  private static String hmac(String algorithm) throws GeneralSecurityException {
    var mac = Mac.getInstance(algorithm);
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), algorithm));
    return HexFormat.of().formatHex(mac.doFinal(BODY));
  }

  @Test
  void onlyABitbucketSha256SignatureIsAccepted() throws Exception {
    var surface = surface("X-Request-UUID");
    var right = "sha256=" + hmac("HmacSHA256");

    assertThat(surface.receive(request(Map.of("x-hub-signature", right))))
        .isInstanceOf(WebhookResult.Accepted.class);
    for (var wrong :
        List.of("", "sha256=", "sha1=" + hmac("HmacSHA1"), "sha256=" + hmac("HmacSHA1"))) {
      assertThat(surface.receive(request(Map.of("x-hub-signature", wrong))).reply().status())
          .as(wrong)
          .isEqualTo(401);
    }
    assertThat(surface.receive(request(Map.of("x-hub-signature-256", right))).reply().status())
        .isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Request-UUID", "X-Request-Id"})
  void repeatedDeliveryKeepsItsId(String header) throws Exception {
    var request = request(Map.of("x-hub-signature", "sha256=" + hmac("HmacSHA256")));
    var once = (WebhookResult.Accepted) surface(header).receive(request);
    var again = (WebhookResult.Accepted) surface(header).receive(request);

    assertThat(again.delivery().id()).isEqualTo(once.delivery().id());
    assertThat(once.delivery().id().value()).contains("0b1c");
  }
}
