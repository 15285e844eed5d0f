package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.azure.AzureConfig;
import dev.runnel.surface.azure.AzureDevOps;
import dev.runnel.surface.gitea.Gitea;
import dev.runnel.surface.gitea.GiteaConfig;
import dev.runnel.surface.github.GitHub;
import dev.runnel.surface.github.GitHubConfig;
import dev.runnel.surface.gitlab.GitLab;
import dev.runnel.surface.gitlab.GitLabConfig;
import dev.runnel.surface.jira.Jira;
import dev.runnel.surface.jira.JiraConfig;
import dev.runnel.surface.linear.Linear;
import dev.runnel.surface.linear.LinearConfig;
import dev.runnel.testkit.GoldenDeliveries;
import dev.runnel.testkit.Proof;
import dev.runnel.testkit.Samples;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// How each sender proves that a delivery is its own. The proofs are computed here, by the JDK
/// alone; what the vendors publish as examples, and the traps, are in `proofs/signatures.txt` with
/// the tests that hold them.
class SignaturesTest {
  private static final String OLDER = "an older secret";
  private static final String SECRET = "a secret";
  private static final String SIGNING = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final long NOW = Samples.NINE.getEpochSecond();

  /// @param id the header that names a delivery, the same when it is sent again
  /// @param window how far its time may be from ours; empty where it has none
  /// @param signsBody whether the proof says something of the body
  /// @param proof headers, from the secret and the body
  private record Scheme(
      String name,
      Surface surface,
      String path,
      GoldenDeliveries golden,
      String delivery,
      String secret,
      Optional<String> id,
      Optional<Duration> window,
      boolean signsBody,
      BiFunction<String, byte[], Map<String, String>> proof) {
    RawRequest request(Map<String, String> headers, byte[] body, Instant arrivedAt) {
      var all = new HashMap<>(golden.read(delivery).headers());
      all.putAll(headers);
      return new RawRequest("POST", path, all, body, arrivedAt);
    }

    RawRequest proved(byte[] body) {
      return request(proof.apply(secret, body), body, Samples.NINE);
    }

    /// With spaces and letters that a reader might write in another way.
    byte[] body() {
      var json = golden.read(delivery).body();
      if (name.equals("Linear")) {
        json.put("webhookTimestamp", Samples.NINE.toEpochMilli());
      }
      json.put("spaced", "é \u2028 /");
      return (" " + json.toPrettyString() + "\r\n ").getBytes(StandardCharsets.UTF_8);
    }

    WebhookResult receive(RawRequest request) {
      return surface.receive(request);
    }

    boolean isBelieved(RawRequest request) {
      return receive(request).reply().status() != 401;
    }
  }

  private static Map<String, String> settings(String prefix, String secrets) {
    var settings =
        new HashMap<>(Map.of(prefix + "_WEBHOOK_SECRET", secrets, prefix + "_TOKEN", "a-token"));
    settings.put(
        prefix.equals("LINEAR") || prefix.equals("GITHUB") ? prefix + "_API_URL" : prefix + "_URL",
        "https://forge.example");
    return settings;
  }

  private static List<Scheme> schemes() {
    var http = new OkHttpClient();
    var both = OLDER + "," + SECRET;
    var github =
        GitHub.surface(
            GitHubConfig.from(settings("GITHUB", both)).orElseThrow(), http, () -> Samples.NINE);
    var gitlab =
        GitLab.surface(
            GitLabConfig.from(settings("GITLAB", both + "," + SIGNING)).orElseThrow(),
            http,
            () -> Samples.NINE);
    var cloudSettings = settings("JIRA", both);
    cloudSettings.put("JIRA_EMAIL", "runnel@acme.example");
    var cloud =
        Jira.surface(JiraConfig.from(cloudSettings).orElseThrow(), http, () -> Samples.NINE);
    var dataCenter =
        Jira.surface(
            JiraConfig.from(settings("JIRA", both)).orElseThrow(), http, () -> Samples.NINE);
    var linear =
        Linear.surface(
            LinearConfig.from(settings("LINEAR", both)).orElseThrow(), http, () -> Samples.NINE);
    var gitea =
        Gitea.surface(
            GiteaConfig.from(settings("GITEA", both)).orElseThrow(), http, () -> Samples.NINE);
    var azure =
        AzureDevOps.surface(
            AzureConfig.from(settings("AZURE_DEVOPS", both)).orElseThrow(),
            http,
            () -> Samples.NINE);
    var jiras = new GoldenDeliveries("jira");
    var teas = new GoldenDeliveries("gitea");
    return List.of(
        new Scheme(
            "GitHub",
            github,
            GitHub.PATH,
            new GoldenDeliveries("github"),
            "recorded-labeled",
            SECRET,
            Optional.of("x-github-delivery"),
            Optional.empty(),
            true,
            (secret, body) -> Map.of("x-hub-signature-256", "sha256=" + hex(secret, body))),
        new Scheme(
            "GitLab, secret token",
            gitlab,
            GitLab.PATH,
            new GoldenDeliveries("gitlab"),
            "issue-labeled",
            SECRET,
            Optional.of("idempotency-key"),
            Optional.empty(),
            false,
            (secret, _) -> Map.of("x-gitlab-token", secret)),
        new Scheme(
            "GitLab, signing token",
            gitlab,
            GitLab.PATH,
            new GoldenDeliveries("gitlab"),
            "issue-labeled",
            SIGNING,
            Optional.of("idempotency-key"),
            Optional.of(Duration.ofMinutes(5)),
            true,
            (secret, body) -> standard(secret, body, NOW)),
        new Scheme(
            "Jira Cloud",
            cloud,
            Jira.PATH,
            jiras,
            "issue-labeled",
            SECRET,
            Optional.of("x-atlassian-webhook-identifier"),
            Optional.empty(),
            true,
            (secret, body) -> Map.of("x-hub-signature", "sha256=" + hex(secret, body))),
        new Scheme(
            "Jira Data Center, password",
            dataCenter,
            Jira.PATH,
            jiras,
            "data-center-issue-labeled",
            SECRET,
            Optional.empty(),
            Optional.empty(),
            false,
            (secret, _) -> Map.of("authorization", "Basic " + base64("jira:" + secret))),
        new Scheme(
            "Linear",
            linear,
            Linear.PATH,
            new GoldenDeliveries("linear"),
            "issue-label-added",
            SECRET,
            Optional.of("linear-delivery"),
            Optional.of(Duration.ofMinutes(1)),
            true,
            (secret, body) -> Map.of("linear-signature", hex(secret, body))),
        new Scheme(
            "Gitea",
            gitea,
            Gitea.PATH,
            teas,
            "issue-label-with-changes",
            SECRET,
            Optional.of("x-gitea-delivery"),
            Optional.empty(),
            true,
            (secret, body) -> Map.of("x-gitea-signature", hex(secret, body))),
        new Scheme(
            "Forgejo",
            gitea,
            Gitea.PATH,
            teas,
            "pull-comment-of-forgejo",
            SECRET,
            Optional.of("x-forgejo-delivery"),
            Optional.empty(),
            true,
            (secret, body) -> Map.of("x-forgejo-signature", hex(secret, body))),
        new Scheme(
            "Azure DevOps, password",
            azure,
            AzureDevOps.PATH,
            new GoldenDeliveries("azure"),
            "item-tagged",
            SECRET,
            Optional.empty(),
            Optional.empty(),
            false,
            (secret, _) -> Map.of("authorization", "Basic " + base64("hooks:" + secret))));
  }

  private static byte[] hmac(byte[] key, byte[] message) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(message);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String hex(String secret, byte[] body) {
    return HexFormat.of().formatHex(hmac(secret.getBytes(StandardCharsets.UTF_8), body));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Map<String, String> standard(String secret, byte[] body, long time) {
    var key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
    var head = ("msg-1." + time + ".").getBytes(StandardCharsets.UTF_8);
    var message = new byte[head.length + body.length];
    System.arraycopy(head, 0, message, 0, head.length);
    System.arraycopy(body, 0, message, head.length, body.length);
    return Map.of(
        "webhook-id",
        "msg-1",
        "webhook-timestamp",
        String.valueOf(time),
        "webhook-signature",
        "v1," + Base64.getEncoder().encodeToString(hmac(key, message)));
  }

  private static Stream<DynamicTest> each(java.util.function.Consumer<Scheme> check) {
    return schemes().stream().map(each -> dynamicTest(each.name(), () -> check.accept(each)));
  }

  @TestFactory
  Stream<DynamicTest> aRightProofIsBelieved() {
    return each(
        scheme ->
            assertThat(scheme.receive(scheme.proved(scheme.body())))
                .isInstanceOf(WebhookResult.Accepted.class));
  }

  @TestFactory
  Stream<DynamicTest> anyOfTheSecretsWillDoAndNoOther() {
    return each(
        scheme -> {
          var body = scheme.body();
          var older = scheme.secret().equals(SIGNING) ? SIGNING : OLDER;
          var other = scheme.secret().equals(SIGNING) ? "whsec_" + base64("another") : "another";
          assertThat(
                  scheme.isBelieved(
                      scheme.request(scheme.proof().apply(older, body), body, Samples.NINE)))
              .isTrue();
          assertThat(
                  scheme.isBelieved(
                      scheme.request(scheme.proof().apply(other, body), body, Samples.NINE)))
              .isFalse();
        });
  }

  @TestFactory
  Stream<DynamicTest> theProofIsOverTheVeryBytes() {
    return each(
        scheme -> {
          var body = scheme.body();
          var trimmed = new String(body, StandardCharsets.UTF_8).strip();
          var changed =
              scheme.request(
                  scheme.proof().apply(scheme.secret(), body),
                  trimmed.getBytes(StandardCharsets.UTF_8),
                  Samples.NINE);
          assertThat(scheme.isBelieved(changed)).isNotEqualTo(scheme.signsBody());
        });
  }

  @TestFactory
  Stream<DynamicTest> withoutAProofOrWithAnEmptyOneNothingIsBelieved() {
    return each(
        scheme -> {
          var body = scheme.body();
          var proof = scheme.proof().apply(scheme.secret(), body);
          assertThat(scheme.isBelieved(scheme.request(Map.of(), body, Samples.NINE))).isFalse();
          for (var header : proof.keySet()) {
            for (var wrong : List.of("", "sha256=", "v1,", "Basic ", "é", "0".repeat(64))) {
              var headers = new HashMap<>(proof);
              headers.put(header, wrong);
              assertThat(scheme.isBelieved(scheme.request(headers, body, Samples.NINE)))
                  .as("%s: %s", header, wrong)
                  .isFalse();
            }
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> anOldOneIsRefusedExactlyWhereItsTimeIsSigned() {
    return each(
        scheme -> {
          var request = scheme.proved(scheme.body());
          var window = scheme.window().orElse(Duration.ofDays(1));
          for (var sign : List.of(1, -1)) {
            var edge = Samples.NINE.plus(window.multipliedBy(sign));
            assertThat(scheme.isBelieved(at(request, edge))).isTrue();
            assertThat(scheme.isBelieved(at(request, edge.plusSeconds(sign))))
                .isEqualTo(scheme.window().isEmpty());
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> whatIsSentAgainHasTheSameName() {
    return each(
        scheme -> {
          var request = scheme.proved(scheme.body());
          var once = ((WebhookResult.Accepted) scheme.receive(request)).delivery();
          var again = ((WebhookResult.Accepted) scheme.receive(request)).delivery();
          assertThat(again.id()).isEqualTo(once.id());
          assertThat(again.meaning()).isEqualTo(once.meaning());
          scheme
              .id()
              .ifPresent(
                  header -> {
                    assertThat(once.id().value())
                        .endsWith(":" + request.header(header).orElseThrow());
                    var other =
                        ((WebhookResult.Accepted)
                                scheme.receive(with(request, header, "another-1")))
                            .delivery();
                    assertThat(other.id()).isNotEqualTo(once.id());
                  });
        });
  }

  private static RawRequest at(RawRequest request, Instant arrivedAt) {
    return new RawRequest(
        request.method(), request.path(), request.headers(), request.body(), arrivedAt);
  }

  private static RawRequest with(RawRequest request, String header, String value) {
    var headers = new HashMap<>(request.headers());
    headers.put(header, value);
    return new RawRequest(
        request.method(), request.path(), headers, request.body(), request.arrivedAt());
  }

  @TestFactory
  Stream<DynamicTest> everyLineOfTheTableHasItsProof() {
    var table = Proof.table("signatures.txt");
    assertThat(table).hasSizeGreaterThan(20);
    return table.stream()
        .map(
            line ->
                dynamicTest(
                    line.name() + ": " + line.holds(), () -> assertThat(line.missing()).isEmpty()));
  }
}
