package dev.runnel.surface.hook;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Surface;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.surface.hook.HookProof.Encoding;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.StandardWebhooks;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.SurfaceContract;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import mockwebserver3.MockResponse;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class HookSurfaceTest implements SurfaceContract {
  private static final String SECRET = "a long secret";
  private static final HookProof SIGNATURE =
      new HookProof.Signature(
          "X-Alert-Signature", "sha256=", Encoding.HEX, List.of("an older secret", SECRET));
  private static final Share MEMORY = MemoryBudget.of(256 << 20).share(MemoryBudget.Kind.PROVEN);
  private static final String FIRING =
      """
      {"id": "a1", "status": "firing", "alert": {"name": "Disk", "group": "g 7"},
       "text": "92 %", "url": "https://alerts.example/a1"}\
      """;

  private final Surface surface = surface(hook(SIGNATURE, Optional.empty()));

  private static Surface surface(Hook hook) {
    return new HookSurface(List.of(hook), new OkHttpClient(), new SettableClock(), MEMORY);
  }

  private static Hook hook(HookProof proof, Optional<URI> callback) {
    return new Hook(
        "alerts",
        proof,
        Hook.conditions(Map.of("/status", List.of("firing", "resolved"))),
        Hook.conditions(Map.of("/status", List.of("resolved"))),
        HookPrompt.Template.parse("Look into {/alert/name}."),
        Optional.of(Hook.place("/alert/name")),
        Optional.of(Hook.place("/alert/group")),
        Optional.of("/id"),
        Optional.of(Hook.place("/url")),
        options("fast"),
        callback);
  }

  private static RunOptions options(String profile) {
    var none = RunOptions.NONE;
    return new RunOptions(
        Optional.of(profile),
        none.environment(),
        none.model(),
        none.skill(),
        none.name(),
        none.title(),
        none.factory());
  }

  private static RawRequest request(String body, Map<String, String> headers) {
    return new RawRequest(
        "POST",
        "/webhooks/hooks/alerts",
        headers,
        body.getBytes(StandardCharsets.UTF_8),
        Samples.NINE);
  }

  private static RawRequest signed(String body) {
    return request(
        body,
        Map.of(
            "x-alert-signature",
            "sha256=" + Hmac.hex(SECRET, body.getBytes(StandardCharsets.UTF_8))));
  }

  @Override
  public Surface surface() {
    return surface;
  }

  @Override
  public List<Golden> golden() {
    var prompt = ((Intent.Say) accepted(surface, signed(FIRING)).intent()).request().text();
    var titled =
        new RunOptions(
            Optional.of("fast"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of("Disk"),
            Optional.empty());
    return List.of(
        new Golden("firing", signed(FIRING), new Intent.Say(new Request(prompt, titled))),
        new Golden(
            "resolved",
            signed(FIRING.replace("firing", "resolved")),
            new Intent.Cancel(Optional.empty(), Optional.of("The hook alerts said so."))));
  }

  @Override
  public RawRequest signed(byte[] body) {
    return request(
        new String(body, StandardCharsets.UTF_8),
        Map.of("x-alert-signature", "sha256=" + Hmac.hex(SECRET, body)));
  }

  @Override
  public RawRequest unsigned(RawRequest request) {
    return new RawRequest(
        request.method(), request.path(), Map.of(), request.body(), request.arrivedAt());
  }

  @Override
  public RawRequest ownPost() {
    return signed("{\"runnel\": {\"id\": \"n1\"}, \"status\": \"firing\", \"id\": \"a2\"}");
  }

  @Override
  public Posting postWhen(Answer answer) {
    try (var callback = MockServers.create()) {
      callback.start();
      callback.enqueue(
          switch (answer) {
            case TAKEN -> new MockResponse.Builder().code(204).build();
            case RATE_LIMITED ->
                new MockResponse.Builder().code(429).addHeader("Retry-After", "61").build();
            case DOWN -> new MockResponse.Builder().code(502).build();
            case GONE -> new MockResponse.Builder().code(410).build();
          });
      return surface(hook(SIGNATURE, Optional.of(callback.url("/told").uri())))
          .post(notice(), null);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Notice notice() {
    var delivery = accepted(surface, signed(FIRING));
    return new Notice(
        new NoticeId("n1"),
        delivery.conversation(),
        new Update.Blocked(
            Samples.run("r1", RunState.BLOCKED), delivery.actor(), "May I delete logs?"),
        Origin.NONE,
        Samples.NINE,
        0);
  }

  private static Delivery accepted(Surface surface, RawRequest request) {
    return ((WebhookResult.Accepted) surface.receive(request)).delivery();
  }

  @Test
  void deliveryContainsItsConversationLinkAndSender() {
    var delivery = accepted(surface, signed(FIRING));

    assertThat(delivery.id().value()).isEqualTo("hooks:alerts/a1");
    assertThat(delivery.actor().name()).isEqualTo("the hook alerts");
    assertThat(delivery.origin().link()).contains(URI.create("https://alerts.example/a1"));
    assertThat(accepted(surface, signed(FIRING.replace("a1", "a2"))).conversation())
        .isEqualTo(delivery.conversation());
    assertThat(accepted(surface, signed(FIRING.replace("g 7", "g 8"))).conversation())
        .isNotEqualTo(delivery.conversation());
  }

  @Test
  void unmatchedPayloadIsAnsweredWithTheReason() {
    var webhookResult = surface.receive(signed("{\"id\": \"a1\", \"status\": \"pending\"}"));

    assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
    assertThat(webhookResult.reply().body())
        .isEqualTo("Not for this hook: /status is not firing or resolved.\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"status\": \"firing\"}",
        "{\"id\": \"a1\", \"status\": \"firing\", \"alert\": {}}",
        "{\"id\": null, \"status\": \"firing\", \"alert\": {\"group\": \"g\"}}",
        "{\"id\": \"a1\", \"id\": \"a2\", \"status\": \"firing\"}",
        "{\"id\": \"a1\", \"status\": \"firing\"",
        "[]",
        "null",
        "\"firing\"",
        "{} {}",
      })
  void incompleteOrUnreadableBodyStartsNothing(String body) {
    var webhookResult = surface.receive(signed(body));

    assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
    assertThat(webhookResult.reply().status()).isEqualTo(400);
  }

  @Test
  void aBodyNestedTooDeeplyCannotBeRead() {
    assertThat(surface.receive(signed("{\"a\":".repeat(5_000))).reply().status()).isEqualTo(400);
  }

  @Test
  void aHookThatIsNotInTheConfigurationIsNotFound() {
    var request =
        new RawRequest("POST", "/webhooks/hooks/other", Map.of(), new byte[0], Samples.NINE);

    assertThat(surface.receive(request).reply().status()).isEqualTo(404);
  }

  @Test
  void everyBodyIsSeparateWithoutConversationAndDeliveryKeys() {
    var plain =
        surface(
            new Hook(
                "alerts",
                SIGNATURE,
                List.of(),
                List.of(),
                new HookPrompt.Place(Hook.place("/prompt")),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                RunOptions.NONE,
                Optional.empty()));

    var once = accepted(plain, signed("{\"prompt\": \"Say \\\"hi\\\" ✨\\nשלום\"}"));
    var other = accepted(plain, signed("{\"prompt\": \"Say ho\"}"));

    assertThat(((Intent.Say) once.intent()).request().text()).isEqualTo("Say \"hi\" ✨\nשלום");
    assertThat(once.id()).isNotEqualTo(other.id());
    assertThat(once.conversation()).isNotEqualTo(other.conversation());
  }

  @Nested
  class TheSender {
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "sha256=", "sha256=ж", "sha1=00", "sha256=é\u0000"})
    void requestWithoutTheRightSignatureIsRejected(String signature) {
      var headers = new HashMap<String, String>();
      if (signature != null) {
        headers.put("x-alert-signature", signature);
      }

      assertThat(surface.receive(request(FIRING, headers)).reply().status()).isEqualTo(401);
    }

    @Test
    void oneOfSeveralSignaturesInTheHeaderIsEnough() {
      var right = Hmac.hex(SECRET, FIRING.getBytes(StandardCharsets.UTF_8));
      var wrong = Hmac.hex("another", FIRING.getBytes(StandardCharsets.UTF_8));

      for (var header :
          List.of(
              "sha256=" + wrong + ",sha256=" + right,
              "sha256=" + right + ", sha256=" + wrong,
              "v0=" + wrong + ", sha256=" + wrong + " , sha256=" + right)) {
        assertThat(status(header)).as(header).isEqualTo(202);
      }
      for (var header :
          List.of(
              "sha256=" + wrong + ",sha256=" + wrong,
              "sha256=" + wrong + "," + right,
              ",",
              "sha256=,sha256=",
              "sha256=x,".repeat(1000) + "sha256=" + right)) {
        assertThat(status(header)).isEqualTo(401);
      }
    }

    @Test
    void hexadecimalDigitsMayBeCapitals() {
      var right = Hmac.hex(SECRET, FIRING.getBytes(StandardCharsets.UTF_8));

      assertThat(status("sha256=" + right.toUpperCase(Locale.ROOT))).isEqualTo(202);
      assertThat(
              status(
                  "sha256=" + right.substring(0, 9) + right.substring(9).toUpperCase(Locale.ROOT)))
          .isEqualTo(202);
      assertThat(status("SHA256=" + right)).isEqualTo(401);
    }

    @Test
    void capitalsCountInBase64() {
      var proof = new HookProof.Signature("X-Sig", "", Encoding.BASE64, List.of(SECRET));
      var bytes = FIRING.getBytes(StandardCharsets.UTF_8);
      var right = String.valueOf(proof.headers("", Samples.NINE, bytes).get("X-Sig"));
      var hooks = surface(hook(proof, Optional.empty()));

      assertThat(hooks.receive(request(FIRING, Map.of("x-sig", "AAAA," + right))).reply().status())
          .isEqualTo(202);
      assertThat(
              hooks
                  .receive(request(FIRING, Map.of("x-sig", right.toLowerCase(Locale.ROOT))))
                  .reply()
                  .status())
          .isEqualTo(401);
    }

    private int status(String signature) {
      return surface
          .receive(request(FIRING, Map.of("x-alert-signature", signature)))
          .reply()
          .status();
    }

    @Test
    void compressedBodyIsInflatedAndItsSignatureIsThatOfTheBytesAsSent() throws IOException {
      var plain = accepted(surface, signed(FIRING));
      var compressed = accepted(surface, compressed(gzip(FIRING), "gzip"));

      assertThat(compressed.intent()).isEqualTo(plain.intent());
      assertThat(accepted(surface, compressed(gzip(FIRING), " X-GZIP")).id()).isEqualTo(plain.id());
      assertThat(surface.receive(compressed(gzip(FIRING), "br")).reply().status()).isEqualTo(400);
    }

    @Test
    void bodyThatInflatesToMoreThanABodyMayHaveIsRefused() throws IOException {
      var before = MEMORY.taken();
      var large = gzip("{\"id\": \"" + " ".repeat(50_000_000) + "\"}");

      assertThat(surface.receive(compressed(large, "gzip")).reply().status()).isEqualTo(413);
      assertThat(MEMORY.taken()).isEqualTo(before);
    }

    @Test
    void damagedCompressedBodyIsRefused() throws IOException {
      var good = gzip(FIRING);

      for (var bad : List.of(new byte[0], Arrays.copyOf(good, good.length - 9), new byte[100])) {
        assertThat(surface.receive(compressed(bad, "gzip")).reply().status()).isEqualTo(400);
      }
      assertThat(MEMORY.taken()).isZero();
    }

    @Test
    void compressedBodyIsRefusedForNowWhileItsMemoryIsSpent() throws IOException {
      var large = gzip("{\"id\": \"" + " ".repeat(1_000_000) + "\"}");
      try (var part = MEMORY.part("other", 0, 1_000_000)) {
        var hooks =
            new HookSurface(
                List.of(hook(SIGNATURE, Optional.empty())),
                new OkHttpClient(),
                new SettableClock(),
                part);

        assertThat(hooks.receive(compressed(large, "gzip")).reply().status()).isEqualTo(503);
        assertThat(part.taken()).isZero();
      }
    }

    @Test
    void compressedBodyIsNotInflatedWithoutAProof() throws IOException {
      var request = compressed(gzip(FIRING), "gzip");

      assertThat(surface.receive(unsigned(request)).reply().status()).isEqualTo(401);
      assertThat(MEMORY.taken()).isZero();
    }

    private static byte[] gzip(String text) throws IOException {
      var bytes = new ByteArrayOutputStream();
      try (var gzip = new GZIPOutputStream(bytes)) {
        gzip.write(text.getBytes(StandardCharsets.UTF_8));
      }
      return bytes.toByteArray();
    }

    private static RawRequest compressed(byte[] body, String encoding) {
      return new RawRequest(
          "POST",
          "/webhooks/hooks/alerts",
          Map.of(
              "content-encoding",
              encoding,
              "x-alert-signature",
              "sha256=" + Hmac.hex(SECRET, body)),
          body,
          Samples.NINE);
    }

    @Test
    void base64SignatureIsAccepted() {
      var proof = new HookProof.Signature("X-Sig", "", Encoding.BASE64, List.of(SECRET));
      var bytes = FIRING.getBytes(StandardCharsets.UTF_8);
      var request =
          request(FIRING, Map.of("x-sig", proof.headers("", Samples.NINE, bytes).get("X-Sig")));

      assertThat(proof.headers("", Samples.NINE, bytes).get("X-Sig")).endsWith("=");
      assertThat(surface(hook(proof, Optional.empty())).receive(request))
          .isInstanceOf(WebhookResult.Accepted.class);
    }

    @Test
    void standardWebhooksSignatureIsAcceptedForFiveMinutes() {
      var key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
      var standard = surface(hook(new HookProof.Standard(List.of(key)), Optional.empty()));

      assertThat(standard.receive(standardWebhook(key, 0)))
          .isInstanceOf(WebhookResult.Accepted.class);
      assertThat(standard.receive(standardWebhook(key, 301)).reply().status()).isEqualTo(401);
      assertThat(standard.receive(standardWebhook("whsec_AAAA", 0)).reply().status())
          .isEqualTo(401);
    }

    private RawRequest standardWebhook(String key, long age) {
      var timestamp = Long.toString(Samples.NINE.getEpochSecond() - age);
      return request(
          FIRING,
          Map.of(
              StandardWebhooks.ID,
              "m1",
              StandardWebhooks.TIMESTAMP,
              timestamp,
              StandardWebhooks.SIGNATURE,
              StandardWebhooks.sign(
                  key, "m1", timestamp, FIRING.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void eachConfiguredBearerTokenIsAccepted() {
      var bearer = surface(hook(new HookProof.Bearer(List.of("new", "old")), Optional.empty()));

      assertThat(bearer.receive(request(FIRING, Map.of("authorization", "bearer old"))))
          .isInstanceOf(WebhookResult.Accepted.class);
      for (var wrong : List.of("Bearer", "Bearer ", "Bearer neW", "Basic new", "new", "Bearer ж")) {
        assertThat(bearer.receive(request(FIRING, Map.of("authorization", wrong))).reply().status())
            .as(wrong)
            .isEqualTo(401);
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1767603600", "1767603600000", "\"2026-01-05T09:00:00Z\""})
    void recentTimeInTheSignedBodyIsAccepted(String time) {
      assertThat(fresh().receive(signed(sentAt(time)))).isInstanceOf(WebhookResult.Accepted.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1767603000", "1767604200000", "\"yesterday\"", "null", "1e300", "{}"})
    void oldOrMissingTimeInTheBodyIsRejected(String time) {
      assertThat(fresh().receive(signed(sentAt(time))).reply().status()).isEqualTo(401);
    }

    private Surface fresh() {
      return surface(
          hook(
              new HookProof.Fresh(SIGNATURE, Hook.place("/sent"), Duration.ofMinutes(5)),
              Optional.empty()));
    }

    private String sentAt(String time) {
      return FIRING.replaceFirst("\\{", "{\"sent\": " + time + ", ");
    }
  }

  @Nested
  class TheCallback {
    @Test
    void callbackReceivesSignedJson() throws Exception {
      try (var callback = MockServers.create()) {
        callback.start();
        callback.enqueue(new MockResponse.Builder().code(200).build());

        surface(hook(SIGNATURE, Optional.of(callback.url("/told").uri()))).post(notice(), null);

        var told = callback.takeRequest();
        var bytes = requireNonNull(told.getBody()).toByteArray();
        assertThat(told.getHeaders().get("X-Alert-Signature"))
            .isEqualTo("sha256=" + Hmac.hex("an older secret", bytes));
        var body = new JsonMapper().readTree(bytes);
        assertThat(body.at("/runnel/id").asText()).isEqualTo("n1");
        assertThat(body.at("/runnel/hook").asText()).isEqualTo("alerts");
        assertThat(body.path("event").asText()).isEqualTo("blocked");
        assertThat(body.path("run_id").asText()).isEqualTo("r1");
        assertThat(body.path("message").asText()).isEqualTo("May I delete logs?");
      }
    }

    @Test
    void callbackRedirectIsNotFollowed() throws Exception {
      try (var callback = MockServers.create()) {
        callback.start();
        callback.enqueue(
            new MockResponse.Builder().code(307).addHeader("Location", "/other").build());

        assertThat(
                surface(hook(SIGNATURE, Optional.of(callback.url("/told").uri())))
                    .post(notice(), null))
            .isInstanceOf(Posting.Undeliverable.class);
        assertThat(callback.getRequestCount()).isOne();
      }
    }

    @Test
    void noticeWithoutACallbackCountsAsPosted() {
      assertThat(surface.post(notice(), null)).isInstanceOf(Posting.Posted.class);
    }
  }

  @Test
  void hookBelongsToThePolicyGroupOfItsName() {
    var delivery =
        Samples.delivery(
            "1", Samples.start("fix it"), new Conversation(HookSurface.ID, "alerts/7"));

    assertThat(surface.senders().groups(delivery, Set.of("alerts", "others")))
        .isEqualTo(new GroupLookup.Known(Set.of("alerts")));
  }

  @Nested
  class HostileBodies {
    private static final int FIVE_MEGABYTES = 4_900_000;

    private WebhookResult received(String body) {
      return surface.receive(signed(body));
    }

    @Test
    void fiveMegabytesOfSmallObjectsAreRefusedInWords() {
      var result = received("{\"id\":\"a1\",\"x\":[" + "{},".repeat(FIVE_MEGABYTES / 3) + "{}]}");

      assertThat(result.reply().status()).isEqualTo(400);
      assertThat(result.reply().body()).contains("too many values");
    }

    @Test
    void deepNestingIsRefusedInWords() {
      var result = received("{\"id\":\"a1\",\"x\":" + "[".repeat(64 * 1024));

      assertThat(result.reply().status()).isEqualTo(400);
      assertThat(result.reply().body()).contains("nests too deeply");
    }

    @Test
    void longNamesAndNumbersAreRefusedInWords() {
      assertThat(received("{\"" + "n".repeat(1024 * 1024) + "\":1}").reply().body())
          .contains("name in it is too long");
      assertThat(received("{\"id\":" + "9".repeat(100_000) + "}").reply().body())
          .contains("number in it is too long");
    }

    @Test
    void longTextThatTheHookDoesNotReadIsSkipped() {
      var body = FIRING.replace("\"92 %\"", '"' + "x".repeat(FIVE_MEGABYTES) + '"');

      assertThat(accepted(surface, signed(body)).conversation())
          .isEqualTo(accepted(surface, signed(FIRING)).conversation());
    }

    @Test
    void nameThatOccursTwiceIsRefusedOnlyWhereItIsRead() {
      assertThat(received(FIRING.replace("\"id\"", "\"id\": \"b\", \"id\"")).reply().status())
          .isEqualTo(400);
      assertThat(received(FIRING.replace("\"text\"", "\"text\": 1, \"text\"")).reply().status())
          .isEqualTo(202);
    }
  }
}
