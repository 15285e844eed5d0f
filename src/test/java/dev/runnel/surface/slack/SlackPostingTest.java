package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Attachment;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import mockwebserver3.MockResponse;
import okio.Buffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What becomes of updates, threads and backgrounds, whatever Slack answers.
class SlackPostingTest {
  private static final Actor ANN = new Actor("U0ANN", "ann");
  private static final Conversation THREAD =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240915.000008");
  private static final Conversation NOWHERE =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/~1.2.abc");
  private static final NoticeId NOTICE = new NoticeId("slack:1.2.abc#1");
  private static final Intent START = new Intent.Start(Request.of("fix the <test>"));

  private static final Intent SAY = new Intent.Say(Request.of("fix it"));

  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface = SlackSurfaces.of(slack.config(), InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  private static Update told(boolean privately) {
    return new Update.Message(ANN, "Passed on.", privately);
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
    return marked(blockId, ts, "x");
  }

  private static String marked(String blockId, String ts, String text) {
    return """
    {"type":"message","user":"U0RUNNEL","bot_id":"B0RUNNEL","ts":"%s","text":"%s",\
    "blocks":[{"type":"section","block_id":"%s","text":{"type":"mrkdwn","text":"%s"}}]}\
    """
        .formatted(ts, text, blockId, text);
  }

  private static String page(String cursor, String... messages) {
    return "{\"ok\":true,\"messages\":["
        + String.join(",", messages)
        + "],\"response_metadata\":{\"next_cursor\":\""
        + cursor
        + "\"}}";
  }

  @Nested
  class OpeningAThread {
    private final Delivery start = delivery(NOWHERE, START, Origin.NONE);

    @Test
    void firstMessageOfAThreadShowsWhoAskedForWhat() {
      assertThat(surface.threads().open(start, false))
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
    void retryFindsThePostOfTheFirstAttempt() {
      slack
          .says("conversations.history", page("more", marked("other", "1795240917.000001")))
          .says(
              "conversations.history",
              page(
                  "",
                  "{\"type\":\"message\",\"text\":\"no blocks\",\"ts\":\"1\"}",
                  marked(SlackPost.Mark.content("slack:1.2.abc").value(), "1795240916.000100")));

      assertThat(surface.threads().open(start, true))
          .isInstanceOfSatisfying(
              Posting.Posted.class,
              it -> assertThat(it.ref()).isEqualTo(new PostRef("C0DEV/1795240916.000100")));
      assertThat(slack.calls("conversations.history").getLast().field("cursor")).isEqualTo("more");
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }

    @Test
    void retryPostsIfTheFirstAttemptDidNot() {
      assertThat(surface.threads().open(start, true)).isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void retryWaitsWhileSlackIsUnavailable() {
      slack.says("conversations.history", ScriptedSlack.rateLimited("30"));

      assertThat(surface.threads().open(start, true))
          .isEqualTo(
              new Posting.Later(
                  Optional.of(Duration.ofSeconds(30)), "Slack responded with status 429"));
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }

    @Test
    void openingAThreadInAForeignChannelExplainsTheInvitation() {
      slack.refuses("chat.postMessage", "not_in_channel");

      assertThat(surface.threads().open(start, false))
          .isEqualTo(
              new Posting.Undeliverable(
                  "I cannot post in this channel. Invite me with /invite @runnel and try again."));
    }
  }

  @Nested
  class AStatus {
    private final PostRef card = new PostRef("C0DEV/1795240916.000200");

    @Test
    void statusIsPostedOnceAndThenEdited() {
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
    void deletedStatusIsPostedAgain() {
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
    void ourPostIsFoundDespiteUnknownBlocks() {
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
    void privateAnswerIsSentToTheResponseUrlOfTheCommand() {
      var posting =
          surface.post(notice(told(true), NOWHERE, 0, repliesTo(slack.responseUrl())), null);

      assertThat(posting).isInstanceOf(Posting.Posted.class);
      assertThat(slack.calls("respond").getFirst().field("json"))
          .contains("\"response_type\":\"ephemeral\"", "Passed on.");
      assertThat(slack.calls("chat.postEphemeral")).isEmpty();
    }

    @Test
    void privateAnswerAfterHalfAnHourIsPostedAsAnEphemeralMessage() {
      slack.says("respond", ScriptedSlack.status(404));

      surface.post(notice(told(true), THREAD, 0, repliesTo(slack.responseUrl())), null);

      var call = slack.calls("chat.postEphemeral").getFirst();
      assertThat(call.field("user")).isEqualTo("U0ANN");
      assertThat(call.field("thread_ts")).isEqualTo("1795240915.000008");
    }

    @Test
    void privateAnswerIsPostedInTheThreadIfItCannotBePrivate() {
      slack.refuses("chat.postEphemeral", "user_not_in_channel");

      surface.post(notice(new Update.Helped(ANN), THREAD, 0), null);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void answerThatCannotBePrivateMentionsNobody() {
      slack.refuses("chat.postEphemeral", "user_not_in_channel");

      surface.post(
          notice(new Update.Message(ANN, "These may: slack:U0BOB.", true), THREAD, 0), null);

      assertThat(slack.calls("chat.postMessage").getFirst().field("text"))
          .isEqualTo("These may: slack:U0BOB.");
    }

    @Test
    void privateAnswerInADirectMessageIsAnOrdinaryMessage() {
      var direct = new Conversation(SlackPlace.SURFACE, "T0ACME/D0ANN/1795240915.000012");

      surface.post(notice(told(true), direct, 0), null);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }

    @Test
    void privateAnswerThatReachesNobodyIsUndeliverable() {
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
    void receiptIsAReactionOnTheMessage() {
      assertThat(surface.post(notice(received, THREAD, 0), null))
          .isInstanceOf(Posting.Posted.class);

      var call = slack.calls("reactions.add").getFirst();
      assertThat(call.field("name")).isEqualTo("eyes");
      assertThat(call.field("timestamp")).isEqualTo("1795240915.000008");
    }

    @Test
    void receiptReplacesTheEarlierReactions() {
      var message = new PostRef("C0DEV/1795240915.000008");
      var sign =
          new Update.Received(
              message,
              MessageStatus.SUCCEEDED,
              Set.of(MessageStatus.RUNNING, MessageStatus.QUEUED));
      slack.refuses("reactions.remove", "no_reaction");

      assertThat(surface.post(notice(sign, THREAD, 0), null)).isInstanceOf(Posting.Posted.class);

      assertThat(slack.calls("reactions.add"))
          .extracting(call -> call.field("name"))
          .containsExactly("white_check_mark");
      assertThat(slack.calls("reactions.remove"))
          .extracting(call -> call.field("name"))
          .containsExactly("gear", "hourglass_flowing_sand");
    }

    @Test
    void reactionIsKeptIfTheNextOneIsTheSame() {
      var sign =
          new Update.Received(
              new PostRef("C0DEV/1795240915.000008"),
              MessageStatus.FAILED,
              Set.of(MessageStatus.REFUSED));

      surface.post(notice(sign, THREAD, 0), null);

      assertThat(slack.calls("reactions.remove")).isEmpty();
    }

    @Test
    void rateLimitedReactionIsPostedLater() {
      slack.refuses("reactions.add", "ratelimited");

      assertThat(surface.post(notice(received, THREAD, 0), null)).isInstanceOf(Posting.Later.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"already_reacted", "missing_scope", "message_not_found"})
    void impossibleReactionCountsAsPosted(String error) {
      slack.refuses("reactions.add", error);

      assertThat(surface.post(notice(received, THREAD, 0), null))
          .isInstanceOf(Posting.Posted.class);
    }
  }

  @Nested
  class WhatSlackAnswers {
    @ParameterizedTest
    @ValueSource(strings = {"ratelimited", "internal_error", "fatal_error", "service_unavailable"})
    void temporarySlackErrorPostponesThePost(String error) {
      slack.refuses("chat.postMessage", error);

      assertThat(surface.post(notice(told(false), THREAD, 0), null))
          .isInstanceOf(Posting.Later.class);
    }

    @Test
    void unreadableSlackResponsePostponesThePost() {
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
      "missing_scope,manifest",
      "thread_not_found,gone",
      "something_new,something_new"
    })
    void permanentSlackErrorIsUndeliverableWithAPlainReason(String error, String word) {
      slack.refuses("chat.postMessage", error);

      assertThat(surface.post(notice(told(false), THREAD, 0), null))
          .isInstanceOfSatisfying(
              Posting.Undeliverable.class, it -> assertThat(it.why()).contains(word));
    }

    /// Nothing is said of the post, so it is not given up.
    @ParameterizedTest
    @ValueSource(strings = {"invalid_auth", "account_inactive", "token_revoked", "token_expired"})
    void tokenErrorIsReportedAsARefusedCredential(String error) {
      slack.refuses("chat.postMessage", error);

      assertThatThrownBy(() -> surface.post(notice(told(false), THREAD, 0), null))
          .isInstanceOf(CredentialRefused.class)
          .hasMessageContaining(error)
          .hasMessageContaining("SLACK_BOT_TOKEN");
    }

    @Test
    void unreachableSlackMeansPostLater() {
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
    private final Delivery mention = delivery(THREAD, SAY, reply);

    private static String message(String user, String ts, String text) {
      return "{\"type\":\"message\",\"user\":\"%s\",\"ts\":\"%s\",\"text\":\"%s\"}"
          .formatted(user, ts, text);
    }

    @Test
    void backgroundQuotesTheThreadWithNames() {
      slack
          .says(
              "conversations.replies",
              page(
                  "p2",
                  message("U0ANN", "1795240915.000008", "the build is red, <@U0BOB>"),
                  marked(SlackPost.Mark.of("n1").value(), "1795240915.000009", "Working")))
          .says(
              "conversations.replies",
              page(
                  "",
                  message("U0ANN", "1795240915.000008", "the build is red, <@U0BOB>"),
                  message("U0BOB", "1795240916.000001", "since &lt;yesterday&gt;"),
                  marked(SlackPost.Mark.of("n3").value(), "1795240916.000002", "Done"),
                  marked(SlackPost.Mark.content("n2").value(), "1795240917.000001", "It is mended"),
                  message("U0ANN", "1795240999.000001", "fix it")));

      var background = surface.background().read(mention);

      assertThat(background.kind()).isEqualTo("Slack thread");
      assertThat(background.messages())
          .extracting(Background.Message::text)
          .containsExactly("the build is red, @Bob", "since <yesterday>", "It is mended");
      assertThat(background.messages())
          .first()
          .isEqualTo(
              new Background.Message(
                  "Ann", Instant.parse("2026-11-21T06:01:55.000008Z"), "the build is red, @Bob"));
      assertThat(background.omitted()).isZero();
    }

    @Test
    void backgroundOfALongThreadIsItsBeginningAndItsEnd() {
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

      var background = surface.background().read(mention);

      assertThat(background.messages().getFirst().text()).isEqualTo("the root");
      assertThat(background.messages().getLast().text()).startsWith("message 300 ");
      assertThat(background.omitted()).isPositive();
      assertThat(background.messages().size() + background.omitted()).isEqualTo(301);
      assertThat(background.messages().stream().mapToInt(it -> it.text().length()).sum())
          .isLessThan(31_000);
      assertThat(slack.calls("users.info")).isNotEmpty();
    }

    @Test
    void backgroundIsEmptyIfTheThreadBeginsWithTheRequest() {
      var root =
          new Origin(
              Optional.empty(),
              Optional.empty(),
              Optional.of(new PostRef("C0DEV/1795240915.000008")),
              false);

      assertThat(surface.background().read(delivery(THREAD, SAY, root))).isEqualTo(Background.NONE);
      assertThat(surface.background().read(delivery(THREAD, START, Origin.NONE)))
          .isEqualTo(Background.NONE);
      assertThat(slack.calls()).isEmpty();
    }

    @Test
    void aChannelIsPrivateUnlessSlackSaysThatItIsNot() {
      slack.says("conversations.info", "{'ok':true,'channel':{'id':'C0DEV','is_private':false}}");
      slack.says("conversations.info", "{'ok':true,'channel':{'id':'C0DEV','is_private':true}}");
      slack.refuses("conversations.info", "channel_not_found");

      assertThat(surface.background().isPrivate(mention)).isFalse();
      assertThat(surface.background().isPrivate(mention)).isTrue();
      assertThat(surface.background().isPrivate(mention)).isTrue();
    }

    @Test
    void channelPrivacyIsUnknownWhileSlackIsDown() {
      slack.refuses("conversations.info", "ratelimited");

      assertThatThrownBy(() -> surface.background().isPrivate(mention))
          .isInstanceOf(BackgroundUnavailable.class);
    }

    @Test
    void backgroundNamesChannelsAndQuotesPostsOfOtherApps() {
      for (var i = 0; i < 3; i++) {
        slack.says("conversations.info", "{'ok':true,'channel':{'id':'C0OPS','name':'ops'}}");
      }
      slack.says(
          "conversations.replies",
          page(
              "",
              message("U0ANN", "1795240915.000008", "see <#C0OPS> and <#C0OPS|>"),
              "{\"ts\":\"1795240916.000001\",\"username\":\"alerts\",\"text\":\"\","
                  + "\"attachments\":[{\"title\":\"Disk full\",\"fallback\":\"on db-1\"}]}"));

      var background = surface.background().read(mention);

      assertThat(background.messages())
          .extracting(Background.Message::author, Background.Message::text)
          .containsExactly(
              tuple("Ann", "see #ops and #ops"), tuple("alerts", "Disk full\non db-1"));
      assertThat(slack.calls("conversations.info"))
          .extracting(it -> it.field("channel"))
          .containsExactly("C0OPS", "C0DEV");
    }

    @Test
    void forwardedMessageInTheThreadIsAQuoteAndAPreviewIsOmitted() {
      var forwarded =
          "{\"user\":\"U0ANN\",\"ts\":\"%s\",\"text\":\"%s\",\"attachments\":[{\"text\":\"boom\","
              + "\"author_name\":\"Bob\",\"from_url\":\"https://acme.slack.com/archives/C0OPS/p17?x=1\"}]}";
      slack.says(
          "conversations.replies",
          page(
              "",
              forwarded.formatted("1795240915.000008", "why?"),
              forwarded.formatted(
                  "1795240916.000001", "see <https://acme.slack.com/archives/C0OPS/p17>")));

      assertThat(surface.background().read(mention).messages())
          .extracting(Background.Message::text)
          .containsExactly(
              "why?\n\nThis is about the message:\n> Bob:\n> boom",
              "see https://acme.slack.com/archives/C0OPS/p17");
    }

    private String file(String name, String type, long size, String address) {
      return "{\"name\":\"%s\",\"mimetype\":\"%s\",\"size\":%d,\"url_private\":\"%s\",\"permalink\":\"https://acme.slack.com/files/1\"}"
          .formatted(name, type, size, address);
    }

    private String picture(String name) {
      slack.says(
          name,
          new MockResponse.Builder().addHeader("Content-Type", "image/png").body("bytes").build());
      return file(name, "image/png", 5, slack.apiUrl().resolve("/files-pri/" + name).toString());
    }

    private void threadWith(String... files) {
      slack.says(
          "conversations.replies",
          page(
              "",
              "{\"user\":\"U0ANN\",\"ts\":\"1795240915.000008\",\"text\":\"look\",\"files\":["
                  + String.join(",", files)
                  + "]}"));
    }

    @Test
    void backgroundHasAtMostFivePicturesAndNamesAllFiles() {
      threadWith(
          picture("1.png"),
          picture("2.png"),
          file("log.txt", "text/plain", 9, slack.apiUrl() + "log.txt"),
          file("big.png", "image/png", 9_000_000, slack.apiUrl() + "big.png"),
          picture("3.png"),
          picture("4.png"),
          picture("5.png"),
          picture("6.png"));

      var background = surface.background().read(mention);

      assertThat(background.attachments())
          .extracting(Attachment::name)
          .containsExactly("1.png", "2.png", "3.png", "4.png", "5.png");
      assertThat(background.messages().getFirst().text())
          .startsWith("look\n[Attached file: 1.png, image/png, 1 KB, https://acme")
          .contains("[Attached file: log.txt, text/plain", "big.png, image/png, 8 MB", "6.png");
    }

    private String text(String name, String type, byte[] bytes) {
      slack.says(
          name,
          new MockResponse.Builder()
              .addHeader("Content-Type", type)
              .body(new Buffer().write(bytes))
              .build());
      return file(
          name, type, bytes.length, slack.apiUrl().resolve("/files-pri/" + name).toString());
    }

    private String text(String name, String type, String text) {
      return text(name, type, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void backgroundContainsTheTextOfTextFiles() {
      threadWith(
          text("error.log", "text/plain", "boom \u00e4"),
          text("rows.csv", "text/csv", "a,b\n1,2\n"),
          text("dump.json", "application/json", "{}"),
          file("big.log", "text/plain", 2_000_000, slack.apiUrl() + "big.log"),
          file("page.html", "text/html", 5, slack.apiUrl() + "page.html"),
          text("latin.txt", "text/plain", new byte[] {(byte) 0xe4, ' ', (byte) 0xfc}),
          text("zeros.txt", "text/plain", "a\0b"));

      var background = surface.background().read(mention);

      assertThat(background.files())
          .containsExactly(
              new Background.TextFile("error.log", "boom \u00e4"),
              new Background.TextFile("rows.csv", "a,b\n1,2\n"),
              new Background.TextFile("dump.json", "{}"));
      assertThat(background.messages().getFirst().text())
          .contains("big.log", "page.html", "latin.txt");
    }

    @Test
    void backgroundContainsTextFilesAndNamesOfOtherFiles() {
      slack.says(
          "conversations.replies",
          page(
              "",
              "{\"user\":\"U0ANN\",\"ts\":\"1795240999.000001\",\"text\":\"look\",\"files\":[%s,%s]}"
                  .formatted(
                      text("error.log", "text/plain", "boom"),
                      file("error.png", "image/png", 5, slack.apiUrl() + "error.png"))));
      var named = new Intent.Say(Request.of("look\n\n[Attached file: error.log, text/plain]"));

      var files = surface.background().files(mention.withIntent(named));

      assertThat(files.texts().files())
          .containsExactly(new Background.TextFile("error.log", "boom"));
      assertThat(files.others()).containsExactly("error.png");
      assertThat(files.isPicture()).isTrue();
      assertThat(surface.background().hasFiles(mention)).isFalse();
    }

    @Test
    void longTextFileIsQuotedByItsBeginningAndItsEnd() {
      threadWith(text("build.log", "text/plain", "begin\n" + "x".repeat(60_000) + "\nthe failure"));

      assertThat(surface.background().read(mention).files())
          .singleElement()
          .extracting(Background.TextFile::text)
          .asString()
          .hasSizeLessThan(16_000)
          .startsWith("begin\n")
          .contains("[… 45,018 characters are left out here …]")
          .endsWith("\nthe failure");
    }

    @Test
    void picturesFromElsewhereAndNonPicturesAreLeftOut() {
      slack.says(
          "signin.png",
          new MockResponse.Builder().addHeader("Content-Type", "text/html").body("<html>").build());
      slack.says(
          "moved.png",
          new MockResponse.Builder().code(302).addHeader("Location", "https://e.x/").build());
      try (var elsewhere = new ScriptedSlack()) {
        threadWith(
            file("out.png", "image/png", 5, elsewhere.apiUrl() + "out.png"),
            file("local.png", "image/png", 5, "file:///etc/passwd"),
            file("signin.png", "image/png", 5, slack.apiUrl() + "signin.png"),
            file("moved.png", "image/png", 5, slack.apiUrl() + "moved.png"),
            "{\"id\":\"F9\",\"mode\":\"tombstone\"}",
            picture("good.png"));

        assertThat(surface.background().read(mention).attachments())
            .extracting(Attachment::name)
            .containsExactly("good.png");
        assertThat(elsewhere.calls()).isEmpty();
      }
    }

    @Test
    void rateLimitedBackgroundIsUnavailableForThePauseOfSlack() {
      slack.says("conversations.replies", ScriptedSlack.rateLimited("30"));

      assertThatThrownBy(() -> surface.background().read(mention))
          .isInstanceOfSatisfying(
              BackgroundUnavailable.class,
              it -> assertThat(it.after()).contains(Duration.ofSeconds(30)));
    }

    @Test
    void unreadableBackgroundIsUnavailableForNow() {
      slack.says("conversations.replies", ScriptedSlack.status(500));

      assertThatThrownBy(() -> surface.background().read(mention))
          .isInstanceOf(BackgroundUnavailable.class);
    }
  }
}
