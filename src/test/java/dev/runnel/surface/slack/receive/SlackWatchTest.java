package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackConfig;
import java.net.URI;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Messages of watched channels start runs by themselves.
class SlackWatchTest {
  private static final String ALERT =
      "'type':'message','subtype':'bot_message','bot_id':'B0PAGER','username':'pager','channel':'C0ALERTS','ts':'1795240915.000100','text':'FIRING:"
          + " error  rate of checkout'";
  private static final String SAID =
      "'type':'message','user':'U0ANN','channel':'C0ALERTS','ts':'1795240915.000100',"
          + "'text':'the checkout is firing again'";

  private final ScriptedSlack slack = new ScriptedSlack();
  private SlackSurface surface;

  @BeforeEach
  void watches() {
    surface = surface("C0ALERTS=firing|disk full");
  }

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  private SlackSurface surface(String watch) {
    var settings = new HashMap<String, String>();
    settings.put("SLACK_SIGNING_SECRET", SlackRequests.SECRET);
    settings.put("SLACK_BOT_TOKEN", "xoxb-test-token");
    settings.put("SLACK_API_URL", apiUrl().toString());
    settings.put("SLACK_WATCH", watch);
    var opened = SlackSurfaces.of(SlackConfig.from(settings).orElseThrow(), InstantSource.system());
    opened.start();
    return opened;
  }

  private URI apiUrl() {
    return slack.config().apiUrl();
  }

  private Optional<Delivery> read(String event) {
    return read(event, "");
  }

  /// @param more members of the event's envelope
  private Optional<Delivery> read(String event, String more) {
    var body =
        ("{'type':'event_callback','event_id':'Ev1','team_id':'T0ACME',%s"
                + "'authorizations':[{'team_id':'T0ACME','user_id':'U0RUNNEL','is_bot':true}],"
                + "'event':{%s}}")
            .formatted(more, event)
            .replace('\'', '"');
    return surface.receive(SlackRequests.signed(body))
            instanceof WebhookResult.Accepted(var delivery, _)
        ? Optional.of(delivery)
        : Optional.empty();
  }

  @Test
  void anAlertOfAnAppStartsARunInItsThreadForTheWatch() {
    var delivery = read(ALERT).orElseThrow();

    assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0ALERTS/1795240915.000100");
    assertThat(delivery.actor())
        .isEqualTo(new Actor("watch:C0ALERTS", "The watch of this channel"));
    assertThat(delivery.addressed()).isTrue();
    assertThat(delivery.origin().opensThread()).isFalse();
    assertThat(delivery.intent().agentRequest().map(Request::text).orElseThrow())
        .contains("Change nothing")
        .doesNotContainIgnoringCase("checkout");
  }

  @Test
  void theTextOfAnAlertMayBeInAttachments() {
    assertThat(
            read(
                ALERT.replace(
                    "'text':'FIRING: error  rate of checkout'",
                    "'text':'','attachments':[{'title':'Disk Full','text':'on db-1'}]")))
        .isPresent();
  }

  @Test
  void aPersonsMessageIsARequestOfThatPerson() {
    assertThat(read(SAID).orElseThrow().actor().id()).isEqualTo("U0ANN");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'text':'the checkout is misfiring'",
        "'text':'firing','thread_ts':'1795240900.000100'",
        "'text':'firing','channel':'C0DEV'",
        "'text':'firing','subtype':'channel_join'",
        "'text':'firing','subtype':'message_changed'",
        "'text':'firing','hidden':true",
        "'text':'firing','user':'U0RUNNEL'",
        "'text':'firing','user':'U0RUNNEL','bot_id':'B0RUNNEL'",
      })
  void otherMessagesStartNoRun(String different) {
    var event =
        "'type':'message','ts':'1795240915.000100','bot_id':'B0PAGER',"
            + (different.contains("channel'") ? "" : "'channel':'C0ALERTS',")
            + different;

    assertThat(read(event)).isEmpty();
  }

  @Test
  void alertInASharedChannelStartsNoRun() {
    assertThat(read(ALERT, "'is_ext_shared_channel':true,")).isEmpty();
  }

  @Test
  void nothingIsWatchedUnlessItIsListed() {
    surface.close();
    surface = surface("off");

    assertThat(read(ALERT)).isEmpty();
    assertThat(read(SAID)).isEmpty();
  }

  @Test
  void asteriskMatchesAllMessages() {
    surface.close();
    surface = surface("C0ALERTS=*");

    assertThat(read(ALERT.replace("FIRING", "RESOLVED"))).isPresent();
  }

  @Test
  void mentionInAWatchedChannelIsAnOrdinaryRequest() {
    var delivery = read(SAID.replace("the checkout", "<@U0RUNNEL> the checkout")).orElseThrow();

    assertThat(delivery.intent().agentRequest().map(Request::text))
        .contains("the checkout is firing again");
  }

  @Test
  void watchedAlertIsAdmittedButIsNotAMember() {
    var delivery = read(ALERT).orElseThrow();

    assertThat(surface.senders().admit(delivery)).isEqualTo(Admission.ADMITTED);
    assertThat(surface.senders().names(delivery).orElseThrow())
        .containsExactlyInAnyOrder("slack:watch", "slack:watch:C0ALERTS");
    assertThat(surface.senders().names(read(SAID).orElseThrow())).isEmpty();
  }

  @Test
  void alertFromAnUnwatchedChannelIsTurnedAway() {
    var delivery = read(ALERT).orElseThrow();
    surface.close();
    surface = surface("C0OTHER=*");

    assertThat(surface.senders().admit(delivery)).isInstanceOf(Admission.TurnedAway.class);
  }

  @Test
  void theAgentGetsTheAlertAsBackground() {
    slack.says(
        "conversations.replies",
        "{'ok':true,'messages':[{'ts':'1795240915.000100','username':'pager',"
            + "'text':'FIRING: checkout'}]}");

    var background = surface.background().read(read(ALERT).orElseThrow());

    assertThat(background.messages())
        .extracting(Background.Message::author, Background.Message::text)
        .containsExactly(tuple("pager", "FIRING: checkout"));
  }

  @Test
  void refusalOfAWatchedAlertIsNotPosted() {
    var delivery = read(ALERT).orElseThrow();
    var update = new Update.Message(delivery.actor(), "A budget is used up.", true);

    surface.post(
        new Notice(
            new NoticeId("n1"),
            delivery.conversation(),
            update,
            delivery.origin(),
            SlackRequests.NOW,
            0),
        null);

    assertThat(slack.calls())
        .extracting(ScriptedSlack.Call::method)
        .noneMatch(List.of("chat.postMessage", "chat.postEphemeral")::contains);
  }

  @ParameterizedTest
  @ValueSource(strings = {"alerts=firing", "C0ALERTS=", "firing"})
  void aWrongSettingIsNamed(String setting) {
    var settings =
        Map.of("SLACK_SIGNING_SECRET", "s", "SLACK_BOT_TOKEN", "xoxb-1", "SLACK_WATCH", setting);

    assertThatThrownBy(() -> SlackConfig.from(settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("slack.watch");
  }
}
