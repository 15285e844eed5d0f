package dev.runnel.console.access;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.MemorySessions;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleSurfaceTest {
  private static final String SLACK_THREAD = "slack:T1/C1/1700000000.000100";
  private static final Map<String, String> BROWSER =
      Map.of(
          "content-type",
          "application/x-www-form-urlencoded;charset=UTF-8",
          "host",
          "localhost:8080",
          "origin",
          "http://localhost:8080",
          "sec-fetch-site",
          "same-origin");

  private static final String TOKEN = "sesame-of-sixteen-letters";

  private final MemorySessions sessions = new MemorySessions();
  private final ConsoleAuthentication authentication =
      new ConsoleAuthentication(TOKEN, sessions, new SettableClock());
  private final ConsoleSurface surface = new ConsoleSurface(authentication);
  private final String session =
      ((ConsoleAuthentication.Entry.Entered) authentication.enterWithToken(TOKEN)).session();
  private final String page = new ConsoleAuthentication.Visitor(session).pageKey();

  private RawRequest post(Map<String, String> headers, Map<String, String> fields) {
    var all = new HashMap<>(Map.of("page", page, "turn", "1"));
    all.putAll(fields);
    var body =
        all.entrySet().stream()
            .map(each -> each.getKey() + "=" + encode(each.getValue()))
            .collect(Collectors.joining("&"));
    var sent = new HashMap<>(headers);
    sent.putIfAbsent("cookie", ConsoleAuthentication.COOKIE + "=" + session);
    return new RawRequest(
        "POST", "/webhooks/console", sent, body.getBytes(StandardCharsets.UTF_8), NINE);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static Map<String, String> browserWith(String header, String value) {
    var headers = new HashMap<>(BROWSER);
    headers.put(header, value);
    return headers;
  }

  private WebhookResult posts(Map<String, String> fields) {
    return surface.receive(post(BROWSER, fields));
  }

  private Delivery accepted(Map<String, String> fields) {
    var webhookResult = posts(fields);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    assertThat(webhookResult.reply().status()).isEqualTo(200);
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  @Nested
  class AStart {
    @Test
    void startOpensItsOwnConversationAndTheReplyNamesIt() {
      var webhookResult = posts(Map.of("action", "start", "text", "Fix the test\r\nplease"));
      var delivery = ((WebhookResult.Accepted) webhookResult).delivery();
      assertThat(delivery.intent()).isEqualTo(new Intent.Start(Request.of("Fix the test\nplease")));
      assertThat(delivery.conversation().id()).matches("console:runs/[0-9a-f-]{36}-1");
      assertThat(webhookResult.reply().body()).isEqualTo(delivery.conversation().id());
      assertThat(delivery.arrivedAt()).isEqualTo(NINE);
    }

    @Test
    void startAcceptsTheOptionsOfASlashCommand() {
      var start =
          (Intent.Start)
              accepted(Map.of("action", "start", "text", "--env staging Fix the test")).intent();
      assertThat(start.request().options().environment()).contains("staging");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "help", "list", "stop", "--bogus x"})
    void startWithoutAPromptIsRejectedWithAnExplanation(String text) {
      var webhookResult = posts(Map.of("action", "start", "text", text));
      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().status()).isEqualTo(422);
      assertThat(webhookResult.reply().body()).isNotBlank();
    }

    @Test
    void doubleClickIsOneDeliveryAndTheNextFormIsAnother() {
      var once = accepted(Map.of("action", "start", "text", "Fix it"));
      var again = accepted(Map.of("action", "start", "text", "Fix it"));
      var next = accepted(Map.of("action", "start", "text", "Fix it", "turn", "2"));
      assertThat(again).isEqualTo(once);
      assertThat(next.id()).isNotEqualTo(once.id());
      assertThat(next.meaning()).isNotEqualTo(once.meaning());
    }
  }

  @Nested
  class AReply {
    @Test
    void replyGoesToTheConversationOfTheRun() {
      var delivery =
          accepted(
              Map.of(
                  "action", "say",
                  "text", "Try again with Java 25",
                  "conversation", SLACK_THREAD,
                  "run", "run-1",
                  "link", "https://acme.slack.com/p1"));
      assertThat(delivery.conversation()).isEqualTo(Conversation.parse(SLACK_THREAD));
      // An earlier run of the thread has a page too.
      assertThat(delivery.intent())
          .isEqualTo(new Intent.SayTo(new RunId("run-1"), Request.of("Try again with Java 25")));
      assertThat(delivery.actor().id()).isEqualTo("console");
      assertThat(delivery.origin().link()).contains(URI.create("https://acme.slack.com/p1"));
    }

    @Test
    void choiceButtonAnswersTheQuestionOfThePage() {
      var asked = AskedQuestion.of(new RunId("run-1"), "Which one?");
      var delivery =
          accepted(
              Map.of(
                  "action",
                  ConsoleSurface.answerAction(asked, "The first"),
                  "conversation",
                  SLACK_THREAD,
                  "run",
                  "run-1"));
      assertThat(delivery.intent())
          .isEqualTo(new Intent.SayTo(asked.run(), Request.of("The first"), Optional.of(asked)));
    }

    @Test
    void stopAsAReplyStopsTheRunOfItsPage() {
      assertThat(
              accepted(
                      Map.of(
                          "action", "say",
                          "text", "stop",
                          "conversation", SLACK_THREAD,
                          "run", "run-1"))
                  .intent())
          .isEqualTo(new Intent.Cancel(Optional.of(new RunId("run-1")), Optional.empty()));
    }

    /// A plan asks for one of these words.
    @ParameterizedTest
    @ValueSource(strings = {"approve", "Decline"})
    void replyThatApprovesOrDeclinesAPlanGoesToTheAgent(String word) {
      assertThat(
              accepted(
                      Map.of(
                          "action",
                          "say",
                          "text",
                          word,
                          "conversation",
                          SLACK_THREAD,
                          "run",
                          "run-1"))
                  .intent())
          .isEqualTo(new Intent.SayTo(new RunId("run-1"), Request.of(word)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "// for us only", "help", "status"})
    void replyThatIsNotForTheAgentIsRejectedWithAnExplanation(String text) {
      var webhookResult =
          posts(Map.of("action", "say", "text", text, "conversation", SLACK_THREAD));
      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().status()).isEqualTo(422);
    }
  }

  @Nested
  class AButton {
    @Test
    void stopButtonStopsOnlyTheRunOfItsPage() {
      assertThat(
              accepted(Map.of("action", "stop", "conversation", SLACK_THREAD, "run", "run-1"))
                  .intent())
          .isEqualTo(new Intent.Cancel(Optional.of(new RunId("run-1")), Optional.empty()));
    }

    @Test
    void declineButtonDecidesAboutAWaitingStart() {
      assertThat(
              accepted(
                      Map.of(
                          "action", "decline",
                          "conversation", "console:approvals/1a2b3c4d",
                          "id", "1a2b3c4d"))
                  .intent())
          .isEqualTo(new Intent.Ask(new Question.Decide(Optional.of("1a2b3c4d"), false)));
    }

    @Test
    void retryButtonRetriesTheRunOfItsPage() {
      assertThat(
              accepted(Map.of("action", "retry", "conversation", SLACK_THREAD, "run", "run-1"))
                  .intent())
          .isEqualTo(new Intent.Retry(Optional.of(new RunId("run-1"))));
    }
  }

  @Nested
  class Disbelieved {
    private final Map<String, String> start = Map.of("action", "start", "text", "Fix it");

    private void assertDisbelieved(RawRequest request) {
      var webhookResult = surface.receive(request);
      assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
      assertThat(webhookResult.reply().status()).isEqualTo(401);
      assertThat(webhookResult.reply().body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "none"})
    void postThatIsNotFromTheSameOriginIsRejected(String site) {
      assertDisbelieved(post(browserWith("sec-fetch-site", site), start));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "null", "http://localhost:9999"})
    void postWithOnlyAForeignOriginHeaderIsRejected(String origin) {
      var headers = browserWith("origin", origin);
      headers.remove("sec-fetch-site");
      assertDisbelieved(post(headers, start));
    }

    @Test
    void postWithoutAValidPageKeyIsRejected() {
      assertDisbelieved(
          post(BROWSER, with("page", new ConsoleAuthentication.Visitor("other").pageKey())));
      assertDisbelieved(post(BROWSER, with("page", "")));
      assertDisbelieved(post(BROWSER, with("page", "a.b")));
    }

    private Map<String, String> with(String field, String value) {
      var fields = new HashMap<>(start);
      fields.put(field, value);
      return fields;
    }

    @Test
    void postWithoutASessionIsRejectedWhateverItsBody() {
      for (var body : List.of("", "[[[[", "page=" + page + "&turn=1&action=start&text=x")) {
        assertDisbelieved(
            new RawRequest(
                "POST", "/webhooks/console", BROWSER, body.getBytes(StandardCharsets.UTF_8), NINE));
      }
    }

    @Test
    void postIsAnsweredWith503WhileSessionsCannotBeRead() {
      sessions.isDown();
      assertThat(surface.receive(post(BROWSER, start)).reply().status()).isEqualTo(503);
    }

    @Test
    void postFromAProgramWithAPageKeyIsAccepted() {
      var headers = Map.of("content-type", "application/x-www-form-urlencoded");
      assertThat(surface.receive(post(headers, start))).isInstanceOf(WebhookResult.Accepted.class);
    }
  }

  @Nested
  class Unreadable {
    private void assertBadRequest(WebhookResult webhookResult) {
      assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
      assertThat(webhookResult.reply().status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[[[[", "\u0000\u0001", "a=%zz", "page"})
    void malformedFormIsABadRequest(String body) {
      assertBadRequest(
          surface.receive(
              new RawRequest(
                  "POST",
                  "/webhooks/console",
                  browserWith("cookie", ConsoleAuthentication.COOKIE + "=" + session),
                  body.getBytes(StandardCharsets.UTF_8),
                  NINE)));
    }

    @Test
    void formWithoutTheFieldsOfItsActionIsABadRequest() {
      assertBadRequest(posts(Map.of("action", "dance")));
      assertBadRequest(posts(Map.of("action", "stop", "conversation", SLACK_THREAD)));
      assertBadRequest(posts(Map.of("action", "stop", "run", "run-1")));
      assertBadRequest(posts(Map.of("action", "say", "text", "x", "conversation", "nowhere")));
      assertBadRequest(posts(Map.of("action", "start", "text", "x", "turn", "one")));
    }
  }

  @Nested
  class APost {
    private final Conversation conversation = Conversation.parse("console:runs/1");

    private Posting post(Update update) {
      return surface.post(
          new Notice(NoticeId.random(), conversation, update, Origin.NONE, NINE, 0), null);
    }

    @Test
    void statusUpdateCreatesNoNoteOnThePage() {
      var run = Samples.run("run-1", RunState.RUNNING);
      assertThat(post(new Update.Status(run, DANA, Request.of("x"), NINE, NINE)))
          .isInstanceOf(Posting.Posted.class);
      assertThat(surface.notes(conversation)).isEmpty();
    }

    @Test
    void onlyTheNewestAnswersAreKeptForThePage() {
      for (int i = 1; i <= 6; i++) {
        assertThat(post(new Update.Message(DANA, "Answer " + i, true)))
            .isInstanceOf(Posting.Posted.class);
      }
      assertThat(surface.notes(conversation))
          .containsExactly("Answer 3", "Answer 4", "Answer 5", "Answer 6");
      assertThat(surface.notes(Conversation.parse("console:runs/2"))).isEmpty();
    }

    @Test
    void cardIsShownOnThePageAsText() {
      var row = InfoCard.Row.of("Asked by", "Dana", "in #dev");
      post(new Update.Answered(DANA, new InfoCard("I can't find it.", List.of(row), List.of())));

      assertThat(surface.notes(conversation))
          .containsExactly("I can't find it.\nAsked by: Dana · in #dev");
    }

    @Test
    void postAboutARunIsShownOnThePageOfItsThread() {
      var thread = Conversation.parse(SLACK_THREAD);
      surface.post(
          new Notice(
              NoticeId.random(),
              thread.inConsole(),
              new Update.Message(DANA, "No.", true),
              Origin.NONE,
              NINE,
              0),
          null);
      assertThat(surface.notes(thread)).containsExactly("No.");
    }
  }

  @Test
  void deliveryIdsAreShortEnoughForARun() {
    assertThat(accepted(Map.of("action", "start", "text", "x")).id().value().length())
        .isLessThan(DeliveryId.MAX_LENGTH);
  }
}
