package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.run.Background;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.api.SlackAgentApi;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPrompts;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// What people do in Slack's agent view, besides talking. The payloads are Slack's, as documented.
class SlackAgentEventsTest {
  private final ScriptedSlack slack = new ScriptedSlack();
  private final SettableClock clock = new SettableClock();
  private SlackSurface surface = SlackSurfaces.of(slack.config(), clock);

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  private WebhookResult receive(String golden) {
    return surface.receive(SlackRequests.golden(golden));
  }

  private Delivery delivery(String golden) {
    return ((WebhookResult.Accepted) receive(golden)).delivery();
  }

  @Nested
  class SlacksOwnStop {
    @Test
    void slacksStopButtonCancelsTheRunOfItsThread() {
      var stop = delivery("agent-session-stopped");

      assertThat(stop.intent()).isEqualTo(new Intent.Cancel(Optional.empty(), Optional.empty()));
      assertThat(stop.conversation().key()).isEqualTo("T0ACME/D0ANN/1795240900.000100");
      assertThat(stop.actor().id()).isEqualTo("U0ANN");
      assertThat(stop.addressed()).isTrue();
    }

    @Test
    void repeatedStopEventsHaveTheSameMeaning() {
      var body = SlackRequests.body(SlackRequests.golden("agent-session-stopped"));
      var again = surface.receive(SlackRequests.signed(body.replace("Ev0STOP1", "Ev0STOP2")));

      assertThat(((WebhookResult.Accepted) again).delivery().meaning())
          .isEqualTo(delivery("agent-session-stopped").meaning());
    }

    @Test
    void stopEndsTheSessionEvenIfNothingRuns() {
      receive("agent-session-stopped");

      await().until(() -> !slack.calls(SlackAgentApi.SET_SESSION).isEmpty());
      var call = slack.calls(SlackAgentApi.SET_SESSION).getFirst();
      assertThat(call.field("status")).isEqualTo("active");
      assertThat(call.field("channel_id")).isEqualTo("D0ANN");
      assertThat(call.field("thread_ts")).isEqualTo("1795240900.000100");
    }

    @Test
    void slackStopWithoutAThreadIsIgnored() {
      var body = SlackRequests.body(SlackRequests.golden("agent-session-stopped"));

      assertThat(surface.receive(SlackRequests.signed(body.replace("thread_ts", "no_thread"))))
          .isInstanceOf(WebhookResult.Answered.class);
    }
  }

  @Nested
  class AThreadOfAnEarlierApp {
    @Test
    void openedAssistantThreadGetsPrompts() throws Exception {
      assertThat(receive("assistant-thread-started")).isInstanceOf(WebhookResult.Answered.class);

      await().until(() -> !slack.calls(SlackAgentApi.SET_PROMPTS).isEmpty());
      var call = slack.calls(SlackAgentApi.SET_PROMPTS).getFirst();
      assertThat(call.field("channel_id")).isEqualTo("D0ANN");
      assertThat(call.field("thread_ts")).isEqualTo("1795240900.000100");
      var prompts = new ObjectMapper().readTree(call.field("prompts"));
      assertThat(prompts.findValuesAsText("title"))
          .containsExactly("What can you do?", "My runs", "Fix a failing test", "Explain the code");
      assertThat(prompts.findValuesAsText("message")).startsWith("help", "list mine");
    }

    @Test
    void titleUpdateIsNotAnEdit() {
      assertThat(receive("assistant-thread-titled")).isInstanceOf(WebhookResult.Answered.class);
    }
  }

  @Nested
  class AnAppOfToday {
    @Test
    void openedMessagesTabGetsNoPrompts() {
      receive("app-home-opened-messages");

      // What is sent aside goes in order: nothing was sent before this.
      receive("assistant-thread-started");
      await().until(() -> !slack.calls(SlackAgentApi.SET_PROMPTS).isEmpty());
      assertThat(slack.calls(SlackAgentApi.SET_PROMPTS))
          .allSatisfy(call -> assertThat(call.field("thread_ts")).isNotEmpty());
    }

    @Test
    void openedAgentOffersTheConfiguredPrompts() {
      surface.close();
      surface =
          SlackSurfaces.of(
              new SlackConfig(
                  slack.config().signingSecrets(),
                  Optional.empty(),
                  slack.config().botToken(),
                  Optional.empty(),
                  slack.apiUrl(),
                  SlackBehavior.DEFAULT,
                  new SlackPrompts(List.of(new SlackPrompts.Prompt("Hi", "Say hi.")), false),
                  Set.of()),
              clock);

      receive("app-home-opened-messages");

      await().until(() -> !slack.calls(SlackAgentApi.SET_PROMPTS).isEmpty());
      var call = slack.calls(SlackAgentApi.SET_PROMPTS).getFirst();
      assertThat(call.field("prompts")).isEqualTo("[{\"title\":\"Hi\",\"message\":\"Say hi.\"}]");
      // Slack drops a call that names a thread here.
      assertThat(call.fields().keySet()).isEqualTo(Set.of("channel_id", "prompts"));
    }

    @Test
    void openedHomeTabShowsTheHomeView() {
      assertThat(delivery("app-home-opened").intent())
          .isEqualTo(new Intent.Ask(new Question.Home()));
      assertThat(slack.calls()).isEmpty();
    }
  }

  @Nested
  class TheChannelSomebodyHasOpen {
    private Background background() {
      return surface.background().read(delivery("direct-message"));
    }

    private void isNamed(String channel) {
      slack.says("conversations.info", "{'ok':true,'channel':{'name':'" + channel + "'}}");
    }

    private Delivery askedByAnn() {
      return delivery("direct-message-in-agent-view");
    }

    @Test
    void openChannelBecomesBackground() {
      isNamed("ops");

      var background = surface.background().read(askedByAnn());

      assertThat(background.kind()).isEqualTo("Slack direct message");
      assertThat(background.body()).isEqualTo("They had the channel #ops open.");
      assertThat(slack.calls("conversations.info").getFirst().field("channel")).isEqualTo("C0OPS");
    }

    @Test
    void openChannelIsTheOneOfTheLastEvent() {
      receive("assistant-thread-started");
      receive("assistant-thread-context-changed");
      receive("app-context-changed");
      isNamed("dev");

      assertThat(background().body()).isEqualTo("They had the channel #dev open.");
    }

    @Test
    void openChannelIsForgottenAfterHalfAnHour() {
      receive("app-context-changed");
      clock.advance(Duration.ofMinutes(30));

      assertThat(background()).isEqualTo(Background.NONE);
    }

    @Test
    void backgroundIsEmptyIfNoChannelIsOpen() {
      receive("app-context-changed");
      var body = SlackRequests.body(SlackRequests.golden("app-context-changed"));
      surface.receive(
          SlackRequests.signed(body.replaceAll("\"context\":\\{.*?}]}", "\"context\":{}")));

      assertThat(background()).isEqualTo(Background.NONE);
    }

    @Test
    void openChannelIsHiddenIfTheAppCannotSeeIt() {
      slack.refuses("conversations.info", "channel_not_found");

      assertThat(surface.background().read(askedByAnn())).isEqualTo(Background.NONE);
    }
  }
}
