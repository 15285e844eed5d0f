package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What people do to a message that is there: they edit it, delete it, or react to it.
class SlackMessageChangesTest {
  private static final String TS = "1795240915.000008";
  private static final String ROOT = "1795240900.000001";
  private static final String SAID = "message:T0ACME/C0DEV/" + TS;

  private final SlackSurface surface =
      SlackSurfaces.of(SlackRequests.CONFIG, InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
  }

  private WebhookResult receive(String event) {
    var body =
        """
        {"type":"event_callback","team_id":"T0ACME","event_id":"Ev1","event":%s,
         "authorizations":[{"team_id":"T0ACME","user_id":"U0RUNNEL","is_bot":true}]}
        """;
    return surface.receive(SlackRequests.signed(body.formatted(event)));
  }

  private Delivery delivery(String event) {
    return ((WebhookResult.Accepted) receive(event)).delivery();
  }

  private static String reply(String text, String more) {
    return """
    {"type":"message","user":"U0ANN","ts":"%s","thread_ts":"%s","text":"%s"%s}\
    """
        .formatted(TS, ROOT, text, more);
  }

  private static String edit(String before, String now) {
    return edit(
        reply(before, ""),
        reply(now, ",\"edited\":{\"user\":\"U0ANN\",\"ts\":\"1795240999.000000\"}"),
        "message_changed");
  }

  private static String edit(String before, String now, String subtype) {
    return """
    {"type":"message","subtype":"%s","hidden":true,"channel":"C0DEV","ts":"1795240999.000001",
     "event_ts":"1795240999.000001","deleted_ts":"%s","message":%s,"previous_message":%s}\
    """
        .formatted(subtype, TS, now, before);
  }

  @Nested
  class AnEdit {
    @Test
    void editedReplyAmendsTheEarlierMessage() {
      var delivery = delivery(edit("use teh API", "use the &lt;new&gt; API"));

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.Amend(SAID, Optional.of(new Intent.Say(Request.of("use the <new> API")))));
      assertThat(delivery.conversation())
          .isEqualTo(new SlackPlace("T0ACME", "C0DEV", ROOT).conversation());
      assertThat(delivery.actor().id()).isEqualTo("U0ANN");
      assertThat(delivery.meaning()).isEqualTo("edited:T0ACME/C0DEV/" + TS + "/1795240999.000000");
    }

    @Test
    void editOfAMessageWithAFileKeepsTheFileInTheRequest() {
      assertThat(
              delivery(edit(withFile("use this"), withFile("use that"), "message_changed"))
                  .intent())
          .isEqualTo(
              new Intent.Amend(
                  SAID,
                  Optional.of(
                      new Intent.Say(
                          Request.of("use that\n\n[Attached file: red.png, image/png, 34 KB]")))));
    }

    @Test
    void editThatEmptiesTheTextBesideAFileRequestsALookAtTheFile() {
      assertThat(delivery(edit(withFile("use this"), withFile(""), "message_changed")).intent())
          .isEqualTo(
              new Intent.Amend(
                  SAID,
                  Optional.of(
                      new Intent.Say(
                          Request.of(
                              "Look at the attached file.\n\n"
                                  + "[Attached file: red.png, image/png, 34 KB]")))));
    }

    @Test
    void editThatRemovesAFileChangesTheRequest() {
      assertThat(
              delivery(edit(withFile("use this"), reply("use this", ""), "message_changed"))
                  .intent())
          .isEqualTo(new Intent.Amend(SAID, Optional.of(new Intent.Say(Request.of("use this")))));
    }

    @Test
    void editOfAMessageThatForwardsAnotherKeepsTheQuote() {
      var shared = ",\"attachments\":[{\"is_share\":true,\"text\":\"boom\"}]";
      assertThat(
              delivery(edit(reply("why?", shared), reply("", shared), "message_changed")).intent())
          .isEqualTo(
              new Intent.Amend(
                  SAID,
                  Optional.of(
                      new Intent.Say(
                          Request.of(
                              "Look at the forwarded message.\n\n"
                                  + "This is about the message:\n> boom")))));
    }

    private static String withFile(String text) {
      return reply(
          text, ",\"files\":[{\"name\":\"red.png\",\"mimetype\":\"image/png\",\"size\":34816}]");
    }

    @Test
    void editToAnAsideWithdrawsTheMessage() {
      assertThat(delivery(edit("use the API", "// use the API")).intent())
          .isEqualTo(new Intent.Amend(SAID, Optional.empty()));
    }

    @Test
    void unfurledLinkIsNotAnEdit() {
      var same = reply("see https://example.com", ",\"attachments\":[{\"id\":1}]");
      assertThat(receive(edit(reply("see https://example.com", ""), same, "message_changed")))
          .isInstanceOf(WebhookResult.Answered.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"bot_id\":\"B1\"", "\"user\":\"U0RUNNEL\""})
    void editByABotIsIgnored(String sender) {
      var now = reply("now", ",\"edited\":{\"ts\":\"1\"}").replace("\"user\":\"U0ANN\"", sender);
      assertThat(receive(edit(reply("before", ""), now, "message_changed")))
          .isInstanceOf(WebhookResult.Answered.class);
    }

    @Test
    void editInAChannelWithoutAMentionIsIgnored() {
      var event = edit("lunch?", "lunch at one?").replace("\"thread_ts\":\"" + ROOT + "\",", "");
      assertThat(receive(event)).isInstanceOf(WebhookResult.Answered.class);
    }
  }

  @Nested
  class ADeletion {
    @Test
    void deletedReplyIsWithdrawn() {
      var event = edit(reply("use the API", ""), "null", "message_deleted");

      assertThat(delivery(event).intent()).isEqualTo(new Intent.Amend(SAID, Optional.empty()));
      assertThat(delivery(event).meaning())
          .isEqualTo("deleted:T0ACME/C0DEV/" + TS + "/1795240999.000001");
    }

    @Test
    void deletedFirstMessageOfAThreadIsWithdrawn() {
      var before = reply("<@U0RUNNEL> fix it", "").replace(ROOT, TS);
      var stone =
          "{\"type\":\"message\",\"subtype\":\"tombstone\",\"user\":\"USLACKBOT\",\"ts\":\"%s\",\"text\":\"This message was deleted.\"}"
              .formatted(TS);

      assertThat(delivery(edit(before, stone, "message_changed")).intent())
          .isEqualTo(new Intent.Amend(SAID, Optional.empty()));
    }

    @Test
    void deletionWithoutTheEarlierTextIsIgnored() {
      assertThat(receive(edit("null", "null", "message_deleted")))
          .isInstanceOf(WebhookResult.Answered.class);
    }
  }

  @Nested
  class AReaction {
    private static String reaction(String name, String user) {
      return """
      {"type":"reaction_added","user":"%s","reaction":"%s","item_user":"U0RUNNEL",
       "item":{"type":"message","channel":"C0DEV","ts":"%s"},"event_ts":"1795240999.000002"}\
      """
          .formatted(user, name, TS);
    }

    @Test
    void stopSignReactionStopsTheRunOfItsMessage() {
      var delivery = delivery(reaction("octagonal_sign", "U0ANN"));

      assertThat(delivery.intent()).isEqualTo(new Intent.StopAt(new PostRef("C0DEV/" + TS)));
      assertThat(delivery.actor().id()).isEqualTo("U0ANN");
      assertThat(delivery.addressed()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"eyes, U0ANN", "octagonal_sign, U0RUNNEL", "'', U0ANN"})
    void otherReactionsAreIgnored(String name, String user) {
      assertThat(receive(reaction(name, user))).isInstanceOf(WebhookResult.Answered.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "null", "[]", "{\"type\":\"file\",\"file\":\"F1\"}", "7"})
    void reactionToANonMessageIsIgnored(String item) {
      var event =
          "{\"type\":\"reaction_added\",\"user\":\"U0ANN\",\"reaction\":\"octagonal_sign\",\"item\":%s}";
      assertThat(receive(event.formatted(item))).isInstanceOf(WebhookResult.Answered.class);
    }
  }
}
