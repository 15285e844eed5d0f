package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How much of a run people see in a channel.
class SlackStylesTest {
  private static final Conversation THREAD =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240915.000008");
  private static final Conversation DIRECT =
      new Conversation(SlackPlace.SURFACE, "T0ACME/D0ANN/1795240915.000008");
  private static final Update STATUS =
      SlackUpdates.status(SlackUpdates.running(), Duration.ofSeconds(20));
  private static final Update END = SlackUpdates.succeeded("It was a race.");
  private static final PostRef CARD = new PostRef("C0DEV/1795240915.000008");

  private final ScriptedSlack slack = new ScriptedSlack();

  @AfterEach
  void close() {
    slack.close();
  }

  private SlackSurface surface(String style) {
    return SlackSurfaces.of(
        SlackConfig.from(
                Map.of(
                    "SLACK_SIGNING_SECRET",
                    SlackRequests.SECRET,
                    "SLACK_BOT_TOKEN",
                    "xoxb-test-token",
                    "SLACK_API_URL",
                    slack.apiUrl().toString(),
                    "SLACK_STYLE",
                    style))
            .orElseThrow(),
        InstantSource.system());
  }

  private static Notice notice(Update update, Conversation conversation) {
    return new Notice(
        new NoticeId("slack:1.2.abc#1"), conversation, update, Origin.NONE, SlackRequests.NOW, 0);
  }

  private String broadcast() {
    return slack.calls("chat.postMessage").getLast().field("reply_broadcast");
  }

  @ParameterizedTest
  @ValueSource(strings = {"channel", "thread,C0DEV=channel"})
  void channelStyleBroadcastsTheResultButNotTheStatus(String style) {
    try (var surface = surface(style)) {
      surface.post(notice(END, THREAD), null);
      assertThat(broadcast()).isEqualTo("1");

      surface.post(notice(STATUS, THREAD), null);
      assertThat(broadcast()).isNotEqualTo("1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "thread", "channel,C0DEV=thread", "quiet"})
  void otherStylesPostTheResultOnlyInTheThread(String style) {
    try (var surface = surface(style)) {
      surface.post(notice(END, THREAD), null);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
      assertThat(broadcast()).isNotEqualTo("1");
    }
  }

  @Test
  void quietThreadNeverGetsAStatus() {
    try (var surface = surface("quiet")) {
      var first = (Posting.Posted) surface.post(notice(STATUS, THREAD), null);
      var second = surface.post(notice(STATUS, THREAD), first.ref());
      var third =
          surface.post(notice(new Update.Still((Update.Status) STATUS), THREAD), first.ref());

      assertThat(second).isEqualTo(first);
      assertThat(third).isEqualTo(first);
      assertThat(slack.calls()).isEmpty();
    }
  }

  @Test
  void quietStyleStillUpdatesTheInitialCard() {
    try (var surface = surface("quiet")) {
      surface.post(notice(STATUS, THREAD), CARD);

      assertThat(slack.calls("chat.update")).hasSize(1);
    }
  }

  @Test
  void aThreadThatIsNoLongerQuietGetsItsStatus() {
    PostRef hidden;
    try (var surface = surface("quiet")) {
      hidden = ((Posting.Posted) surface.post(notice(STATUS, THREAD), null)).ref();
    }
    slack.refuses("chat.update", "message_not_found");
    try (var surface = surface("thread")) {
      surface.post(notice(STATUS, THREAD), hidden);

      assertThat(slack.calls("chat.postMessage")).hasSize(1);
    }
  }

  @Test
  void quietStyleDoesNotApplyToDirectMessages() {
    try (var surface = surface("quiet")) {
      surface.post(notice(STATUS, DIRECT), null);

      assertThat(slack.calls()).isNotEmpty();
    }
  }
}
