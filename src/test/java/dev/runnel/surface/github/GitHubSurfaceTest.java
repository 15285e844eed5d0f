package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.tracker.Marker;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.SurfaceContract;
import dev.runnel.testkit.Tasks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitHubSurfaceTest implements SurfaceContract {
  private static final String TITLE = "Checkout fails for carts with 0 items";
  private static final Intent TASK = Tasks.workOn("issue", TITLE);

  private final TrackerSurface<?> surface = surface("agent", "https://api.github.example");

  private static TrackerSurface<?> surface(String label, String url) {
    return GitHub.surface(
        GitHubConfigs.withToken(
            List.of("an older secret", Deliveries.SECRET),
            "a-token",
            URI.create(url),
            Settings.of(label, "agent")),
        new OkHttpClient(),
        new SettableClock());
  }

  @Override
  public Surface surface() {
    return surface;
  }

  @Override
  public List<Golden> golden() {
    return List.of(
        golden("recorded-labeled", TASK),
        golden(
            "recorded-labeled-with-profile",
            new Intent.Start(new Request("Work on this issue.", fast()))),
        golden("recorded-unlabeled", cancel("removed the label `agent`")),
        golden("recorded-closed", cancel("closed the issue")),
        golden("vendor-issues-deleted", cancel("deleted the issue")),
        golden("vendor-issues-transferred", cancel("moved the issue away")),
        golden(
            "vendor-pull-request-closed",
            new Intent.PullRequestChanged(
                URI.create("https://github.com/Codertocat/Hello-World/pull/2"),
                PullRequestState.CLOSED,
                Instant.parse("2019-05-15T15:21:18Z"),
                Optional.of(cancel("closed the pull request")))),
        golden(
            "recorded-comment",
            new Intent.Say(
                Request.of("please also add a test\n\n```java\nassert cart.isEmpty();\n```"))),
        golden("recorded-comment-on-a-pull-request", new Intent.Say(Request.of("rebase this"))),
        golden("recorded-comment-stop", new Intent.Cancel(Optional.empty(), Optional.empty())));
  }

  private static Golden golden(String name, Intent intent) {
    return new Golden(name, Deliveries.golden(name), intent);
  }

  private static RunOptions fast() {
    var none = RunOptions.NONE;
    return new RunOptions(
        Optional.of("fast"),
        none.environment(),
        none.model(),
        none.skill(),
        none.name(),
        Optional.of(TITLE),
        none.factory());
  }

  private static Intent cancel(String why) {
    return new Intent.Cancel(Optional.empty(), Optional.of(why));
  }

  @Override
  public RawRequest signed(byte[] body) {
    return Deliveries.signed(Map.of("x-github-event", "issues", "x-github-delivery", "d1"), body);
  }

  @Override
  public RawRequest unsigned(RawRequest request) {
    return Deliveries.without(request, "x-hub-signature-256");
  }

  @Override
  public RawRequest ownPost() {
    return Deliveries.comment(
        "@agent words of an agent\n\n" + Marker.of(new NoticeId("7f1c2d9e-0001")));
  }

  @Override
  public Posting postWhen(Answer answer) {
    try (var github = MockServers.create()) {
      github.start();
      github.enqueue(
          switch (answer) {
            case TAKEN -> new MockResponse.Builder().code(201).body("{\"id\": 42}").build();
            case RATE_LIMITED ->
                new MockResponse.Builder().code(403).addHeader("Retry-After", "61").build();
            case DOWN -> new MockResponse.Builder().code(502).build();
            case GONE -> new MockResponse.Builder().code(404).build();
          });
      return surface("agent", "http://127.0.0.1:" + github.getPort())
          .post(Updates.notice(Updates.TOLD), null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Delivery accepted(RawRequest request) {
    assertThat(surface.receive(request)).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) surface.receive(request)).delivery();
  }

  private void assertAnswered(RawRequest request) {
    var webhookResult = surface.receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
    assertThat(webhookResult.reply().status()).isBetween(200, 299);
  }

  private void assertRejected(int status, RawRequest request) {
    var webhookResult = surface.receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
    assertThat(webhookResult.reply().status()).isEqualTo(status);
    assertThat(webhookResult.reply().body()).isEmpty();
  }

  @Nested
  class Proof {
    private final RawRequest request = Deliveries.golden("recorded-labeled");

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "sha256=",
          "sha1=1ef0384846d0e7af573fab7e2476874f1ed3321f",
          "sha256=0000000000000000000000000000000000000000000000000000000000000000",
          "sha256=é0000000000000000000000000000000000000000000000000000000000000000",
          "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        })
    void wrongSignatureIsRejected(String signature) {
      assertRejected(401, Deliveries.with(request, "x-hub-signature-256", signature));
    }

    @Test
    void legacySignatureAloneIsRejected() {
      var legacy =
          Deliveries.with(
              Deliveries.without(request, "x-hub-signature-256"),
              "x-hub-signature",
              "sha1=1ef0384846d0e7af573fab7e2476874f1ed3321f");

      assertRejected(401, legacy);
    }

    @Test
    void signatureWithAnyOfTheSecretsIsAccepted() {
      var older = "sha256=" + Hmac.hex("an older secret", request.body());

      accepted(Deliveries.with(request, "x-hub-signature-256", older));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-gitea-event", "x-forgejo-delivery", "x-gogs-signature"})
    void requestFromAnotherForgeIsRejected(String header) {
      assertRejected(401, Deliveries.with(request, header, "issues"));
    }

    @Test
    void formSignatureCoversTheEncodedForm() {
      var json = new String(request.body(), StandardCharsets.UTF_8);
      var form =
          ("payload=" + URLEncoder.encode(json, StandardCharsets.UTF_8))
              .getBytes(StandardCharsets.UTF_8);
      var headers =
          Map.of(
              "content-type", "application/x-www-form-urlencoded",
              "x-github-event", "issues",
              "x-github-delivery", "d1");

      var delivery = accepted(Deliveries.signed(headers, form));

      assertThat(delivery.intent()).isEqualTo(TASK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"payload=%7", "payload=", "nothing=1", "", "payload=[]"})
    void aFormWithoutAPayloadIsABadRequest(String form) {
      var headers =
          Map.of(
              "content-type", "application/x-www-form-urlencoded",
              "x-github-event", "issues",
              "x-github-delivery", "d1");

      assertRejected(400, Deliveries.signed(headers, form.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "3", "null", "\"text\"", "{} {}"})
    void bodyThatIsNotAJsonObjectIsABadRequest(String body) {
      assertRejected(400, signed(body.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-github-event", "x-github-delivery"})
    void deliveryWithoutItsEventOrIdHeaderIsABadRequest(String header) {
      assertRejected(400, Deliveries.without(request, header));
    }

    @Test
    void malformedDeliveryIdIsABadRequest() {
      assertRejected(400, Deliveries.with(request, "x-github-delivery", "x".repeat(5_000)));
      assertRejected(400, Deliveries.with(request, "x-github-delivery", " "));
    }
  }

  @Nested
  class Noise {
    private static final Set<String> WORK =
        Set.of("vendor-issues-deleted", "vendor-issues-transferred", "vendor-pull-request-closed");

    @TestFactory
    Stream<DynamicTest> gitHubsOtherExamplesAreAnswered() {
      return Deliveries.names().stream()
          .filter(name -> name.startsWith("vendor-") && !WORK.contains(name))
          .map(name -> dynamicTest(name, () -> assertAnswered(Deliveries.golden(name))));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "recorded-opened",
          "recorded-reopened",
          "recorded-ping",
          "recorded-comment-edited",
          "recorded-comment-between-people",
          "recorded-comment-by-a-stranger",
        })
    void irrelevantEventIsAnsweredWithoutAnEffect(String name) {
      assertAnswered(Deliveries.golden(name));
    }

    @Test
    void aPingIsAnsweredWithAPong() {
      assertThat(surface.receive(Deliveries.golden("vendor-ping")).reply().body())
          .isEqualTo("pong");
    }

    @Test
    void unknownEventIsAnsweredWithoutAnEffect() {
      assertAnswered(
          Deliveries.with(Deliveries.golden("recorded-labeled"), "x-github-event", "starred"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "workflow_job"})
  void eventOfAnotherKindIsAnsweredWithoutParsingItsBody(String event) {
    var headers = Map.of("x-github-event", event, "x-github-delivery", "d1");

    var result =
        surface().receive(Deliveries.signed(headers, "no JSON".getBytes(StandardCharsets.UTF_8)));

    assertThat(result).isInstanceOf(WebhookResult.Answered.class);
    assertThat(result.reply().status()).isEqualTo(204);
  }
}
