package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.Tasks;
import java.net.URI;
import java.util.List;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What becomes a delivery, and what does not.
class GitHubPayloadsTest {
  private final TrackerSurface<?> surface = surface("agent");

  private static TrackerSurface<?> surface(String label) {
    return GitHub.surface(
        GitHubConfigs.withToken(
            List.of(Deliveries.SECRET),
            "a-token",
            URI.create("https://api.github.example"),
            Settings.of(label, "agent")),
        new OkHttpClient(),
        new SettableClock());
  }

  private Delivery accepted(RawRequest request) {
    assertThat(surface.receive(request)).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) surface.receive(request)).delivery();
  }

  private void assertAnswered(RawRequest request) {
    var webhookResult = surface.receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
    assertThat(webhookResult.reply().status()).isBetween(200, 299);
  }

  @Nested
  class Labels {
    @Test
    void theTriggerLabelIsADeliveryWithItsIssue() {
      var delivery = accepted(Deliveries.golden("recorded-labeled"));

      assertThat(delivery.id().value()).matches("github:[0-9a-f-]{36}");
      assertThat(delivery.conversation()).isEqualTo(new Conversation(surface.id(), "dana/shop#1"));
      assertThat(delivery.actor()).isEqualTo(new Actor("dana", "dana"));
      assertThat(delivery.addressed()).isTrue();
      assertThat(delivery.origin().link())
          .contains(URI.create("https://github.example/dana/shop/issues/1"));
      assertThat(delivery.origin().opensThread()).isFalse();
    }

    @Test
    void repositoryAndOrganisationHooksHaveTheSameMeaning() {
      var request = Deliveries.golden("recorded-labeled");

      var once = accepted(request);
      var again = accepted(Deliveries.with(request, "x-github-delivery", "another"));

      assertThat(again.id()).isNotEqualTo(once.id());
      assertThat(again.meaning()).isEqualTo(once.meaning());
    }

    @Test
    void labelAddedAgainLaterIsAnotherStart() {
      var once = accepted(labeled("agent"));
      var later =
          accepted(
              Deliveries.golden(
                  "recorded-labeled",
                  body ->
                      ((ObjectNode) body.path("issue")).put("updated_at", "2026-11-22T00:00:00Z")));

      assertThat(later.meaning()).isNotEqualTo(once.meaning());
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "Agent", "AGENT"})
    void triggerLabelMatchesInAnyCase(String name) {
      assertThat(accepted(labeled(name)).intent()).isInstanceOf(Intent.Start.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"agents", "agent x", "my agent", "agent:", "agent: ", "age", "İgent:x"})
    void otherLabelsAreIgnored(String name) {
      assertAnswered(labeled(name));
    }

    @Test
    void labelSuffixSelectsAProfile() {
      var start = (Intent.Start) accepted(labeled("AGENT:Big Machine")).intent();

      assertThat(start.request().options().profile()).contains("Big Machine");
    }

    @Test
    void gitHubExampleStartsARunIfItsLabelIsTheTrigger() {
      var bugs = surface("bug");

      assertThat(bugs.receive(Deliveries.golden("vendor-issues-labeled")))
          .isInstanceOfSatisfying(
              WebhookResult.Accepted.class,
              accepted ->
                  assertThat(accepted.delivery().intent())
                      .isEqualTo(Tasks.workOn("issue", "Spelling error in the README file")));
      assertThat(bugs.receive(Deliveries.golden("vendor-issues-unlabeled")))
          .isInstanceOf(WebhookResult.Accepted.class);
    }

    @Test
    void anotherLabelAddedOrRemovedDoesNothing() {
      assertAnswered(Deliveries.golden("recorded-labeled-otherwise"));
      assertAnswered(
          Deliveries.golden(
              "recorded-unlabeled", body -> ((ObjectNode) body.path("label")).put("name", "bug")));
    }

    @Test
    void aClosedIssueStartsNothing() {
      assertAnswered(
          Deliveries.golden(
              "recorded-labeled",
              body -> ((ObjectNode) body.path("issue")).put("state", "closed")));
    }

    @Test
    void stopWithoutACommentIsNotAddressedToUs() {
      for (var name : List.of("recorded-unlabeled", "recorded-closed", "vendor-issues-deleted")) {
        assertThat(accepted(Deliveries.golden(name)).addressed()).isFalse();
      }
    }

    @Test
    void runContinuesWhileATriggerLabelRemains() {
      assertAnswered(
          Deliveries.golden(
              "recorded-unlabeled",
              body ->
                  ((ArrayNode) body.path("issue").path("labels"))
                      .addObject()
                      .put("name", "agent:fast")));
    }

    @Test
    void anIssueFormThatSetsTheLabelForAStrangerStartsNothing() {
      assertAnswered(
          Deliveries.golden(
              "recorded-labeled",
              body -> ((ObjectNode) body.path("issue")).put("author_association", "NONE")));
    }

    @Test
    void aMaintainerMayLabelAStrangersIssue() {
      accepted(
          Deliveries.golden(
              "recorded-labeled",
              body -> {
                var issue = (ObjectNode) body.path("issue");
                issue.put("author_association", "NONE");
                ((ObjectNode) issue.path("user")).put("login", "stranger");
              }));
    }

    @Test
    void invisibleCharactersOfATitleAreRemovedFromTheTask() {
      var start =
          (Intent.Start)
              accepted(
                      Deliveries.golden(
                          "recorded-labeled",
                          body ->
                              ((ObjectNode) body.path("issue"))
                                  .put("title", "Fix\u200B it\uDB40\uDC41 <!-- and more -->")))
                  .intent();

      assertThat(start.request()).isEqualTo(Tasks.request("issue", "Fix it"));
    }

    private static RawRequest labeled(String name) {
      return Deliveries.golden(
          "recorded-labeled", body -> ((ObjectNode) body.path("label")).put("name", name));
    }
  }

  @Nested
  class Comments {
    @Test
    void aMentionIsADeliveryWithItsComment() {
      var delivery = accepted(Deliveries.golden("recorded-comment"));

      assertThat(delivery.meaning()).isEqualTo("comment:1:created");
      assertThat(delivery.addressed()).isTrue();
      assertThat(delivery.origin().message()).contains(new PostRef("dana/shop#1/1"));
      assertThat(delivery.origin().link())
          .contains(URI.create("https://github.example/dana/shop/issues/1#issuecomment-1"));
    }

    @ParameterizedTest
    @CsvSource({
      "OWNER, true",
      "MEMBER, true",
      "COLLABORATOR, true",
      "CONTRIBUTOR, true",
      "FIRST_TIMER, false",
      "FIRST_TIME_CONTRIBUTOR, false",
      "MANNEQUIN, false",
      "NONE, false",
      "INVENTED_LATER, false",
    })
    void onlyCommentsOfPossibleMembersAreAccepted(String association, boolean heard) {
      var request =
          Deliveries.golden(
              "recorded-comment",
              body -> ((ObjectNode) body.path("comment")).put("author_association", association));

      assertThat(surface.receive(request) instanceof WebhookResult.Accepted).isEqualTo(heard);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bot", "Organization", "Mannequin", "user", ""})
    void commentsOfAccountsThatAreNotPeopleAreIgnored(String type) {
      for (var account : List.of("sender", "comment")) {
        assertAnswered(
            Deliveries.golden(
                "recorded-comment",
                body -> {
                  var user = account.equals("sender") ? body : body.path("comment");
                  ((ObjectNode) user.path(account.equals("sender") ? "sender" : "user"))
                      .put("type", type);
                }));
      }
    }

    @Test
    void commentOfAPersonWithABotLikeNameIsAccepted() {
      accepted(
          Deliveries.golden(
              "recorded-comment",
              body -> ((ObjectNode) body.path("sender")).put("login", "friendly-bot")));
    }

    @Test
    void commentWrittenByAnAppForAPersonIsIgnored() {
      assertAnswered(
          Deliveries.golden(
              "recorded-comment",
              body ->
                  ((ObjectNode) body.path("comment"))
                      .putObject("performed_via_github_app")
                      .put("id", 1)));
    }

    @Test
    void commentQuotingOurPostIsAcceptedAsTheirs() {
      var delivery =
          accepted(Deliveries.comment("> done\n> <!-- runnel:notice=n1 -->\n\n@agent go on"));

      assertThat(delivery.intent()).isEqualTo(new Intent.Say(Request.of("go on")));
    }

    @Test
    void asideIsIgnored() {
      assertAnswered(Deliveries.comment("@agent // what do you all think?"));
    }

    @Test
    void commentOptionsAndCommandsAreParsed() {
      assertThat(accepted(Deliveries.comment("@agent --env staging fix it")).intent())
          .isInstanceOfSatisfying(
              Intent.Say.class,
              say -> assertThat(say.request().options().environment()).contains("staging"));
      assertThat(accepted(Deliveries.comment("/agent help")).intent()).isEqualTo(new Intent.Help());
    }
  }
}
