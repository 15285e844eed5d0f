package dev.runnel.app.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.settings.Connections;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Settings;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class GuidesTest {
  private static Facts facts(String... namesAndValues) {
    var facts = new Facts(Map.of());
    for (int i = 0; i < namesAndValues.length; i += 2) {
      facts = facts.with(namesAndValues[i], namesAndValues[i + 1]);
    }
    return facts;
  }

  private static String asked(Step step) {
    assertThat(step).isInstanceOf(Step.Ask.class);
    return ((Step.Ask) step).name();
  }

  private static String checked(Step step) {
    assertThat(step).isInstanceOf(Step.Check.class);
    return ((Step.Check) step).name();
  }

  @Nested
  class OfSlack {
    private final Guide guide =
        new SlackGuide(
            url -> "# secret plans\nmanifest for " + url.map(Object::toString).orElse("a socket"));

    @Test
    void guideRequestsTheTransportFirst() {
      assertThat(asked(guide.next(facts()))).isEqualTo("transport");
    }

    @Test
    void appTokenSelectsTheSocketTransport() {
      assertThat(guide.next(facts("SLACK_APP_TOKEN", "xapp-1")))
          .isEqualTo(new Step.AddFacts(Map.of("transport", "socket")));
    }

    @Test
    void theLinkCarriesTheManifestForTheTransport() {
      var overSocket = (Step.Instruct) guide.next(facts("transport", "socket"));
      var overHttp =
          (Step.Instruct)
              guide.next(
                  facts("transport", "http", "RUNNEL_PUBLIC_URL", "https://agents.acme.dev"));

      assertThat(String.join("\n", overSocket.lines()))
          .contains("https://api.slack.com/apps?new_app=1&manifest_yaml=manifest+for+a+socket");
      assertThat(String.join("\n", overHttp.lines()))
          .contains("manifest_yaml=manifest+for+https%3A%2F%2Fagents.acme.dev")
          .doesNotContain("plans");
    }

    @Test
    void tokensAreReadWithoutAnEcho() {
      var bot = (Step.Ask) guide.next(facts("transport", "socket", "app", "told"));
      var app =
          (Step.Ask)
              guide.next(facts("transport", "socket", "SLACK_BOT_TOKEN", "xoxb-1", "bot", "Acme"));

      assertThat(bot.name()).isEqualTo("SLACK_BOT_TOKEN");
      assertThat(app.name()).isEqualTo("SLACK_APP_TOKEN");
      assertThat(bot.kind()).isEqualTo(Step.Ask.Kind.SECRET);
      assertThat(app.kind()).isEqualTo(Step.Ask.Kind.SECRET);
      assertThat(bot.form().matcher("xoxp-1").matches()).isFalse();
    }

    @Test
    void nothingIsSavedBeforeTheSocketOpened() {
      var known =
          facts(
              "transport", "socket",
              "SLACK_BOT_TOKEN", "xoxb-1",
              "SLACK_APP_TOKEN", "xapp-1",
              "bot", "Acme");

      assertThat(checked(guide.next(known))).isEqualTo("socket open");
      assertThat(guide.next(known.with("socket open", "it opens"))).isInstanceOf(Step.Save.class);
    }

    @Test
    void httpConnectionIsTestedAfterTheStart() {
      var saved =
          facts(
              "transport", "http",
              "RUNNEL_PUBLIC_URL", "https://agents.acme.dev",
              "SLACK_BOT_TOKEN", "xoxb-1",
              "SLACK_SIGNING_SECRET", "0123456789abcdef",
              "bot", "Acme",
              "saved", "saved");

      assertThat(asked(guide.next(saved))).isEqualTo("started");
      assertThat(checked(guide.next(saved.with("started", "")))).isEqualTo("way back");
    }

    @Test
    void testMessageIsOptional() {
      var open =
          facts(
              "transport", "socket",
              "SLACK_BOT_TOKEN", "xoxb-1",
              "SLACK_APP_TOKEN", "xapp-1",
              "bot", "Acme",
              "socket open", "it opens",
              "saved", "saved");

      assertThat(asked(guide.next(open))).isEqualTo("channel");
      assertThat(guide.next(open.with("channel", ""))).isInstanceOf(Step.Finished.class);
      assertThat(checked(guide.next(open.with("channel", "#dev")))).isEqualTo("message");
    }

    @Test
    void guideEndsForAnAppWithManyWorkspaces() {
      assertThat(guide.next(facts("SLACK_CLIENT_ID", "1.2"))).isInstanceOf(Step.Finished.class);
    }
  }

  @Nested
  class OfGitHub {
    private final Guide guide = guide(Connections.NONE);

    private static Guide guide(Connections stored) {
      return new GitHubGuide(
          new KnownEnvironments(
              Settings.read(Map.of(), Optional.empty(), Map.of(RunnelSettings.DATA, "/none")),
              stored));
    }

    @Test
    void theLinkFillsInTheFormOfATokenForTheOwner() {
      var forAll = (Step.Instruct) guide.next(facts("repository", "acme"));
      var toClone =
          (Step.Instruct)
              guide.next(facts("repository", "acme/shop", "clone", "yes", "push", "no"));
      var toPush =
          (Step.Instruct)
              guide.next(facts("repository", "acme/shop", "clone", "yes", "push", "yes"));

      assertThat(String.join("\n", forAll.lines()))
          .contains("personal-access-tokens/new?name=Runnel&target_name=acme&issues=write")
          .doesNotContain("contents");
      assertThat(String.join("\n", toClone.lines())).contains("&contents=read", "Contents: read.");
      assertThat(String.join("\n", toPush.lines()))
          .contains("&contents=write", "Contents: read and write.");
    }

    @Test
    void aCloneIsSuggestedAndPushingIsNot() {
      var clone = (Step.Ask) guide.next(facts("repository", "acme/shop"));
      var push = (Step.Ask) guide.next(facts("repository", "acme/shop", "clone", "yes"));

      assertThat(clone.name()).isEqualTo("clone");
      assertThat(clone.defaultValue()).isEqualTo("yes");
      assertThat(push.name()).isEqualTo("push");
      assertThat(push.defaultValue()).isEqualTo("no");
      assertThat(push.question()).contains("whoever may start runs can change the repository");
      assertThat(guide.next(facts("repository", "acme/shop", "clone", "no")))
          .isInstanceOf(Step.Instruct.class);
    }

    @Test
    void earlierAnswerIsNotRequestedAgain() {
      var declined = guide(Connections.NONE.without("acme/shop"));
      var accepted =
          guide(
              Connections.NONE.with(
                  "acme/shop",
                  "shop",
                  new Connections.Clone("https://github.com/acme/shop.git", true)));

      assertThat(declined.next(facts("repository", "acme/shop")))
          .isEqualTo(new Step.AddFacts(Map.of("clone", "no")));
      assertThat(accepted.next(facts("repository", "Acme/Shop")))
          .isEqualTo(new Step.AddFacts(Map.of("clone", "yes", "push", "yes")));
      assertThat(accepted.next(facts("repository", "acme/shop", "push", "no")))
          .isEqualTo(new Step.AddFacts(Map.of("clone", "yes")));
    }

    @Test
    void aCloneIsSavedOnlyIfTheTokenMayReadIt() {
      var known =
          facts(
              "repository", "acme/shop",
              "clone", "yes",
              "push", "no",
              "GITHUB_TOKEN", "ghp_1",
              "token works", "of runnel",
              "full name", "Acme/shop",
              "RUNNEL_PUBLIC_URL", "https://agents.acme.dev",
              "GITHUB_WEBHOOK_SECRET", "an-older-secret-1");

      assertThat(checked(guide.next(known))).isEqualTo("readable");
      assertThat(guide.next(known.with("readable", "yes").with("saved", "saved")))
          .isEqualTo(new Step.SaveClone("clone saved", "Acme/shop", true, false));
      assertThat(asked(guide.next(known.with("readable", "").with("saved", "saved"))))
          .isEqualTo("started");
    }

    @Test
    void webhookSecretIsGenerated() {
      var known =
          facts(
              "repository", "acme",
              "GITHUB_TOKEN", "ghp_1",
              "token works", "of runnel",
              "RUNNEL_PUBLIC_URL", "https://agents.acme.dev",
              "fresh secret", "0123456789abcdef0123");

      assertThat(guide.next(known))
          .isEqualTo(new Step.AddFacts(Map.of("GITHUB_WEBHOOK_SECRET", "0123456789abcdef0123")));
    }

    @Test
    void existingWebhookSecretIsKept() {
      var known =
          facts(
              "repository", "acme",
              "GITHUB_TOKEN", "ghp_1",
              "token works", "of runnel",
              "RUNNEL_PUBLIC_URL", "https://agents.acme.dev",
              "GITHUB_WEBHOOK_SECRET", "an-older-secret-1");

      assertThat(guide.next(known)).isInstanceOf(Step.Save.class);
    }

    @Test
    void webhookIsCreatedOnceRunnelAnswersAtItsAddress() {
      var saved =
          facts(
              "repository", "acme",
              "GITHUB_TOKEN", "ghp_1",
              "token works", "of runnel",
              "RUNNEL_PUBLIC_URL", "https://agents.acme.dev",
              "GITHUB_WEBHOOK_SECRET", "an-older-secret-1",
              "saved", "saved",
              "started", "");

      assertThat(checked(guide.next(saved))).isEqualTo("way back");
      var answered = saved.with("way back", "Runnel answers");
      assertThat(checked(guide.next(answered))).isEqualTo("webhook");
      var hooked = answered.with("webhook", "7");
      assertThat(guide.next(hooked)).isInstanceOf(Step.Save.class);
      assertThat(checked(guide.next(hooked.with("hooks saved", "saved")))).isEqualTo("delivery");
    }

    @Test
    void guideEndsForAGitHubApp() {
      assertThat(guide.next(facts("GITHUB_APP_ID", "7"))).isInstanceOf(Step.Finished.class);
    }
  }
}
