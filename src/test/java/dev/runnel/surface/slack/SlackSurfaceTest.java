package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.Reception;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.RunOptions;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.Surface;
import dev.runnel.testkit.SurfaceContract;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlackSurfaceTest implements SurfaceContract {
  private static final Actor ANN = new Actor("U0ANN", "ann");
  private static final Conversation THREAD =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240915.000008");
  private static final Conversation NOWHERE =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/~1.2.abc");
  private static final NoticeId NOTICE = new NoticeId("slack:1.2.abc#1");
  private static final Intent START = new Intent.Start(Request.of("fix the <test>"));

  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface = new SlackSurface(slack.config());
  private final SlackSurface goldenSurface = new SlackSurface(SlackRequests.CONFIG);

  @AfterEach
  void close() {
    surface.close();
    goldenSurface.close();
    slack.close();
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
        golden("file-share", say("read this")),
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
    return surface.post(notice(told(false), THREAD, 0), null);
  }

  private static Update told(boolean privately) {
    return new Update.Told(ANN, "Passed on.", privately);
  }

  private static Notice notice(Update update, Conversation conversation, int tries) {
    return notice(update, conversation, tries, Origin.NONE);
  }

  private static Notice notice(Update update, Conversation conversation, int tries, Origin origin) {
    return new Notice(NOTICE, conversation, update, origin, SlackRequests.NOW, tries);
  }

  private static Delivery delivery(Conversation conversation, Intent intent, Origin origin) {
    return new Delivery(
        new DeliveryId("slack:1.2.abc"),
        "slash:1.2.abc",
        conversation,
        ANN,
        intent,
        true,
        origin,
        SlackRequests.NOW);
  }

  private static Update.Status status(String message) {
    return SlackUpdates.status(SlackUpdates.running().message(message), Duration.ofSeconds(200));
  }

  private static Origin repliesTo(String address) {
    return new Origin(Optional.empty(), Optional.of(address), Optional.empty(), false);
  }

  private static String marked(String blockId, String ts) {
    return """
    {"type":"message","user":"U0RUNNEL","bot_id":"B0RUNNEL","ts":"%s","text":"x",\
    "blocks":[{"type":"section","block_id":"%s","text":{"type":"mrkdwn","text":"x"}}]}\
    """
        .formatted(ts, blockId);
  }

  private static String page(String cursor, String... messages) {
    return "{\"ok\":true,\"messages\":["
        + String.join(",", messages)
        + "],\"response_metadata\":{\"next_cursor\":\""
        + cursor
        + "\"}}";
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
    void isAcceptedForFiveMinutesInBothDirections() {
      var now = SlackRequests.NOW;

      assertThat(statusOf(SlackRequests.SECRET, now, now.plusSeconds(300))).isEqualTo(200);
      assertThat(statusOf(SlackRequests.SECRET, now, now.minusSeconds(300))).isEqualTo(200);
      assertThat(statusOf(SlackRequests.SECRET, now, now.plusSeconds(301))).isEqualTo(401);
      assertThat(statusOf(SlackRequests.SECRET, now, now.minusSeconds(301))).isEqualTo(401);
    }

    @Test
    void ofAnySecretIsAcceptedWhileTheyAreRotated() {
      try (var rotating =
          new SlackSurface(
              new SlackConfig(
                  List.of("new", "old"), "xoxb", SlackRequests.CONFIG.apiUrl(), "/agent"))) {
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
    void isTheOneOfSlacksOwnDocumentation() {
      var documented =
          "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
              + "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
              + "&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
              + "%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
              + "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
      var request =
          new RawRequest(
              "POST",
              SlackSurface.PATH,
              Map.of(
                  "x-slack-request-timestamp",
                  "1531420618",
                  "x-slack-signature",
                  "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"),
              documented.getBytes(StandardCharsets.UTF_8),
              Instant.ofEpochSecond(1_531_420_618));
      try (var documentations =
          new SlackSurface(
              new SlackConfig(
                  List.of("8f742231b10e8888abcd99yyyzzz85a5"),
                  "xoxb",
                  SlackRequests.CONFIG.apiUrl(),
                  "/agent"))) {
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
    void thatIsMissingOrMalformedIsRefusedWithoutAWordAboutWhy(String signature, String time) {
      var reception =
          goldenSurface.receive(
              SlackRequests.with(
                  SlackRequests.golden("message-mention"),
                  Map.of(SlackSignature.SIGNATURE, signature, SlackSignature.TIMESTAMP, time)));

      assertThat(reception).isInstanceOf(Reception.Rejected.class);
      assertThat(reception.reply().status()).isEqualTo(401);
      assertThat(reception.reply().body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"url-verification", "ssl-check", "view-submission"})
    void isNeededForHandshakesToo(String golden) {
      var reception =
          goldenSurface.receive(SlackRequests.with(SlackRequests.golden(golden), Map.of()));

      assertThat(reception.reply().status()).isEqualTo(401);
      assertThat(reception.reply().body()).isEmpty();
    }
  }

  @Test
  void onlyPostsToTheOneAddressAreLookedAt() {
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
                        SlackSurface.PATH,
                        request.headers(),
                        new byte[0],
                        SlackRequests.NOW))
                .reply()
                .status())
        .isEqualTo(405);
  }

  @Nested
  class AtTheStart {
    @Test
    void weLearnWhoWeAreByOneCallAndReceiveCallsNobody() {
      surface.start();
      for (var golden : SlackRequests.names()) {
        surface.receive(SlackRequests.golden(golden));
      }

      assertThat(slack.calls()).hasSize(1);
      assertThat(slack.calls("auth.test")).hasSize(1);
    }

    @Test
    void receiveCallsNobodyEvenBefore() {
      for (var golden : SlackRequests.names()) {
        surface.receive(SlackRequests.golden(golden));
      }

      assertThat(slack.calls()).isEmpty();
    }

    @Test
    void aSlackThatIsDownDoesNotStopUsAndIsAskedAgainLater() {
      slack.says("auth.test", ScriptedSlack.status(502));
      surface.start();

      surface.post(notice(told(false), THREAD, 0), null);
      surface.post(notice(told(false), THREAD, 0), null);

      assertThat(slack.calls("auth.test")).hasSize(2);
      assertThat(slack.calls("chat.postMessage")).hasSize(2);
    }

    @Test
    void ourNameIsKnownWhereAPayloadDoesNotTellIt() {
      surface.start();
      var body =
          SlackRequests.body(SlackRequests.golden("message-mention"))
              .replace("\"authorizations\"", "\"none\"");

      assertThat(surface.receive(SlackRequests.signed(body)))
          .isInstanceOfSatisfying(
              Reception.Accepted.class,
              it -> {
                assertThat(it.delivery().addressed()).isTrue();
                assertThat(it.delivery().origin().link().orElseThrow())
                    .hasToString("https://acme.slack.com/archives/C0DEV/p1795240915000008");
              });
    }
  }

  @Nested
  class OpeningAThread {
    private final Delivery start = delivery(NOWHERE, START, Origin.NONE);

    @Test
    void showsWhoAskedForWhat() {
      assertThat(surface.open(start, false))
          .isEqualTo(
              new Posting.Posted(
                  new PostRef("C0DEV/1795240916.000200"),
                  new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240916.000200")));
      var call = slack.calls("chat.postMessage").getFirst();
      assertThat(call.field("channel")).isEqualTo("C0DEV");
      assertThat(call.field("thread_ts")).isEmpty();
      assertThat(call.field("text")).isEqualTo("<@U0ANN> asked: fix the &lt;test&gt;");
    }

    @Test
    void againFindsThePostOfTheFirstTry() {
      slack
          .says("conversations.history", page("more", marked("other", "1795240917.000001")))
          .says(
              "conversations.history",
              page(
                  "",
                  "{\"type\":\"message\",\"text\":\"no blocks\",\"ts\":\"1\"}",
                  marked(SlackPost.Mark.content("slack:1.2.abc").value(), "1795240916.000100")));

      assertThat(surface.open(start, true))
          .isInstanceOfSatisfying(
              Posting.Posted.class,
              it -> assertThat(it.ref()).isEqualTo(new PostRef("C0DEV/1795240916.000100")));
      assertThat(slack.calls("conversations.history").getLast().field("cursor")).isEqualTo("more");
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }

    @Test
    void againPostsWhereTheFirstTryDidNot() {
      assertThat(surface.open(start, true)).isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void againWaitsWhileSlackCannotBeAsked() {
      slack.says("conversations.history", ScriptedSlack.rateLimited("30"));

      assertThat(surface.open(start, true))
          .isEqualTo(new Posting.Later(Optional.of(Duration.ofSeconds(30)), "Slack answered 429"));
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }

    @Test
    void whereWeWereNotInvitedSaysWhatToDo() {
      slack.refuses("chat.postMessage", "not_in_channel");

      assertThat(surface.open(start, false))
          .isEqualTo(
              new Posting.Undeliverable(
                  "I cannot post in this channel. Invite me with /invite @runnel and try again."));
    }
  }

  @Nested
  class AStatus {
    private final PostRef card = new PostRef("C0DEV/1795240916.000200");

    @Test
    void isPostedOnceAndThenEdited() {
      assertThat(surface.post(notice(status("starting"), THREAD, 0), null))
          .isEqualTo(new Posting.Posted(card, THREAD));
      assertThat(surface.post(notice(status("testing"), THREAD, 0), card))
          .isEqualTo(new Posting.Posted(card, THREAD));

      assertThat(slack.calls("chat.postMessage").getFirst().field("thread_ts"))
          .isEqualTo("1795240915.000008");
      var edit = slack.calls("chat.update").getFirst();
      assertThat(edit.field("ts")).isEqualTo("1795240916.000200");
      assertThat(edit.field("blocks")).contains("testing", "cancel_run");
    }

    @Test
    void thatSomebodyDeletedIsPostedAnew() {
      slack.refuses("chat.update", "message_not_found");

      assertThat(surface.post(notice(status("testing"), THREAD, 0), card))
          .isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }
  }

  @Nested
  class AfterATryOfUnknownOutcome {
    @Test
    void aPostThatArrivedIsNotRepeated() {
      slack.says(
          "conversations.replies",
          page("", marked(SlackPost.Mark.of(NOTICE.value()).value(), "1795240916.000150")));

      assertThat(surface.post(notice(told(false), THREAD, 1), null))
          .isEqualTo(new Posting.Posted(new PostRef("C0DEV/1795240916.000150"), THREAD));
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }

    @Test
    void aPostThatDidNotArriveIsMade() {
      slack.says("conversations.replies", page("", marked("runnel-other", "1795240916.000150")));

      surface.post(notice(told(false), THREAD, 1), null);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void anUnknownKindOfBlockDoesNotHideOurPost() {
      slack.says(
          "conversations.replies",
          page(
              "",
              "{\"ts\":\"1\",\"blocks\":[{\"type\":\"hologram\",\"block_id\":\"h\",\"x\":[1]}],"
                  + "\"attachments\":[{\"blocks\":[{\"type\":\"hologram\"}]}]}",
              marked(SlackPost.Mark.of(NOTICE.value()).value(), "1795240916.000150")));

      surface.post(notice(told(false), THREAD, 1), null);

      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }
  }

  @Nested
  class APrivateAnswer {
    @Test
    void goesToTheAddressTheCommandCameWith() {
      var posting =
          surface.post(notice(told(true), NOWHERE, 0, repliesTo(slack.responseUrl())), null);

      assertThat(posting).isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("respond").getFirst().field("json"))
          .contains("\"response_type\":\"ephemeral\"", "Passed on.");
      assertThat(slack.calls("chat.postEphemeral")).isEmpty();
    }

    @Test
    void afterHalfAnHourGoesBesideTheThread() {
      slack.says("respond", ScriptedSlack.status(404));

      surface.post(notice(told(true), THREAD, 0, repliesTo(slack.responseUrl())), null);

      var call = slack.calls("chat.postEphemeral").getFirst();
      assertThat(call.field("user")).isEqualTo("U0ANN");
      assertThat(call.field("thread_ts")).isEqualTo("1795240915.000008");
    }

    @Test
    void thatCannotBePrivateIsSaidInTheThread() {
      slack.refuses("chat.postEphemeral", "user_not_in_channel");

      surface.post(notice(new Update.Helped(ANN), THREAD, 0), null);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void inADirectMessageIsAMessage() {
      var direct = new Conversation(SlackPlace.SURFACE, "T0ACME/D0ANN/1795240915.000012");

      surface.post(notice(told(true), direct, 0), null);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void outsideThreadsThatReachesNobodyIsUndeliverable() {
      slack.refuses("chat.postEphemeral", "channel_not_found");

      assertThat(surface.post(notice(told(true), NOWHERE, 0), null))
          .isInstanceOf(Posting.Undeliverable.class);
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }
  }

  @Nested
  class ASignOfReceipt {
    private final Update received = new Update.Received(new PostRef("C0DEV/1795240915.000008"));

    @Test
    void isAReactionOnTheMessage() {
      assertThat(surface.post(notice(received, THREAD, 0), null))
          .isInstanceOf(Posting.Posted.class);

      var call = slack.calls("reactions.add").getFirst();
      assertThat(call.field("name")).isEqualTo("eyes");
      assertThat(call.field("timestamp")).isEqualTo("1795240915.000008");
    }

    @ParameterizedTest
    @ValueSource(strings = {"already_reacted", "missing_scope", "message_not_found"})
    void thatIsNotPossibleIsNotMissed(String error) {
      slack.refuses("reactions.add", error);

      assertThat(surface.post(notice(received, THREAD, 0), null))
          .isInstanceOf(Posting.Posted.class);
    }
  }

  @Nested
  class WhatSlackAnswers {
    @ParameterizedTest
    @ValueSource(strings = {"ratelimited", "internal_error", "fatal_error", "service_unavailable"})
    void passesByIsLater(String error) {
      slack.refuses("chat.postMessage", error);

      assertThat(surface.post(notice(told(false), THREAD, 0), null))
          .isInstanceOf(Posting.Later.class);
    }

    @Test
    void unreadablyIsLater() {
      for (var body : List.of("<html>proxy</html>", "", "null", "[]")) {
        slack.says("chat.postMessage", body);

        assertThat(surface.post(notice(told(false), THREAD, 0), null))
            .as(body)
            .isInstanceOf(Posting.Later.class);
      }
    }

    @ParameterizedTest
    @CsvSource({
      "is_archived,archived",
      "token_revoked,SLACK_BOT_TOKEN",
      "missing_scope,manifest",
      "thread_not_found,gone",
      "something_new,something_new"
    })
    void forGoodIsUndeliverableInPlainWords(String error, String word) {
      slack.refuses("chat.postMessage", error);

      assertThat(surface.post(notice(told(false), THREAD, 0), null))
          .isInstanceOfSatisfying(
              Posting.Undeliverable.class, it -> assertThat(it.why()).contains(word));
    }

    @Test
    void notAtAllIsLater() {
      slack.close();

      assertThat(surface.post(notice(told(false), THREAD, 0), null))
          .isInstanceOf(Posting.Later.class);
    }
  }

  @Nested
  class TheBackground {
    private final Origin reply =
        new Origin(
            Optional.empty(),
            Optional.empty(),
            Optional.of(new PostRef("C0DEV/1795240999.000001")),
            false);
    private final Delivery mention = delivery(THREAD, say("fix it"), reply);

    private static String message(String user, String ts, String text) {
      return "{\"type\":\"message\",\"user\":\"%s\",\"ts\":\"%s\",\"text\":\"%s\"}"
          .formatted(user, ts, text);
    }

    @Test
    void isWhatWasSaidInTheThreadByName() {
      slack
          .says(
              "conversations.replies",
              page(
                  "p2",
                  message("U0ANN", "1795240915.000008", "the build is red, <@U0BOB>"),
                  marked(SlackPost.Mark.of("n1").value(), "1795240915.000009")))
          .says(
              "conversations.replies",
              page(
                  "",
                  message("U0ANN", "1795240915.000008", "the build is red, <@U0BOB>"),
                  message("U0BOB", "1795240916.000001", "since &lt;yesterday&gt;"),
                  marked(SlackPost.Mark.content("n2").value(), "1795240917.000001"),
                  message("U0ANN", "1795240999.000001", "fix it")));

      var background = surface.background(mention);

      assertThat(background.kind()).isEqualTo("Slack thread");
      assertThat(background.said())
          .extracting(Background.Said::text)
          .contains("the build is red, @Bob", "since <yesterday>", "x")
          .doesNotContain("fix it");
      assertThat(background.said())
          .first()
          .isEqualTo(
              new Background.Said(
                  "Ann",
                  Instant.parse("2026-11-21T06:01:55.000008Z")
                      .truncatedTo(java.time.temporal.ChronoUnit.MILLIS),
                  "the build is red, @Bob"));
      assertThat(background.omitted()).isZero();
    }

    @Test
    void ofALongThreadIsItsBeginningAndItsEnd() {
      var text = "words ".repeat(100);
      var messages =
          IntStream.rangeClosed(1, 300)
              .mapToObj(
                  i ->
                      message("U0ANN", "1795240916.%06d".formatted(i), "message " + i + " " + text))
              .collect(Collectors.joining(","));
      slack.says(
          "conversations.replies",
          page("", message("U0ANN", "1795240915.000008", "the root"), messages));

      var background = surface.background(mention);

      assertThat(background.said().getFirst().text()).isEqualTo("the root");
      assertThat(background.said().getLast().text()).startsWith("message 300 ");
      assertThat(background.omitted()).isPositive();
      assertThat(background.said().size() + background.omitted()).isEqualTo(301);
      assertThat(background.said().stream().mapToInt(it -> it.text().length()).sum())
          .isLessThan(31_000);
      assertThat(slack.calls("users.info")).isNotEmpty();
    }

    @Test
    void isNoneWhereTheThreadBeginsWithTheRequest() {
      var root =
          new Origin(
              Optional.empty(),
              Optional.empty(),
              Optional.of(new PostRef("C0DEV/1795240915.000008")),
              false);

      assertThat(surface.background(delivery(THREAD, say("fix it"), root)))
          .isEqualTo(Background.NONE);
      assertThat(surface.background(delivery(THREAD, START, Origin.NONE)))
          .isEqualTo(Background.NONE);
      assertThat(slack.calls()).isEmpty();
    }

    @Test
    void thatCannotBeReadIsAskedForAgain() {
      slack.says("conversations.replies", ScriptedSlack.status(500));

      assertThatThrownBy(() -> surface.background(mention))
          .isInstanceOf(BackgroundUnavailable.class);
    }
  }
}
