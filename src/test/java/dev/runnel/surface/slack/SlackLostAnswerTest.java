package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Duration;
import java.time.InstantSource;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Slack took the post, and the connection broke before it could say so.
class SlackLostAnswerTest {
  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface = SlackSurfaces.of(slack.config(), InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  @Test
  void lostResponseIsRetriedLaterAndNotByTheHttpClient() {
    assertThat(surface.post(notice("1"), null)).isInstanceOf(Posting.Posted.class);
    slack.says(
        "chat.postMessage",
        new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build());

    assertThat(surface.post(notice("2"), null)).isInstanceOf(Posting.Later.class);

    assertThat(slack.calls("chat.postMessage")).hasSize(2);
  }

  /// Slack's clock and ours may differ.
  @Test
  void lostPostIsSearchedFromAnHourBeforeTheNotice() {
    var tried = notice("1");
    var again =
        new Notice(
            tried.id(), tried.conversation(), tried.update(), tried.origin(), tried.createdAt(), 1);

    surface.post(again, null);

    assertThat(slack.calls("conversations.replies").getFirst().field("oldest"))
        .isEqualTo(SlackPlace.timestamp(SlackRequests.NOW.minus(Duration.ofHours(1))));
  }

  private static Notice notice(String id) {
    return new Notice(
        new NoticeId(id),
        new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240915.000008"),
        new Update.Message(new Actor("U0ANN", "ann"), "Passed on.", false),
        Origin.NONE,
        SlackRequests.NOW,
        0);
  }
}
