package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.receive.SlackSignature;
import dev.runnel.testkit.SurfaceContract;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlackSurfaceTest implements SurfaceContract {
  private static final Notice TOLD =
      new Notice(
          new NoticeId("notice"),
          new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240915.000008"),
          new Update.Message(new Actor("U0ANN", "ann"), "Passed on.", false),
          Origin.NONE,
          SlackRequests.NOW,
          0);

  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface = SlackSurfaces.of(slack.config(), InstantSource.system());
  private final SlackSurface goldenSurface =
      SlackSurfaces.of(SlackRequests.CONFIG, InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
    goldenSurface.close();
    slack.close();
  }

  /// Of strangers, too: it is read before its signature is checked.
  @Test
  void noBodyOverAMegabyteIsRead() {
    assertThat(surface.maxBodyBytes()).isEqualTo(1024 * 1024);
  }

  @Override
  public Surface surface() {
    return goldenSurface;
  }

  @Override
  public List<Golden> golden() {
    var stop = new Intent.Cancel(Optional.empty(), Optional.empty());
    return List.of(
        golden(
            "slash-start",
            new Intent.Start(
                new Request(
                    "fix the flaky checkout test",
                    new RunOptions(
                        Optional.empty(),
                        Optional.of("staging"),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty())))),
        golden("slash-list", new Intent.ListRuns()),
        golden("message-in-thread", say("also look at the #dev logs")),
        golden("message-mention-in-thread", stop),
        golden("app-mention-in-thread", stop),
        golden("direct-message", say("why is the build red?")),
        golden(
            "file-share",
            say(
                "read this\n\n[Attached file: ev.yaml, text/yaml, 1 KB, "
                    + "http://127.0.0.1:3900/files/U0ANN/FMWQ0LZ7I64/ev.yaml]")),
        golden("thread-broadcast", say("and the docs")),
        golden(
            "block-actions-cancel",
            new Intent.Cancel(
                Optional.of(new RunId("0190e6a1-9f50-7c3e-8a43-000000000001")), Optional.empty())));
  }

  private static Golden golden(String name, Intent intent) {
    return new Golden(name, SlackRequests.golden(name), intent);
  }

  private static Intent say(String text) {
    return new Intent.Say(Request.of(text));
  }

  @Override
  public RawRequest signed(byte[] body) {
    return SlackRequests.signed(body);
  }

  @Override
  public RawRequest unsigned(RawRequest request) {
    return SlackRequests.with(request, Map.of());
  }

  @Override
  public RawRequest ownPost() {
    return SlackRequests.golden("own-message");
  }

  @Override
  public Posting postWhen(Answer answer) {
    switch (answer) {
      case TAKEN -> {}
      case RATE_LIMITED -> slack.says("chat.postMessage", ScriptedSlack.rateLimited("17"));
      case DOWN -> slack.says("chat.postMessage", ScriptedSlack.status(503));
      case GONE -> slack.refuses("chat.postMessage", "channel_not_found");
    }
    return surface.post(TOLD, null);
  }

  @Nested
  class ASignature {
    private final byte[] body = SlackRequests.golden("message-mention").body();

    private int statusOf(String secret, Instant sentAt, Instant arrivedAt) {
      return goldenSurface
          .receive(SlackRequests.signed(body, secret, sentAt, arrivedAt))
          .reply()
          .status();
    }

    @Test
    void signatureIsAcceptedForFiveMinutesInBothDirections() {
      var now = SlackRequests.NOW;

      assertThat(statusOf(SlackRequests.SECRET, now, now.plusSeconds(300))).isEqualTo(200);
      assertThat(statusOf(SlackRequests.SECRET, now, now.minusSeconds(300))).isEqualTo(200);
      assertThat(statusOf(SlackRequests.SECRET, now, now.plusSeconds(301))).isEqualTo(401);
      assertThat(statusOf(SlackRequests.SECRET, now, now.minusSeconds(301))).isEqualTo(401);
    }

    @Test
    void signatureOfEachRotatedSecretIsAccepted() {
      try (var rotating =
          SlackSurfaces.of(
              SlackSurfaces.oneWorkspace(
                  List.of("new", "old"), "xoxb", SlackRequests.CONFIG.apiUrl()),
              InstantSource.system())) {
        for (var secret : List.of("new", "old")) {
          assertThat(
                  rotating
                      .receive(
                          SlackRequests.signed(body, secret, SlackRequests.NOW, SlackRequests.NOW))
                      .reply()
                      .status())
              .isEqualTo(200);
        }
      }
      assertThat(statusOf("newer", SlackRequests.NOW, SlackRequests.NOW)).isEqualTo(401);
    }

    @Test
    void exampleOfSlacksDocumentationIsAccepted() {
      var documented =
          "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
              + "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
              + "&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
              + "%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
              + "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
      var request =
          new RawRequest(
              "POST",
              SlackConfig.EVENTS_PATH,
              Map.of(
                  "x-slack-request-timestamp",
                  "1531420618",
                  "x-slack-signature",
                  "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"),
              documented.getBytes(StandardCharsets.UTF_8),
              Instant.ofEpochSecond(1_531_420_618));
      try (var documentations =
          SlackSurfaces.of(
              SlackSurfaces.oneWorkspace(
                  List.of("8f742231b10e8888abcd99yyyzzz85a5"),
                  "xoxb",
                  SlackRequests.CONFIG.apiUrl()),
              InstantSource.system())) {
        assertThat(documentations.receive(request).reply().status()).isEqualTo(200);
      }
    }

    @ParameterizedTest
    @CsvSource({
      "'',1795240915",
      "v0=,1795240915",
      "v0=\u00e9\ud83d\ude80,1795240915",
      "v1=5626339980899db087ba4e4b64ed82aad6aada1a24693d70df346e2576fd6c83,1795240915",
      "v0=5626339980899db087ba4e4b64ed82aad6aada1a24693d70df346e2576fd6c83,''",
      "v0=5626339980899db087ba4e4b64ed82aad6aada1a24693d70df346e2576fd6c83,now",
      "v0=5626339980899db087ba4e4b64ed82aad6aada1a24693d70df346e2576fd6c83,-1795240915",
      "v0=5626339980899db087ba4e4b64ed82aad6aada1a24693d70df346e2576fd6c83,99999999999999999999",
    })
    void missingOrMalformedSignatureIsRejectedWithAnEmptyBody(String signature, String time) {
      var webhookResult =
          goldenSurface.receive(
              SlackRequests.with(
                  SlackRequests.golden("message-mention"),
                  Map.of(SlackSignature.SIGNATURE, signature, SlackSignature.TIMESTAMP, time)));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
      assertThat(webhookResult.reply().status()).isEqualTo(401);
      assertThat(webhookResult.reply().body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"url-verification", "ssl-check", "view-submission"})
    void handshakeWithoutASignatureIsRejected(String golden) {
      var webhookResult =
          goldenSurface.receive(SlackRequests.with(SlackRequests.golden(golden), Map.of()));

      assertThat(webhookResult.reply().status()).isEqualTo(401);
      assertThat(webhookResult.reply().body()).isEmpty();
    }
  }

  @Test
  void onlyPostsToTheEventsAddressAreAccepted() {
    var request = SlackRequests.golden("message-mention");

    assertThat(
            goldenSurface
                .receive(
                    new RawRequest(
                        "POST",
                        "/slack/other",
                        request.headers(),
                        request.body(),
                        SlackRequests.NOW))
                .reply()
                .status())
        .isEqualTo(404);
    assertThat(
            goldenSurface
                .receive(
                    new RawRequest(
                        "GET",
                        SlackConfig.EVENTS_PATH,
                        request.headers(),
                        new byte[0],
                        SlackRequests.NOW))
                .reply()
                .status())
        .isEqualTo(405);
  }

  /// All but those after which Slack is called aside, while nobody waits.
  private static List<String> awaited() {
    return SlackRequests.names().stream()
        .filter(it -> !it.equals("agent-session-stopped"))
        .filter(it -> !it.equals("assistant-thread-started"))
        .toList();
  }

  @Nested
  class AtTheStart {
    @Test
    void startCallsSlackOnceAndReceiveNever() {
      surface.start();
      for (var golden : awaited()) {
        surface.receive(SlackRequests.golden(golden));
      }

      assertThat(slack.calls()).hasSize(1);
      assertThat(slack.calls("auth.test")).hasSize(1);
    }

    @Test
    void receiveBeforeTheStartCallsNobody() {
      for (var golden : awaited()) {
        surface.receive(SlackRequests.golden(golden));
      }

      assertThat(slack.calls()).isEmpty();
    }

    @Test
    void unavailableSlackDoesNotPreventTheStartAndIsAskedAgainLater() {
      slack.says("auth.test", ScriptedSlack.status(502));
      surface.start();

      surface.post(TOLD, null);
      surface.post(TOLD, null);

      assertThat(slack.calls("auth.test")).hasSize(2);
      assertThat(slack.calls("chat.postMessage")).hasSize(2);
    }

    @Test
    void mentionIsRecognizedIfThePayloadLacksOurName() {
      surface.start();
      var body =
          SlackRequests.body(SlackRequests.golden("message-mention"))
              .replace("\"authorizations\"", "\"none\"");

      assertThat(surface.receive(SlackRequests.signed(body)))
          .isInstanceOfSatisfying(
              WebhookResult.Accepted.class,
              it -> {
                assertThat(it.delivery().addressed()).isTrue();
                assertThat(it.delivery().origin().link().orElseThrow())
                    .hasToString("https://acme.slack.com/archives/C0DEV/p1795240915000008");
              });
    }
  }
}
