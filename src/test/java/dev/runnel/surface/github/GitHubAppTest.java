package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mockwebserver3.MockResponse;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Runnel as a GitHub App.
class GitHubAppTest {
  private static final JsonMapper JSON = new JsonMapper();

  private final SettableClock clock = new SettableClock();
  private final FakeGitHubApp github = new FakeGitHubApp(clock);
  private TrackerSurface<?> surface;

  @TempDir Path folder;

  @BeforeEach
  void open() {
    github.install("acme/shop", 7);
    surface = surface(settings());
  }

  @AfterEach
  void close() {
    github.close();
  }

  private Map<String, String> settings() {
    return new HashMap<>(
        Map.of(
            "GITHUB_WEBHOOK_SECRET",
            Deliveries.SECRET,
            "GITHUB_APP_ID",
            FakeGitHubApp.APP,
            "GITHUB_PRIVATE_KEY",
            github.bareKey(),
            "GITHUB_API_URL",
            github.address().toString(),
            "GITHUB_INSTALLATIONS",
            "acme, other"));
  }

  private TrackerSurface<?> surface(Map<String, String> settings) {
    return GitHub.surface(GitHubConfig.from(settings).orElseThrow(), new OkHttpClient(), clock);
  }

  private Posting post(String issue) {
    return surface.post(
        new Notice(
            new NoticeId("n1"),
            new Conversation(surface.id(), issue),
            Updates.TOLD,
            Origin.NONE,
            clock.instant(),
            0),
        null);
  }

  private static void assertPosted(Posting posting) {
    assertThat(posting).isInstanceOf(Posting.Posted.class);
  }

  @Nested
  class Tokens {
    @Test
    void theInstallationIsLookedUpOnceAndItsTokenKept() {
      assertPosted(post("acme/shop#1"));
      assertPosted(post("acme/shop#2"));

      assertThat(github.calls())
          .containsExactly(
              "GET /repos/acme/shop/installation app",
              "POST /app/installations/7/access_tokens app",
              "POST /repos/acme/shop/issues/1/comments 7",
              "POST /repos/acme/shop/issues/2/comments 7");
    }

    @Test
    void deliveryProvidesItsInstallationId() {
      surface.receive(
          Deliveries.golden(
              "recorded-comment",
              body -> {
                ((ObjectNode) body.path("repository")).put("full_name", "acme/shop");
                body.putObject("installation").put("id", 7);
              }));
      assertPosted(post("acme/shop#1"));

      assertThat(github.calls().getFirst())
          .isEqualTo("POST /app/installations/7/access_tokens app");
    }

    @Test
    void everyInstallationHasItsOwnToken() {
      github.install("other/shop", 8);
      assertPosted(post("acme/shop#1"));
      assertPosted(post("other/shop#1"));

      assertThat(github.calls())
          .contains(
              "POST /repos/acme/shop/issues/1/comments 7",
              "POST /repos/other/shop/issues/1/comments 8");
    }

    @Test
    void eachInstallationHasARateLimitOfItsOwn() {
      var limits = surface.limits();
      var here = new Conversation(surface.id(), "Acme/shop#1");

      assertThat(limits.rateLimit(here)).isEqualTo("github:acme");
      assertThat(limits.rateLimit(new Conversation(surface.id(), "other/shop#1")))
          .isEqualTo("github:other");
      assertThat(limits.editBudget(here)).contains(new PostingLimits.EditBudget("github:acme", 5));
    }

    @Test
    void tokenIsRenewedBeforeItExpires() {
      assertPosted(post("acme/shop#1"));
      clock.advance(Duration.ofMinutes(54));
      assertPosted(post("acme/shop#2"));
      clock.advance(Duration.ofMinutes(2));
      assertPosted(post("acme/shop#3"));

      assertThat(github.calls().stream().filter(call -> call.contains("access_tokens"))).hasSize(2);
      assertThat(github.calls()).noneMatch(call -> call.endsWith("nobody"));
    }

    @Test
    void rejectedTokenIsRenewedOnce() {
      assertPosted(post("acme/shop#1"));
      github.revokeAll();
      assertPosted(post("acme/shop#2"));

      assertThat(github.calls().stream().filter(call -> call.endsWith("nobody"))).hasSize(1);
      assertThat(github.calls().getLast()).isEqualTo("POST /repos/acme/shop/issues/2/comments 7");
    }

    @Test
    void reinstalledAppIsFound() {
      assertPosted(post("acme/shop#1"));
      github.revokeAll();
      github.install("acme/shop", 9);

      assertPosted(post("acme/shop#2"));
    }

    @Test
    void postingFailsWhereTheAppIsNotInstalled() {
      assertThat(post("stranger/shop#1")).isInstanceOf(Posting.Undeliverable.class);
    }

    @ParameterizedTest
    @CsvSource({"403", "429"})
    void rateLimitOfATokenRequestDelaysThePost(int status) {
      github.answersTokens(
          Optional.of(
              new MockResponse.Builder().code(status).addHeader("Retry-After", "77").build()));

      assertThat(post("acme/shop#1"))
          .isInstanceOfSatisfying(
              Posting.Later.class,
              later -> assertThat(later.after()).contains(Duration.ofSeconds(77)));
    }

    @Test
    void wrongPrivateKeyIsReportedWhenPostingAndByTheDoctor() {
      try (var another = new FakeGitHubApp(clock)) {
        var settings = settings();
        settings.put("GITHUB_PRIVATE_KEY", another.key());
        surface = surface(settings);

        assertThatThrownBy(() -> post("acme/shop#1")).isInstanceOf(CredentialRefused.class);
        assertThat(surface.check().getFirst().text())
            .isEqualTo(
                "GitHub does not accept the app. Look at GITHUB_APP_ID and its private key.");
      }
    }

    @Test
    void validPrivateKeyPassesTheCheck() {
      assertThat(surface.check()).containsExactly(ConnectionCheck.OK);
      assertThat(github.calls()).containsExactly("GET /app app");
    }
  }

  @Nested
  class CatchingUp {
    private static final String LIST = "GET /app/hook/deliveries";

    private ObjectNode attempt(long id, String guid, String event, int status) {
      return JSON.createObjectNode()
          .put("id", id)
          .put("guid", guid)
          .put("event", event)
          .put("status_code", status)
          .put("delivered_at", clock.instant().plusSeconds(id).toString());
    }

    private void read(long id, String golden) {
      var detail = JSON.createObjectNode();
      detail.putObject("request").set("payload", Deliveries.json(Deliveries.golden(golden)));
      github.answers(LIST + "/" + id, detail);
    }

    @Test
    void failedDeliveryIsReadUnderItsOriginalId() {
      read(3, "recorded-comment");
      read(4, "recorded-labeled");
      var list = JSON.createArrayNode();
      list.add(attempt(9, "g-got-through-later", "issue_comment", 202));
      list.add(attempt(8, "g-noise", "star", 500));
      list.add(attempt(4, "g-label", "issues", 0));
      list.add(attempt(3, "g-comment", "issue_comment", 502));
      list.add(attempt(2, "g-got-through-later", "issue_comment", 503));
      list.add(attempt(-9, "g-long-ago", "issue_comment", 503));
      github.answers(LIST, list);

      var missed = (MissedDeliveries.Listed) surface.missed().since(clock.instant(), List.of());

      assertThat(missed.all())
          .extracting(each -> each.delivery().id())
          .containsExactly(new DeliveryId("github:g-comment"), new DeliveryId("github:g-label"));
      assertThat(missed.all().getLast().delivery().intent()).isInstanceOf(Intent.Start.class);
      assertThat(missed.all()).allMatch(MissedDeliveries.ListedDelivery::sameMeaning);
      assertThat(github.calls())
          .containsExactly("GET /app app", LIST + " app", LIST + "/3 app", LIST + "/4 app");
    }

    @Test
    void manyFailedDeliveriesAreReadOldestFirstOverSeveralChecks() {
      var list = JSON.createArrayNode();
      for (var id = 250; id > 0; id--) {
        list.add(attempt(id, "g-" + id, "issue_comment", 503));
        read(id, "recorded-comment");
      }
      github.answers(LIST, list);

      var first = (MissedDeliveries.Listed) surface.missed().since(clock.instant(), List.of());
      var rest = first.continueAt().orElseThrow();
      var second = (MissedDeliveries.Listed) surface.missed().since(rest, List.of());

      assertThat(ids(first)).hasSize(200).startsWith("github:g-1").endsWith("github:g-200");
      assertThat(ids(second)).hasSize(50).startsWith("github:g-201").endsWith("github:g-250");
      assertThat(second.continueAt()).isEmpty();
    }

    @Test
    void failedDeliveriesOfOneInstantAreReadTogether() {
      var list = JSON.createArrayNode();
      list.add(attempt(300, "g-300", "issue_comment", 503));
      var sameTime = clock.instant().plusSeconds(1).toString();
      for (var id = 250; id > 0; id--) {
        list.add(attempt(id, "g-" + id, "issue_comment", 503).put("delivered_at", sameTime));
        read(id, "recorded-comment");
      }
      github.answers(LIST, list);

      var first = (MissedDeliveries.Listed) surface.missed().since(clock.instant(), List.of());

      assertThat(ids(first)).hasSize(250);
      assertThat(first.continueAt()).contains(clock.instant().plusSeconds(300));
    }

    private static List<String> ids(MissedDeliveries.Listed missed) {
      return missed.all().stream().map(each -> each.delivery().id().value()).toList();
    }

    @Test
    void catchUpFailsIfTheTokenIsRejected() {
      var settings = settings();
      settings.keySet().removeAll(List.of("GITHUB_APP_ID", "GITHUB_PRIVATE_KEY"));
      settings.put("GITHUB_TOKEN", "a-token");
      settings.put("GITHUB_HOOKS", "acme/shop/5, acme/6");
      surface = surface(settings);

      assertThatThrownBy(() -> surface.missed().since(clock.instant(), List.of()))
          .isInstanceOf(CredentialRefused.class);
      assertThat(github.calls()).containsExactly("GET /user nobody");
    }
  }

  /// Anybody on GitHub may install an app.
  @Nested
  class AnAccount {
    private void accepts(String accounts) {
      var settings = settings();
      settings.put("GITHUB_INSTALLATIONS", accounts);
      surface = surface(settings);
    }

    private WebhookResult receives(String repository) {
      return surface.receive(
          Deliveries.golden(
              "recorded-comment",
              body -> ((ObjectNode) body.path("repository")).put("full_name", repository)));
    }

    @Test
    void acceptedAccountIsServedRegardlessOfCase() {
      accepts("Acme");
      assertThat(receives("acme/shop")).isInstanceOf(WebhookResult.Accepted.class);
    }

    @ParameterizedTest
    @CsvSource({"acme, evil/acme", "acme, acme-labs/shop", "'', acme/shop"})
    void accountThatIsNotAcceptedIsNotServed(String accepted, String repository) {
      accepts(accepted);

      assertThat(receives(repository)).isInstanceOf(WebhookResult.Answered.class);
      assertThat(github.calls()).isEmpty();
    }

    @Test
    void accountNoLongerAcceptedIsTurnedAwayWithoutACall() {
      var delivery = ((WebhookResult.Accepted) receives("acme/shop")).delivery();
      accepts("other");

      assertThat(surface.senders().admit(delivery)).isInstanceOf(Admission.TurnedAway.class);
      assertThat(github.calls()).isEmpty();
    }

    @Test
    void checkExplainsHowToAcceptAnAccount() {
      accepts("");
      assertThat(surface.check().getFirst().text()).contains("policy.installations.github");
    }
  }

  @Nested
  class Settings {
    @Test
    void privateKeyIsReadFromAFileOrAOneLineVariable() throws Exception {
      var file = Files.writeString(folder.resolve("key.pem"), github.key());
      var settings = settings();
      settings.remove("GITHUB_PRIVATE_KEY");
      settings.put("GITHUB_PRIVATE_KEY_FILE", file.toString());
      surface = surface(settings);
      assertPosted(post("acme/shop#1"));

      settings.remove("GITHUB_PRIVATE_KEY_FILE");
      settings.put("GITHUB_PRIVATE_KEY", github.bareKey().replace("\n", "\\n"));
      surface = surface(settings);
      assertPosted(post("acme/shop#2"));
    }

    @ParameterizedTest
    @CsvSource({
      "GITHUB_APP_ID, '', GITHUB_APP_ID is missing",
      "GITHUB_PRIVATE_KEY, '', GITHUB_PRIVATE_KEY_FILE is missing",
      "GITHUB_WEBHOOK_SECRET, '', GITHUB_WEBHOOK_SECRET is missing",
      "GITHUB_TOKEN, ghp_token, GITHUB_TOKEN and a GitHub App are both set",
      "GITHUB_PRIVATE_KEY_FILE, key.pem, GITHUB_PRIVATE_KEY and GITHUB_PRIVATE_KEY_FILE are both"
          + " set",
      "GITHUB_PRIVATE_KEY, c2VjcmV0, GITHUB_PRIVATE_KEY is not a private key",
      "GITHUB_ACCESS, boss, GITHUB_ACCESS must be",
      "GITHUB_INSTALLATIONS, acme/shop, GITHUB_INSTALLATIONS needs",
      "GITHUB_HOOKS, acme/shop, GITHUB_HOOKS lists",
      "GITHUB_HOOKS, acme/../5, GITHUB_HOOKS lists",
    })
    void missingOrMalformedSettingIsNamed(String name, String value, String why) {
      var settings = settings();
      settings.put(name, value);

      assertThatIllegalArgumentException()
          .isThrownBy(() -> GitHubConfig.from(settings))
          .withMessageStartingWith(why)
          .withMessageNotContaining("c2VjcmV0");
    }

    @Test
    void missingKeyFileIsNamed() {
      var settings = settings();
      settings.remove("GITHUB_PRIVATE_KEY");
      settings.put("GITHUB_PRIVATE_KEY_FILE", folder.resolve("nowhere.pem").toString());

      assertThatIllegalArgumentException()
          .isThrownBy(() -> GitHubConfig.from(settings))
          .withMessageContaining("cannot be read")
          .withMessageContaining("nowhere.pem");
    }

    @Test
    void theKeyIsNeverShown() {
      var config = GitHubConfig.from(settings()).orElseThrow();

      assertThat(config + " " + config.identity())
          .doesNotContain(github.bareKey().substring(40, 60));
    }
  }
}
