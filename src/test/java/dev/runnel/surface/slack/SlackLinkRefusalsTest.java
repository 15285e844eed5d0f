package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.run.LinkedConversation;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Links whose threads Slack, or a permission, keeps from the agent.
class SlackLinkRefusalsTest {
  private static final URI LINK =
      URI.create("https://acme.slack.com/archives/C0OPS/p1795240000000100");
  private static final String INFO = "conversations.info";
  private static final String REPLIES = "conversations.replies";
  private static final String MEMBERS = "conversations.members";
  private static final String JOINED = "{'ok':true,'channel':{'id':'C0OPS','is_member':true}}";
  private static final String GUEST =
      "{'ok':true,'user':{'id':'U0ANN','team_id':'T0ACME','is_restricted':true}}";
  private static final String SAID =
      "{'ok':true,'messages':[{'ts':'1795240000.000100','user':'U0ANN','text':'it is red'}]}";

  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface =
      SlackSurfaces.of(slack.config(), InstantSource.fixed(SlackRequests.NOW));
  private final Delivery mention =
      ((WebhookResult.Accepted) surface.receive(SlackRequests.golden("app-mention"))).delivery();

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  private LinkedConversation linked() {
    return surface.background().linked(mention, mention.conversation(), false, LINK);
  }

  @Test
  void fullMemberReadsAPublicChannelWithTheBot() {
    slack.says(INFO, JOINED).says(REPLIES, SAID);

    assertThat(linked()).isInstanceOf(LinkedConversation.Shown.class);
  }

  @Test
  void aChannelWithoutTheBotIsNotRead() {
    slack.says(INFO, JOINED.replace("true}}", "false}}"));

    assertThat(linked()).isEqualTo(new LinkedConversation.Withheld(LINK));
    assertThat(slack.calls(REPLIES)).isEmpty();
  }

  @Test
  void guestReadsOnlyChannelsOfWhichTheyAreAMember() {
    slack
        .says(INFO, JOINED)
        .says("users.info", GUEST)
        .says(MEMBERS, "{'ok':true,'members':['U0BOB'],'response_metadata':{'next_cursor':'2'}}")
        .says(MEMBERS, "{'ok':true,'members':['U0EVE']}");

    assertThat(linked()).isEqualTo(new LinkedConversation.Withheld(LINK));
    assertThat(slack.calls(MEMBERS)).hasSize(2);
    assertThat(slack.calls(REPLIES)).isEmpty();

    slack
        .says(INFO, JOINED)
        .says("users.info", GUEST)
        .says(MEMBERS, "{'ok':true,'members':['U0BOB','U0ANN']}")
        .says(REPLIES, SAID);

    assertThat(linked()).isInstanceOf(LinkedConversation.Shown.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"not_in_channel", "channel_not_found", "missing_scope"})
  void conversationThatSlackRefusesIsWithheld(String error) {
    slack.says(INFO, JOINED).refuses(REPLIES, error);
    assertThat(linked()).isEqualTo(new LinkedConversation.Withheld(LINK));

    slack.refuses(INFO, error);
    assertThat(linked()).isEqualTo(new LinkedConversation.Withheld(LINK));
  }

  @Test
  void conversationIsUnavailableWhileSlackDoesNotAnswer() {
    slack.says(INFO, ScriptedSlack.rateLimited("30"));
    assertThat(linked())
        .isEqualTo(
            new LinkedConversation.Unavailable(
                LINK, Optional.of(Duration.ofSeconds(30)), "Slack responded with status 429"));

    slack.says(INFO, JOINED).says(REPLIES, ScriptedSlack.status(503));
    assertThat(linked())
        .isEqualTo(
            new LinkedConversation.Unavailable(
                LINK, Optional.empty(), "Slack responded with status 503"));
  }

  @Test
  void linkedConversationIsNotReadWhileTheWorkspaceIsUnknown() {
    slack.says("auth.test", ScriptedSlack.status(503));

    assertThat(linked()).isInstanceOf(LinkedConversation.Unavailable.class);
    assertThat(slack.calls(REPLIES)).isEmpty();
  }
}
