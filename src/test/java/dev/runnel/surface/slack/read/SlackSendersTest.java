package dev.runnel.surface.slack.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Who may start and steer runs from Slack: full members of the workspace, as Slack says.
class SlackSendersTest {
  private static final String MEMBER =
      "'id':'U0ANN','team_id':'T0ACME','profile':{'display_name':'Ann'}";
  private static final Map<String, String> OTHERS =
      Map.of(
          "guest of several channels", MEMBER + ",'is_restricted':true",
          "guest of one channel", MEMBER + ",'is_restricted':true,'is_ultra_restricted':true",
          "person of another workspace", MEMBER.replace("T0ACME", "T0OTHER"),
          "stranger", MEMBER + ",'is_stranger':true",
          "bot", MEMBER + ",'is_bot':true",
          "deactivated account", MEMBER + ",'deleted':true",
          "account of which Slack says nothing", "'id':'U0ANN'");

  private static final String STOP_REACTION = "the reaction that stops";

  private final SettableClock clock = new SettableClock();
  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface = SlackSurfaces.of(slack.config(), clock);

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  private Delivery delivery(String door) {
    var request =
        door.equals(STOP_REACTION)
            ? SlackRequests.signed(
                SlackRequests.body(SlackRequests.golden("reaction-added"))
                    .replaceAll("\"reaction\":\"[a-z_]+\"", "\"reaction\":\"octagonal_sign\""))
            : SlackRequests.golden(door);
    return ((WebhookResult.Accepted) surface.receive(request)).delivery();
  }

  private void knows(String account) {
    slack.says("users.info", "{'ok':true,'user':{" + account + "}}");
  }

  static Stream<String> doors() {
    return Stream.of(
        "slash-start",
        "slash-list",
        "app-mention",
        "app-mention-in-thread",
        "message-mention",
        "message-in-thread",
        "thread-broadcast",
        "file-share",
        "direct-message",
        "direct-message-in-agent-view",
        "message-changed",
        "block-actions-cancel",
        "config-button",
        "global-shortcut",
        "message-shortcut",
        "ask-submission",
        "ask-about-submission",
        "defaults-submission",
        "app-home-opened",
        "home-button-stop",
        "agent-session-stopped",
        STOP_REACTION);
  }

  @ParameterizedTest
  @MethodSource("doors")
  void fullMemberIsAdmittedByEveryEntryPoint(String door) {
    knows(MEMBER);
    assertThat(surface.senders().admit(delivery(door))).isEqualTo(Admission.ADMITTED);
  }

  @ParameterizedTest
  @MethodSource("doors")
  void otherAccountsAreRefusedByEveryEntryPoint(String door) {
    OTHERS.forEach(
        (who, account) -> {
          knows(account);
          assertThat(surface.senders().admit(delivery(door)))
              .as(who)
              .isInstanceOfSatisfying(
                  Admission.Outsider.class,
                  it ->
                      assertThat(it.words().isPresent())
                          .isEqualTo(!door.equals("app-home-opened")));
          clock.advance(Duration.ofMinutes(11));
        });
  }

  /// The user with this id in another workspace is another person.
  @ParameterizedTest
  @MethodSource("doors")
  void memberIsRefusedWhereTheDeliveryNamesAnotherWorkspace(String door) {
    knows(MEMBER);
    var other =
        SlackRequests.signed(
            SlackRequests.body(
                    SlackRequests.golden(door.equals(STOP_REACTION) ? "reaction-added" : door))
                .replace("T0ACME", "T0OTHER")
                .replaceAll("\"reaction\":\"[a-z_]+\"", "\"reaction\":\"octagonal_sign\""));
    var delivery = ((WebhookResult.Accepted) surface.receive(other)).delivery();

    assertThat(surface.senders().admit(delivery)).isInstanceOf(Admission.Outsider.class);
  }

  @Test
  void refusalNamesWhoIsPermitted() {
    knows(MEMBER + ",'is_restricted':true");
    assertThat(surface.senders().admit(delivery("slash-start")))
        .isInstanceOfSatisfying(
            Admission.Outsider.class,
            it -> assertThat(it.words().orElseThrow()).contains("full members"));
  }

  @Test
  void enterpriseMemberIsAdmittedInEachOfTheirWorkspaces() {
    knows(
        "'id':'U0ANN','team_id':'T0HOME','enterprise_user':{'id':'U0ANN','teams':['T0HOME','T0ACME']}");
    assertThat(surface.senders().admit(delivery("slash-start"))).isEqualTo(Admission.ADMITTED);
  }

  @Test
  void personLookupIsCachedForTenMinutes() {
    for (var door : List.of("slash-start", "direct-message", "app-mention")) {
      surface.senders().admit(delivery(door));
    }
    assertThat(slack.calls("users.info")).hasSize(1);

    clock.advance(Duration.ofMinutes(9));
    surface.senders().admit(delivery("slash-start"));
    assertThat(slack.calls("users.info")).hasSize(1);

    clock.advance(Duration.ofMinutes(2));
    knows(MEMBER + ",'is_restricted':true");
    assertThat(surface.senders().admit(delivery("slash-start")))
        .isInstanceOf(Admission.Outsider.class);
  }

  @Test
  void timeZoneIsReadFromTheProfile() {
    knows(MEMBER + ",'tz':'Europe/Amsterdam','tz_offset':3600");
    assertThat(surface.senders().timeZone(delivery("slash-start")))
        .contains(ZoneId.of("Europe/Amsterdam"));

    knows(MEMBER + ",'tz':'Mars/Olympus'");
    assertThat(surface.senders().timeZone(delivery("slash-start"))).isEmpty();
    slack.refuses("users.info", "missing_scope");
    assertThat(surface.senders().timeZone(delivery("slash-start"))).isEmpty();
  }

  @Test
  void personUnknownToSlackIsRefused() {
    slack.refuses("users.info", "user_not_found");
    assertThat(surface.senders().admit(delivery("slash-start")))
        .isInstanceOf(Admission.Outsider.class);
  }

  @Test
  void senderIsUndecidedWhileSlackDoesNotAnswer() {
    var asked = delivery("slash-start");
    slack.says("users.info", ScriptedSlack.rateLimited("17"));
    assertThat(surface.senders().admit(asked))
        .isEqualTo(
            new Admission.Unknown(
                Optional.of(Duration.ofSeconds(17)), "Slack responded with status 429"));

    slack.says("users.info", ScriptedSlack.status(503));
    assertThat(surface.senders().admit(asked)).isInstanceOf(Admission.Unknown.class);

    assertThat(surface.senders().admit(asked)).isEqualTo(Admission.ADMITTED);
  }

  @Test
  void rejectedTokenIsNotReportedAsARefusedSender() {
    slack.refuses("users.info", "token_revoked");
    assertThatThrownBy(() -> surface.senders().admit(delivery("slash-start")))
        .isInstanceOf(CredentialRefused.class);
  }

  @Test
  void refusalNamesTheMissingPermission() {
    slack.refuses("users.info", "missing_scope");
    assertThat(surface.senders().admit(delivery("slash-start")))
        .isInstanceOfSatisfying(
            Admission.Refused.class, it -> assertThat(it.words()).contains("users:read"));

    slack.refuses("users.info", "missing_scope");
    assertThat(surface.check())
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.isOk()).isFalse();
              assertThat(it.text()).contains("users:read");
            });
  }

  @Test
  void tokenOfAnUnacceptedWorkspaceServesNobody() {
    var settings =
        Map.of(
            "SLACK_SIGNING_SECRET",
            SlackRequests.SECRET,
            "SLACK_BOT_TOKEN",
            "xoxb-test-token",
            "SLACK_API_URL",
            slack.apiUrl().toString(),
            "SLACK_INSTALLATIONS",
            "T0OTHER, T0MORE");
    try (var elsewhere = SlackSurfaces.of(SlackConfig.from(settings).orElseThrow(), clock)) {
      assertThat(elsewhere.senders().admit(delivery("slash-start")))
          .isInstanceOfSatisfying(
              Admission.Refused.class,
              it -> assertThat(it.words()).contains("T0ACME", "policy.installations.slack"));
      assertThat(elsewhere.check().getFirst().isOk()).isFalse();
    }
  }
}
