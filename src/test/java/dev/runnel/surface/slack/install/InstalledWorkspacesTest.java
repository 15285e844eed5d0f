package dev.runnel.surface.slack.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.surface.PlatformPage;
import dev.runnel.surface.PlatformPage.Html;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.testkit.SettableClock;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Workspaces that install the app, take it away, and whose tokens are renewed.
class InstalledWorkspacesTest {
  @TempDir Path folder;
  private final ScriptedSlack slack = new ScriptedSlack();
  private final SettableClock clock = new SettableClock();
  private final List<SlackSurface> nodes = new ArrayList<>();
  private Database database;
  private SlackSurface surface;

  @BeforeEach
  void open() {
    database = Database.sqlite(folder.resolve("runnel.db")).migrate(SqlStore.SCHEMA);
    surface = node("client-secret");
  }

  @AfterEach
  void close() {
    nodes.forEach(SlackSurface::close);
    database.close();
    slack.close();
  }

  private SlackSurface node(String clientSecrets) {
    return node(clientSecrets, "T1,T2,T3");
  }

  /// @param accepted the workspaces that the operator accepted
  private SlackSurface node(String clientSecrets, String accepted) {
    var config =
        SlackConfig.from(
                Map.of(
                    "SLACK_CLIENT_ID",
                    "1.2",
                    "SLACK_CLIENT_SECRET",
                    clientSecrets,
                    "SLACK_SIGNING_SECRET",
                    SlackRequests.SECRET,
                    "SLACK_API_URL",
                    slack.apiUrl().toString(),
                    "SLACK_INSTALLATIONS",
                    accepted))
            .orElseThrow();
    var node =
        SlackSurfaces.of(
            config, clock, URI.create("https://runnel.example.com/"), database.dataSource());
    nodes.add(node);
    node.start();
    return node;
  }

  private static String grant(String team, String token, boolean rotates) {
    return "{'ok':true,'app_id':'A1','access_token':'%s','bot_user_id':'U%s','scope':'chat:write',%s'team':{'id':'%s','name':'Team %s'}}"
        .formatted(
            token,
            team,
            rotates ? "'expires_in':43200,'refresh_token':'refresh-of-%s',".formatted(token) : "",
            team,
            team);
  }

  private Html install(String team, String token, boolean rotates) {
    slack.says("oauth.v2.access", grant(team, token, rotates));
    return comesBack("code");
  }

  private Html comesBack(String code) {
    return begun().comesBack(code);
  }

  /// A browser on its way to Slack.
  private record Begun(SlackSurface surface, HttpUrl address, String setCookie) {
    String asked(String name) {
      return Optional.ofNullable(address.queryParameter(name)).orElseThrow();
    }

    Html comesBack(String code) {
      return page(surface, SlackInstaller.REDIRECT)
          .show(
              Map.of("code", code, "state", asked("state")),
              _ -> setCookie.replaceAll("^[^=]+=([^;]+);.*", "$1"));
    }
  }

  private static PlatformPage page(SlackSurface surface, String path) {
    return Objects.requireNonNull(surface.pages().get(path));
  }

  private Begun begun() {
    var page = page(surface, SlackInstaller.INSTALL).show(Map.of(), _ -> "");
    assertThat(page.status()).isEqualTo(302);
    return new Begun(
        surface,
        Optional.ofNullable(page.headers().get("Location")).map(HttpUrl::get).orElseThrow(),
        Optional.ofNullable(page.headers().get("Set-Cookie")).orElseThrow());
  }

  private Posting post(SlackSurface node, String team) {
    return node.post(
        new Notice(
            new NoticeId("notice"),
            new Conversation(SlackPlace.SURFACE, team + "/C1/1795240915.000008"),
            new Update.Message(new Actor("U1", "ann"), "Passed on.", false),
            Origin.NONE,
            clock.instant(),
            0),
        null);
  }

  private List<String> tokens() {
    return slack.calls("chat.postMessage").stream().map(ScriptedSlack.Call::token).toList();
  }

  private long renewals() {
    return slack.calls("oauth.v2.access").stream()
        .filter(it -> it.field("grant_type").equals("refresh_token"))
        .count();
  }

  @Nested
  class AnInstallation {
    @Test
    void installationBeginsWithTheManifestsScopesAndItsOwnState() {
      var begun = begun();

      assertThat(begun.address().encodedPath()).isEqualTo("/oauth/v2/authorize");
      assertThat(begun.asked("scope")).contains("chat:write", "commands");
      assertThat(begun.asked("redirect_uri"))
          .isEqualTo("https://runnel.example.com/slack/oauth_redirect");
      assertThat(begun.setCookie())
          .contains("; Secure", "; HttpOnly", "; SameSite=Lax", "Path=/slack/oauth_redirect")
          .doesNotContain(begun.asked("state"));
    }

    @Test
    void unacceptedWorkspaceIsNotServedAndItsPageSaysWhatToDo() {
      surface = node("client-secret", "T2");
      assertThat(install("T1", "xoxb-1", false).html())
          .contains("policy.installations.slack", "<code>T1</code>")
          .doesNotContain("xoxb-1");
      assertThat(surface.check())
          .singleElement()
          .satisfies(it -> assertThat(it.text()).contains("not served", "add T1 to"));

      assertThat(surface.senders().admit(start("T1")))
          .isInstanceOfSatisfying(
              Admission.Refused.class,
              it -> assertThat(it.words()).contains("add T1 to policy.installations.slack"));
      assertThat(slack.calls("users.info")).isEmpty();
    }

    @Test
    void acceptedWorkspaceServesItsOwnFullMembers() {
      install("T1", "xoxb-1", false);
      install("T2", "xoxb-2", false);
      slack.says("users.info", "{'ok':true,'user':{'id':'U0ANN','team_id':'T1'}}");
      assertThat(surface.senders().admit(start("T1"))).isEqualTo(Admission.ADMITTED);

      slack.says("users.info", "{'ok':true,'user':{'id':'U0ANN','team_id':'T1'}}");
      assertThat(surface.senders().admit(start("T2"))).isInstanceOf(Admission.Outsider.class);
    }

    @Test
    void unknownWorkspaceIsNotServed() {
      assertThat(surface.senders().admit(start("T9"))).isInstanceOf(Admission.Refused.class);
    }

    @Test
    void checkSaysHowToAcceptAWorkspaceIfNoneIsAccepted() {
      surface = node("client-secret", "");
      assertThat(surface.status()).contains("serves no workspace yet");
      assertThat(surface.check().getFirst().isOk()).isFalse();
      assertThat(surface.check().getFirst().text()).contains("policy.installations.slack");
    }

    private Delivery start(String team) {
      return new Delivery(
          new DeliveryId("slack:1"),
          "slash:1",
          SlackPlace.outsideThreads(team, "C0DEV", "1").conversation(),
          new Actor("U0ANN", "ann"),
          new Intent.Start(Request.of("fix it")),
          true,
          Origin.NONE,
          clock.instant());
    }

    @Test
    void eachWorkspaceIsPostedToWithItsOwnToken() {
      assertThat(install("T1", "xoxb-1", false).html())
          .contains("Runnel is in Team T1")
          .doesNotContain("xoxb-1");
      install("T2", "xoxb-2", false);

      post(surface, "T1");
      post(surface, "T2");
      post(node("client-secret"), "T1");

      assertThat(tokens()).containsExactly("xoxb-1", "xoxb-2", "xoxb-1");
    }

    @Test
    void viewsAreOpenedWithTheTokenOfTheirWorkspace() {
      install("T1", "xoxb-1", false);
      install("T2", "xoxb-2", false);

      show("T2", "U1/~home", new Screen.Preferences(Level.ME, List.of()));
      show(
          "T2",
          "U1/~home",
          new Screen.Home(
              List.of(), List.of(), List.of(), 0, List.of(), List.of(), clock.instant()));

      assertThat(slack.calls("views.open")).extracting(it -> it.token()).containsExactly("xoxb-2");
      assertThat(slack.calls("views.publish"))
          .extracting(it -> it.token())
          .containsExactly("xoxb-2");
    }

    private void show(String team, String key, Screen screen) {
      surface.post(
          new Notice(
              new NoticeId("notice"),
              new Conversation(SlackPlace.SURFACE, team + "/" + key),
              new Update.Screened(new Actor("U1", "ann"), screen),
              new Origin(Optional.empty(), Optional.of("trigger:1.2.a"), Optional.empty(), false),
              clock.instant(),
              0),
          null);
    }

    @Test
    void reactionsAreSetWithTheTokenOfTheirWorkspace() {
      install("T1", "xoxb-1", false);
      install("T2", "xoxb-2", false);

      assertThat(signs("T2")).isInstanceOf(Posting.Posted.class);
      assertThat(signs("T1")).isInstanceOf(Posting.Posted.class);

      assertThat(slack.calls("reactions.add"))
          .extracting(ScriptedSlack.Call::token)
          .containsExactly("xoxb-2", "xoxb-1");
      assertThat(slack.calls("reactions.remove"))
          .extracting(ScriptedSlack.Call::token)
          .containsExactly("xoxb-2", "xoxb-1");
    }

    private Posting signs(String team) {
      return surface.post(
          new Notice(
              new NoticeId("sign"),
              new Conversation(SlackPlace.SURFACE, team + "/C1/1795240915.000008"),
              new Update.Received(
                  new PostRef("C1/1795240915.000008"),
                  MessageStatus.RUNNING,
                  Set.of(MessageStatus.TAKEN)),
              Origin.NONE,
              clock.instant(),
              0),
          null);
    }

    @Test
    void repeatedInstallationReplacesTheToken() {
      install("T1", "xoxb-1", false);
      install("T1", "xoxb-2", false);

      post(surface, "T1");

      assertThat(tokens()).containsExactly("xoxb-2");
    }

    @Test
    void installationForAWholeOrganisationIsRefused() {
      slack.says(
          "oauth.v2.access",
          "{'ok':true,'is_enterprise_install':true,'access_token':'xoxb-org','team':null,"
              + "'enterprise':{'id':'E1','name':'Big'}}");

      assertThat(comesBack("code").html()).contains("Please choose one workspace");
    }

    @Test
    void lateAuthorizationCodeIsNotExchanged() {
      var begun = begun();
      clock.advance(OAuthState.LIFE);

      assertThat(begun.comesBack("code").status()).isEqualTo(400);
      assertThat(slack.calls("oauth.v2.access")).isEmpty();
    }

    @Test
    void failedInstallationShowsAPlainReason() {
      slack.refuses("oauth.v2.access", "bad_client_secret");
      assertThat(comesBack("code").html()).contains("SLACK_CLIENT_SECRET");

      slack.says("oauth.v2.access", ScriptedSlack.status(503));
      assertThat(comesBack("code").html()).contains("try again in a minute");

      slack.refuses("oauth.v2.access", "<script>");
      assertThat(comesBack("code").html()).doesNotContain("<script>");
    }
  }

  @Nested
  class AWorkspaceThatIsNotThere {
    @Test
    void postToAMissingWorkspaceSaysHowToInstallAgain() {
      assertThat(post(surface, "T1"))
          .isEqualTo(
              new Posting.Undeliverable(
                  "The Slack app is no longer installed in this workspace. Install it again:"
                      + " https://runnel.example.com/slack/install"));
      assertThat(slack.calls("chat.postMessage")).isEmpty();
    }

    @Test
    void workspaceIsForgottenIfSlackRefusesItsToken() {
      install("T1", "xoxb-1", false);
      slack.refuses("chat.postMessage", "account_inactive");

      assertThat(post(surface, "T1")).isInstanceOf(Posting.Undeliverable.class);
      assertThat(post(surface, "T1")).isInstanceOf(Posting.Undeliverable.class);

      assertThat(tokens()).hasSize(1);
    }

    @Test
    void workspaceIsForgottenIfItUninstallsTheApp() {
      install("T1", "xoxb-1", false);
      clock.advance(Duration.ofMinutes(1));

      tells("app_uninstalled", "", clock.instant());

      await().until(() -> post(surface, "T1") instanceof Posting.Undeliverable);
    }

    @Test
    void workspaceIsKeptIfTheEventIsOlderOrAboutAPersonsToken() {
      var before = clock.instant();
      clock.advance(Duration.ofMinutes(1));
      install("T1", "xoxb-1", false);
      install("T2", "xoxb-2", false);

      tells("app_uninstalled", "", before);
      tells("tokens_revoked", ",\"tokens\":{\"oauth\":[\"U9\"],\"bot\":[]}", clock.instant());
      install("T3", "xoxb-3", false);
      tells("T3", "tokens_revoked", ",\"tokens\":{\"bot\":[\"UT3\"]}", clock.instant());

      await().until(() -> post(surface, "T3") instanceof Posting.Undeliverable);
      assertThat(post(surface, "T1")).isInstanceOf(Posting.Posted.class);
    }

    private void tells(String type, String more, Instant at) {
      tells("T1", type, more, at);
    }

    private void tells(String team, String type, String more, Instant at) {
      var body =
          "{\"type\":\"event_callback\",\"team_id\":\"%s\",\"event_time\":%d,\"event\":{\"type\":\"%s\"%s}}"
              .formatted(team, at.getEpochSecond(), type, more);
      assertThat(
              surface
                  .receive(SlackRequests.signed(body.getBytes(StandardCharsets.UTF_8)))
                  .reply()
                  .status())
          .isEqualTo(200);
    }
  }

  @Nested
  class ATokenThatExpires {
    @BeforeEach
    void rotates() {
      install("T1", "xoxb-1", true);
    }

    @Test
    void expiringTokenIsRenewedInTimeAndOnceForAllNodes() {
      var other = node("client-secret");
      clock.advance(Duration.ofHours(9));
      post(surface, "T1");
      assertThat(renewals()).isZero();

      clock.advance(Duration.ofHours(2));
      slack.says("oauth.v2.access", grant("T1", "xoxb-2", true));
      post(surface, "T1");
      post(other, "T1");

      assertThat(tokens()).containsExactly("xoxb-1", "xoxb-2", "xoxb-2");
      assertThat(renewals()).isOne();
    }

    @Test
    void tokenIsUsedAndRenewedLaterIfTheRenewalFails() {
      clock.advance(Duration.ofHours(11));
      slack.says("oauth.v2.access", ScriptedSlack.status(503));
      post(surface, "T1");
      post(surface, "T1");
      assertThat(renewals()).isOne();

      clock.advance(Duration.ofMinutes(2));
      slack.says("oauth.v2.access", grant("T1", "xoxb-2", true));
      post(surface, "T1");

      assertThat(tokens()).containsExactly("xoxb-1", "xoxb-1", "xoxb-2");
    }

    @Test
    void unrenewableTokenWorksUntilItExpiresAndThenNeedsAPerson() {
      clock.advance(Duration.ofHours(11));
      slack.refuses("oauth.v2.access", "invalid_refresh_token");
      assertThat(post(surface, "T1")).isInstanceOf(Posting.Posted.class);

      clock.advance(Duration.ofHours(2));
      slack.refuses("oauth.v2.access", "invalid_refresh_token");
      assertThat(post(surface, "T1"))
          .isInstanceOfSatisfying(
              Posting.Undeliverable.class, it -> assertThat(it.why()).contains("Install it again"));
    }
  }

  @Nested
  class TheClientSecret {
    @BeforeEach
    void installed() {
      install("T1", "xoxb-1", false);
    }

    @Test
    void clientSecretCanBeRotated() {
      node("new-secret,client-secret");

      post(node("new-secret"), "T1");

      assertThat(tokens()).containsExactly("xoxb-1");
    }

    @Test
    void wrongClientSecretAsksForANewInstallation() {
      var node = node("other-secret");

      assertThat(post(node, "T1"))
          .isInstanceOfSatisfying(
              Posting.Undeliverable.class, it -> assertThat(it.why()).contains("Install the app"));
      assertThat(node.check())
          .singleElement()
          .satisfies(it -> assertThat(it.isOk()).isFalse())
          .satisfies(it -> assertThat(it.text()).startsWith("Team T1 (T1): its token"));
    }

    @Test
    void databaseContainsNeitherTokensNorTheClientSecret() {
      assertThat(
              database.<Optional<String>>read(
                  rows ->
                      rows.first(
                          "SELECT sealed FROM slack_installations", row -> row.getString(1))))
          .hasValueSatisfying(it -> assertThat(it).doesNotContain("xoxb", "secret"));
    }
  }
}
