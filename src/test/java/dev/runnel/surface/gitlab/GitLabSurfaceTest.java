package dev.runnel.surface.gitlab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.port.Surface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SurfaceContract;
import dev.runnel.testkit.Tasks;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GitLabSurfaceTest implements SurfaceContract {
  private static final Intent TASK = Tasks.workOn("issue", "Checkout fails for carts with 0 items");

  private final GitLabTracker tracker = new GitLabTracker();

  @AfterEach
  void close() {
    tracker.close();
  }

  @Override
  public Surface surface() {
    return tracker.surface();
  }

  @Override
  public List<Golden> golden() {
    return List.of(
        golden("issue-labeled", TASK),
        golden("issue-opened-with-label", TASK),
        golden("issue-assigned", TASK),
        golden("issue-closed", cancel("closed the issue")),
        golden("confidential-issue-labeled", TASK),
        golden("issue-note", new Intent.Say(Request.of("please also add a test"))),
        golden("note-on-a-confidential-issue", new Intent.Say(Request.of("fix it"))),
        golden("merge-request-note", new Intent.Say(Request.of("rebase this"))),
        golden("merge-request-labeled", Tasks.workOn("merge request", "Speed up the cart")),
        golden(
            "merge-request-merged",
            became(PullRequestState.MERGED, Optional.of(cancel("completed the merge request")))),
        golden("merge-request-opened", became(PullRequestState.OPEN, Optional.empty())),
        golden("merge-request-made-a-draft", became(PullRequestState.DRAFT, Optional.empty())));
  }

  private static Intent became(PullRequestState state, Optional<Intent> then) {
    var link = URI.create("https://gitlab.example/acme/web/shop/-/merge_requests/1");
    return new Intent.PullRequestChanged(link, state, Samples.NINE, then);
  }

  private static Golden golden(String name, Intent intent) {
    return new Golden(name, GitLabRequests.golden(name), intent);
  }

  private static Intent cancel(String why) {
    return new Intent.Cancel(Optional.empty(), Optional.of(why));
  }

  @Override
  public RawRequest signed(byte[] body) {
    return tracker.proved(body);
  }

  @Override
  public RawRequest unsigned(RawRequest request) {
    return GitLabRequests.withHeaders(
        request, Map.of("x-gitlab-event", "Note Hook", "idempotency-key", "d1"));
  }

  @Override
  public RawRequest ownPost() {
    return tracker.commented(
        Person.MAINTAINER, "@agent words of an agent\n\n<!-- runnel:notice=n1 -->");
  }

  @Override
  public Posting postWhen(Answer answer) {
    tracker
        .platform()
        .answersAll(
            switch (answer) {
              case TAKEN -> 200;
              case RATE_LIMITED -> 429;
              case DOWN -> 502;
              case GONE -> 404;
            });
    return told(accepted(GitLabRequests.golden("issue-note")).conversation(), "Hello.");
  }

  private Posting told(Conversation conversation, String text) {
    return surface()
        .post(
            new Notice(
                new NoticeId("n1"),
                conversation,
                new Update.Message(Samples.DANA, text, false),
                Origin.NONE,
                Samples.NINE,
                0),
            null);
  }

  private Delivery accepted(RawRequest request) {
    var webhookResult = surface().receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  @Test
  void issueAndMergeRequestWithTheSameNumberAreSeparateConversations() {
    assertThat(accepted(GitLabRequests.golden("issue-note")).conversation().key())
        .isEqualTo("acme/web/shop#1");
    assertThat(accepted(GitLabRequests.golden("merge-request-note")).conversation().key())
        .isEqualTo("acme/web/shop!1");
  }

  @Test
  void otherEventsAreAnsweredWithoutAnEffect() {
    assertThat(surface().receive(GitLabRequests.golden("pipeline")))
        .isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  void agentAnswerContainsNoGitLabCommand() {
    told(accepted(GitLabRequests.golden("issue-note")).conversation(), "Done.\n/close\n");

    assertThat(tracker.platform().comments().getFirst().text()).endsWith("\n\\/close");
  }

  @ParameterizedTest
  @ValueSource(strings = {"---", "+++", ";;;"})
  void agentAnswerContainsNoGitLabFrontMatter(String delimiter) {
    told(
        accepted(GitLabRequests.golden("issue-note")).conversation(),
        delimiter + "\n~~~\n" + delimiter + "\n@lee\n~~~");

    assertThat(tracker.platform().comments().getFirst().text())
        .startsWith("<!-- runnel:notice=n1 -->\n\n" + delimiter + "\n~~~\n");
  }

  @Nested
  class WhatIsConfidential {
    @Test
    void anInternalNoteIsAConversationThatStaysInternal() {
      var asked = accepted(GitLabRequests.golden("internal-note"));
      assertThat(asked.conversation().key()).isEqualTo("acme/web/shop#1+internal");

      told(asked.conversation(), "The key is in the vault.");

      assertThat(tracker.platform().comments())
          .singleElement()
          .satisfies(note -> assertThat(note.hidden()).isTrue());
    }

    @Test
    void noteOnAConfidentialIssueBelongsToItsOrdinaryConversation() {
      assertThat(
              accepted(GitLabRequests.golden("note-on-a-confidential-issue")).conversation().key())
          .isEqualTo("acme/web/shop#1");
    }

    @Test
    void internalNotesAreIncludedOnlyForInternalRequests() {
      tracker.platform().says("It broke yesterday.", false);
      tracker.platform().says("Customer X has it, too.", true);

      var open = surface().background().read(accepted(GitLabRequests.golden("issue-note")));
      var internal = surface().background().read(accepted(GitLabRequests.golden("internal-note")));

      assertThat(open.messages()).extracting("text").containsExactly("It broke yesterday.");
      assertThat(open.leftOut().unpermitted()).isOne();
      assertThat(internal.messages())
          .extracting("text")
          .containsExactly("It broke yesterday.", "Customer X has it, too.");
    }
  }

  @Nested
  class Proof {
    @Test
    void aSecretTokenIsComparedAsAWhole() {
      var byToken = tracker.surface(GitLabRequests.SECRET_TOKEN);
      var request = unsigned(GitLabRequests.golden("issue-note"));

      for (var wrong : List.of("", "a secret", "a secret token ", "é")) {
        assertThat(
                byToken
                    .receive(GitLabRequests.with(request, "x-gitlab-token", wrong))
                    .reply()
                    .status())
            .isEqualTo(401);
      }
      assertThat(
              byToken.receive(
                  GitLabRequests.with(request, "x-gitlab-token", GitLabRequests.SECRET_TOKEN)))
          .isInstanceOf(WebhookResult.Accepted.class);
    }

    @Test
    void signingTokenIsNotAcceptedAsASecretToken() {
      var request =
          GitLabRequests.with(
              unsigned(GitLabRequests.golden("issue-note")),
              "x-gitlab-token",
              GitLabRequests.SIGNING_TOKEN);

      assertThat(surface().receive(request).reply().status()).isEqualTo(401);
    }

    @Test
    void oneOfSeveralSignaturesIsEnough() {
      var request = GitLabRequests.golden("issue-note");
      var signature = request.header("webhook-signature").orElseThrow();

      accepted(GitLabRequests.with(request, "webhook-signature", "v1,other v2,some " + signature));
    }

    @Test
    void deliveryWithoutAnIdUsesTheIdOfItsEvent() {
      assertThat(ofOlderServer("issue-note").id().value()).startsWith("gitlab:0f9e8d7c");
      assertThat(ofOlderServer("issue-note").id()).isEqualTo(ofOlderServer("issue-note").id());
    }

    @Test
    void deliveriesOfDifferentEventsDifferDespiteASharedId() {
      assertThat(ofOlderServer("issue-note").id())
          .isNotEqualTo(ofOlderServer("issue-labeled").id());
    }

    private Delivery ofOlderServer(String name) {
      var request = GitLabRequests.golden(name);
      var headers = new HashMap<>(request.headers());
      headers.remove("idempotency-key");
      headers.remove("webhook-id");
      headers.put("x-gitlab-event-uuid", "0f9e8d7c-0000-4000-8000-000000000001");
      headers.put("x-gitlab-token", GitLabRequests.SECRET_TOKEN);
      var byToken = tracker.surface(GitLabRequests.SECRET_TOKEN);
      var result = byToken.receive(GitLabRequests.withHeaders(request, headers));
      return ((WebhookResult.Accepted) result).delivery();
    }
  }

  @Test
  void permissionOfTheSenderIsUnknownWhileGitLabIsDown() {
    var delivery = accepted(GitLabRequests.golden("issue-note"));
    tracker.platform().answersAll(503);

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  @Test
  void missedDeliveriesAreListedWithTheirOriginalMeaning() {
    var id = tracker.platform().says("@agent fix it", true);
    var conversation = accepted(GitLabRequests.golden("issue-note")).conversation();

    var missedDeliveries =
        surface().missed().since(Samples.NINE.minusSeconds(60), List.of(conversation));

    assertThat(((MissedDeliveries.Listed) missedDeliveries).all())
        .singleElement()
        .satisfies(
            heard -> {
              assertThat(heard.delivery().meaning()).isEqualTo("note " + id + " created");
              assertThat(heard.delivery().conversation().key()).endsWith("+internal");
            });
  }

  @Nested
  class Settings {
    private static final Map<String, String> BOTH =
        Map.of("GITLAB_WEBHOOK_SECRET", "s1, s2", "GITLAB_TOKEN", "glpat-token");

    @Test
    void secretAndTokenAreSufficient() {
      var config = GitLabConfig.from(BOTH).orElseThrow();

      assertThat(config.url()).hasToString("https://gitlab.com");
      assertThat(config.secretTokens()).containsExactly("s1", "s2");
      assertThat(config.toString()).doesNotContain("s1", "glpat");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GITLAB_WEBHOOK_SECRET", "GITLAB_TOKEN"})
    void missingSettingIsNamed(String given) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> GitLabConfig.from(Map.of(given, "hidden")))
          .withMessageContaining("is missing, while " + given)
          .withMessageNotContaining("hidden");
    }

    @ParameterizedTest
    @CsvSource({
      "GITLAB_WEBHOOK_SECRET, whsec_",
      "GITLAB_WEBHOOK_SECRET, whsec_%%%",
      "GITLAB_URL, gitlab.com",
      "GITLAB_ACCESS, everybody",
      "RUNNEL_CANCEL_ON, lunch",
      "RUNNEL_STATE_LABELS, perhaps",
    })
    void aMalformedSettingIsNamed(String name, String value) {
      var settings = new HashMap<>(BOTH);
      settings.put(name, value);

      assertThatIllegalArgumentException()
          .isThrownBy(() -> GitLabConfig.from(settings))
          .withMessageStartingWith(name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Push Hook", "Job Hook"})
  void eventOfAnotherKindIsAnsweredWithoutParsingItsBody(String event) {
    var headers = Map.of("x-gitlab-event", event, "idempotency-key", "d1");

    var result =
        surface()
            .receive(GitLabRequests.signed(headers, "no JSON".getBytes(StandardCharsets.UTF_8)));

    assertThat(result).isInstanceOf(WebhookResult.Answered.class);
    assertThat(result.reply().status()).isEqualTo(204);
  }
}
