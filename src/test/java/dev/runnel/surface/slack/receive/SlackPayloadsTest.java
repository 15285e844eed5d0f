package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlackPayloadsTest {
  private final SlackSurface surface =
      SlackSurfaces.of(SlackRequests.CONFIG, InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
  }

  private WebhookResult receive(RawRequest request) {
    return surface.receive(request);
  }

  private Delivery delivery(String golden) {
    return delivery(SlackRequests.golden(golden));
  }

  private Delivery delivery(RawRequest request) {
    return ((WebhookResult.Accepted) receive(request)).delivery();
  }

  /// A message event like a golden one, with one part of its body replaced.
  private RawRequest changed(String golden, String part, String replacement) {
    var body = SlackRequests.body(SlackRequests.golden(golden));
    assertThat(body).contains(part);
    return SlackRequests.signed(body.replace(part, replacement));
  }

  private static Intent say(String text) {
    return new Intent.Say(Request.of(text));
  }

  @Nested
  class ASlashCommand {
    @Test
    void slashCommandStartsARunInANewThread() {
      var delivery = delivery("slash-start");

      assertThat(delivery.id())
          .isEqualTo(new DeliveryId("slack:2409150963.2409150964.4f58648946314d8eb232c5b5"));
      assertThat(delivery.meaning())
          .isEqualTo("slash:2409150963.2409150964.4f58648946314d8eb232c5b5");
      assertThat(delivery.conversation().key())
          .isEqualTo("T0ACME/C0DEV/~2409150963.2409150964.4f58648946314d8eb232c5b5");
      assertThat(delivery.actor().id()).isEqualTo("U0ANN");
      assertThat(delivery.actor().name()).isEqualTo("ann");
      assertThat(delivery.addressed()).isTrue();
      assertThat(delivery.origin().opensThread()).isTrue();
      assertThat(delivery.origin().replyTo())
          .contains("http://127.0.0.1:3900/_hooks/response/b7b9c0d8-fcbf-4802-bc1b-c90f40dddfa2");
      assertThat(((Intent.Start) delivery.intent()).request().options().environment())
          .contains("staging");
    }

    @Test
    void slashCommandIsAcknowledgedToItsSenderOnly() {
      var reply = receive(SlackRequests.golden("slash-start")).reply();

      assertThat(reply.body())
          .isEqualTo(
              "{\"response_type\":\"ephemeral\",\"text\":\"On it. Watch the thread in this"
                  + " channel.\"}");
    }

    @Test
    void slashQueryIsAnsweredLaterWithoutAThread() {
      assertThat(receive(SlackRequests.golden("slash-list")).reply().body()).isEmpty();
      assertThat(delivery("slash-list").origin().opensThread()).isFalse();
      assertThat(delivery("slash-list").origin().replyTo()).isPresent();
    }

    @Test
    void emptySlashCommandShowsTheHelpAtOnce() {
      var webhookResult = receive(changed("slash-list", "text=list", "text="));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().body()).contains("ephemeral", "/agent fix the flaky test");
    }

    @Test
    void unknownOptionOfASlashCommandIsReportedAtOnce() {
      var webhookResult = receive(changed("slash-list", "text=list", "text=--enviroment+x+fix+it"));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().body()).contains("ephemeral", "--enviroment");
    }

    @Test
    void slashCommandTextIsUnescaped() {
      var delivery =
          delivery(
              changed(
                  "slash-list",
                  "text=list",
                  "text=ask+%3C%40U0BOB%7Cbob%3E+if+a+%26lt%3B+b+%26amp%3B%26amp%3B+c"));

      assertThat(delivery.intent())
          .isEqualTo(new Intent.Start(Request.of("ask @bob if a < b && c")));
    }

    @Test
    void foreignResponseUrlIsIgnored() {
      var delivery =
          delivery(
              changed(
                  "slash-list",
                  "http%3A%2F%2F127.0.0.1%3A3900",
                  "http%3A%2F%2F169.254.169.254%3A3900"));

      assertThat(delivery.origin().replyTo()).isEmpty();
    }
  }

  @Nested
  class AMention {
    @Test
    void bothEventsOfAMentionHaveTheSameMeaning() {
      for (var twins :
          List.of(
              List.of("message-mention", "app-mention"),
              List.of("message-mention-in-thread", "app-mention-in-thread"))) {
        var message = delivery(twins.getFirst());
        var mention = delivery(twins.getLast());

        assertThat(message.id()).isNotEqualTo(mention.id());
        assertThat(message)
            .usingRecursiveComparison()
            .ignoringFields("id", "arrivedAt")
            .isEqualTo(mention);
        assertThat(message.addressed()).isTrue();
      }
    }

    @Test
    void mentionLosesOurNameButKeepsThoseOfOthers() {
      assertThat(delivery("app-mention").intent())
          .isEqualTo(
              say(
                  "hey <@U0BOB> ask to fix the <main> test, see build 42"
                      + " (https://ci.example.com/42?a=1&b=2)"));
    }

    @Test
    void mentionAtTheTopOfAChannelBeginsAThread() {
      var delivery = delivery("message-mention");

      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/1795240915.000008");
      assertThat(delivery.meaning()).isEqualTo("message:T0ACME/C0DEV/1795240915.000008");
      assertThat(delivery.origin().message()).contains(new PostRef("C0DEV/1795240915.000008"));
      assertThat(delivery.origin().opensThread()).isFalse();
    }

    @Test
    void mentionInAThreadBelongsToTheThread() {
      var delivery = delivery("app-mention-in-thread");

      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/1795240915.000008");
      assertThat(delivery.intent())
          .isEqualTo(new Intent.Cancel(Optional.empty(), Optional.empty()));
    }

    @Test
    void mentionWithMarkupIsReadAsTyped() {
      assertThat(delivery("message-rich").intent())
          .isEqualTo(say("rename `a && b` in Main.java, ask ann@example.com\n```if (a < b) {}```"));
    }

    @Test
    void mentionOfSomebodyElseIsIgnored() {
      assertThat(receive(changed("message-mention", "<@U0RUNNEL>", "<@U0OTHER>")))
          .isInstanceOf(WebhookResult.Answered.class);
    }

    @Test
    void mentionInAnotherChannelDiffersDespiteTheSameTimestamp() {
      assertThat(delivery(changed("message-mention", "\"C0DEV\"", "\"C0OPS\"")).meaning())
          .isNotEqualTo(delivery("message-mention").meaning());
    }

    @Test
    void mentionWithoutAnEventIdIsIdentifiedByItsMeaning() {
      assertThat(delivery(changed("message-mention", "\"event_id\"", "\"no_id\"")).id())
          .isEqualTo(new DeliveryId("slack:message:T0ACME/C0DEV/1795240915.000008"));
    }
  }

  @Nested
  class AMessage {
    @Test
    void unaddressedMessageInAThreadIsAccepted() {
      var delivery = delivery("message-in-thread");

      assertThat(delivery.addressed()).isFalse();
      assertThat(delivery.intent()).isEqualTo(say("also look at the #dev logs"));
    }

    @Test
    void threadMessageAlsoSentToTheChannelBelongsToItsThread() {
      assertThat(delivery("thread-broadcast").conversation().key())
          .isEqualTo("T0ACME/C0DEV/1795240915.000008");
    }

    @Test
    void directMessageIsAddressed() {
      var delivery = delivery("direct-message");

      assertThat(delivery.addressed()).isTrue();
      assertThat(delivery.intent()).isEqualTo(say("why is the build red?"));
    }

    @Test
    void messageWithAFileNamesTheFile() {
      assertThat(delivery("file-share").intent())
          .isEqualTo(
              say(
                  "read this\n\n[Attached file: ev.yaml, text/yaml, 1 KB, "
                      + "http://127.0.0.1:3900/files/U0ANN/FMWQ0LZ7I64/ev.yaml]"));
    }

    @Test
    void messageThatOnlyForwardsAnotherRequestsALookAtItsQuote() {
      assertThat(delivery(forwarding("", "boom\\nstop")).intent())
          .isEqualTo(
              say(
                  """
                  Look at the forwarded message.

                  This is about the message:
                  > Bob:
                  > boom
                  > stop\
                  """));
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "\"files\":[{\"name\":\"red.png\",\"mimetype\":\"image/png\",\"size\":2048}]"
              + " | > [Attached file: red.png, image/png, 2 KB]",
          "\"message_blocks\":[{\"team\":\"T1\",\"message\":{\"blocks\":[{\"type\":\"rich_text\","
              + "\"elements\":[{\"type\":\"rich_text_section\",\"elements\":[{\"type\":\"text\",\"text\":\"it"
              + " is \"},{\"type\":\"text\",\"text\":\"red\"}]}]},{\"type\":\"section\",\"text\":{\"type\":\"mrkdwn\",\"text\":\"since"
              + " 9\"}}]}}] | > it is red",
        })
    void forwardedMessageWithoutTextIsQuotedByItsFilesAndBlocks(String content, String quoted) {
      var body = SlackRequests.body(forwarding("", ""));
      var intent =
          delivery(
                  SlackRequests.signed(
                      body.replace("\"is_share\":true", "\"is_share\":true," + content)))
              .intent();

      assertThat(((Intent.Say) intent).request().text())
          .startsWith(
              "Look at the forwarded message.\n\nThis is about the message:\n> Bob:\n" + quoted)
          .doesNotContain(">\n");
    }

    @Test
    void forwardedMessageWithNothingToReadStartsNothing() {
      assertThat(delivery(forwarding("", "")).intent())
          .isInstanceOfSatisfying(
              Intent.Unclear.class, it -> assertThat(it.why()).contains("no text that I can read"));
      assertThat(delivery(forwarding("why?", "")).intent())
          .isEqualTo(say("why?\n\nThis is about the message:\n> Bob:\n> (no text)"));
    }

    @Test
    void messageThatForwardsAnotherWithACommentIsTheCommentAndAQuote() {
      assertThat(delivery(forwarding("why?", "a &lt; b --env prod")).intent())
          .isEqualTo(say("why?\n\nThis is about the message:\n> Bob:\n> a < b --env prod"));
    }

    @Test
    void quoteOfAForwardedMessageHasNoInvisibleCharacters() {
      assertThat(delivery(forwarding("why?", "bo\\u200b\\u2063om")).intent())
          .isEqualTo(say("why?\n\nThis is about the message:\n> Bob:\n> boom"));
    }

    @Test
    void requestForASecondRunQuotesTheForwardedMessage() {
      assertThat(delivery(forwarding("new: mend it", "boom")).intent())
          .isEqualTo(
              new Intent.New(Request.of("mend it\n\nThis is about the message:\n> Bob:\n> boom")));
    }

    @Test
    void messageWithThePreviewOfALinkIsOnlyItsText() {
      var body = SlackRequests.body(forwarding("see https://example.com", "An example"));
      assertThat(delivery(SlackRequests.signed(body.replace("is_share", "is_preview"))).intent())
          .isEqualTo(say("see https://example.com"));
    }

    private RawRequest forwarding(String comment, String forwarded) {
      return changed(
          "direct-message",
          "\"text\":\"why is the build red?\"",
          """
          "text":"%s","attachments":[{"is_share":true,"text":"%s","author_name":"Bob",
           "from_url":"https://acme.slack.com/archives/C0OPS/p1795240000000100"}]\
          """
              .formatted(comment, forwarded));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "// lunch?",
          "  // @all lunch?",
          "aside lunch?",
          "<@U0BOB> is that ok?",
          "what do you think, <@U0BOB|bob>?",
          "<!here> look at this",
          "<!subteam^S0DEV|@dev> stop"
        })
    void messageForOtherPeopleInTheThreadIsIgnored(String aside) {
      assertThat(receive(changed("message-in-thread", "also look at the <#C0DEV|dev> logs", aside)))
          .isInstanceOf(WebhookResult.Answered.class);
    }

    @Test
    void emptyMessageInAThreadIsIgnored() {
      assertThat(receive(changed("message-in-thread", "also look at the <#C0DEV|dev> logs", " ")))
          .isInstanceOf(WebhookResult.Answered.class);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "message-unaddressed",
          "message-deleted",
          "other-bot-message",
          "own-message",
          "reaction-added"
        })
    void irrelevantMessageIsAnsweredAndIgnored(String golden) {
      var webhookResult = receive(SlackRequests.golden(golden));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().status()).isEqualTo(200);
    }
  }

  @Nested
  class AButton {
    @Test
    void stopButtonCancelsItsRun() {
      var delivery = delivery("block-actions-cancel");

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.Cancel(
                  Optional.of(new RunId("0190e6a1-9f50-7c3e-8a43-000000000001")),
                  Optional.empty()));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/1795240915.000008");
      assertThat(delivery.id())
          .isEqualTo(
              new DeliveryId(
                  "slack:2409151647.2409151648.c68c9849cb134a3684f22012:1795240915.164"));
      assertThat(delivery.addressed()).isTrue();
      assertThat(delivery.origin().replyTo()).isPresent();
      assertThat(receive(SlackRequests.golden("block-actions-cancel")).reply().body()).isEmpty();
    }

    @Test
    void startButtonInAThreadStartsARunThere() {
      var delivery = delivery(start());

      assertThat(delivery.intent()).isInstanceOf(Intent.Say.class);
      assertThat(delivery.intent().agentRequest().orElseThrow().text())
          .isEqualTo("stop using log4j");
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/1795240915.000008");
      assertThat(delivery.origin().opensThread()).isFalse();
    }

    @Test
    void startButtonOutsideAThreadOpensANewThread() {
      var outside = SlackRequests.body(start());
      var thread = "%2C%22thread_ts%22%3A%221795240915.000008%22";
      assertThat(outside).contains(thread);
      var delivery = delivery(SlackRequests.signed(outside.replace(thread, "")));

      assertThat(delivery.intent()).isInstanceOf(Intent.Start.class);
      assertThat(delivery.conversation().key()).startsWith("T0ACME/C0DEV/~");
      assertThat(delivery.origin().opensThread()).isTrue();
    }

    private RawRequest start() {
      var body = SlackRequests.body(changed("block-actions-cancel", "cancel_run", "start_run"));
      return SlackRequests.signed(
          body.replace("0190e6a1-9f50-7c3e-8a43-000000000001", "stop+using+log4j+--env+web"));
    }

    @Test
    void commandButtonSendsItsCommand() {
      var body = SlackRequests.body(changed("block-actions-cancel", "cancel_run", "command_0"));
      var delivery =
          delivery(
              SlackRequests.signed(
                  body.replace("0190e6a1-9f50-7c3e-8a43-000000000001", "approve+1a2b3c4d")));

      assertThat(delivery.intent())
          .isEqualTo(new Intent.Ask(new Question.Decide(Optional.of("1a2b3c4d"), true)));
    }

    @Test
    void sendRepliesButtonSendsTheUnreadRepliesOnce() {
      var body = SlackRequests.body(changed("block-actions-cancel", "cancel_run", "send_replies"));
      var pressed =
          body.replace("0190e6a1-9f50-7c3e-8a43-000000000001", "run+the+linter%5Cn%5Cnand+docs");
      var delivery = delivery(SlackRequests.signed(pressed));
      var again =
          delivery(SlackRequests.signed(pressed.replace("2409151647.2409151648", "2409159999.1")));

      assertThat(delivery.intent())
          .isEqualTo(new Intent.Say(Request.of("run the linter\n\nand docs")));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/1795240915.000008");
      assertThat(again.meaning()).isEqualTo(delivery.meaning());
      assertThat(again.id()).isNotEqualTo(delivery.id());
    }

    @Test
    void retryButtonRetriesItsRun() {
      assertThat(delivery(changed("block-actions-cancel", "cancel_run", "retry_run")).intent())
          .isEqualTo(
              new Intent.Retry(Optional.of(new RunId("0190e6a1-9f50-7c3e-8a43-000000000001"))));
    }

    @Test
    void linkButtonIsIgnored() {
      assertThat(receive(changed("block-actions-cancel", "cancel_run", "open_session")))
          .isInstanceOf(WebhookResult.Answered.class);
    }
  }

  @Nested
  class AHandshake {
    @Test
    void urlVerificationIsAnsweredWithItsChallenge() {
      var webhookResult = receive(SlackRequests.golden("url-verification"));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().status()).isEqualTo(200);
      assertThat(webhookResult.reply().body())
          .contains("3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P");
    }

    @Test
    void certificateCheckIsAccepted() {
      assertThat(receive(SlackRequests.golden("ssl-check")).reply().status()).isEqualTo(200);
    }

    @Test
    void unknownModalIsAccepted() {
      assertThat(receive(SlackRequests.golden("view-submission")).reply().status()).isEqualTo(200);
    }
  }

  @Test
  void everyAcceptedGoldenFileHasATest() {
    var work =
        Arrays.stream(SlackRequests.names().toArray(String[]::new))
            .filter(it -> receive(SlackRequests.golden(it)) instanceof WebhookResult.Accepted)
            .toList();

    assertThat(work)
        .containsExactly(
            "agent-session-stopped",
            "app-home-opened",
            "app-mention",
            "app-mention-in-thread",
            "ask-about-submission",
            "ask-submission",
            "block-actions-cancel",
            "config-button",
            "defaults-submission",
            "direct-message",
            "direct-message-in-agent-view",
            "file-share",
            "global-shortcut",
            "home-button-stop",
            "message-changed",
            "message-in-thread",
            "message-mention",
            "message-mention-in-thread",
            "message-rich",
            "message-shortcut",
            "slash-list",
            "slash-start",
            "thread-broadcast");
  }
}
