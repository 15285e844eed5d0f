package dev.runnel.surface.linear;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is asked in an agent session is answered there, as activities.
class AgentSessionTest {
  private static final URI SESSION = URI.create("https://runnel.example/runs/1");

  private final LinearTracker tracker = new LinearTracker(true);
  private final FakeLinear linear = tracker.platform();

  @AfterEach
  void close() {
    tracker.close();
  }

  @Test
  void receiptIsAnEphemeralThought() {
    var message = created().origin().message().orElseThrow();

    post("n1", new Update.Received(message), 0);

    assertThat(linear.activities())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.content().path("type").asText()).isEqualTo("thought");
              assertThat(each.fleeting()).isTrue();
            });
    assertThat(linear.comments()).isEmpty();
    assertThat(linear.reactions()).isEmpty();
  }

  @Test
  void progressIsPostedAsAnActionAndTheLinkOnlyOnce() {
    post("n1", status(RunState.RUNNING), 0);
    post("n2", status(RunState.RUNNING), 0);

    assertThat(types()).containsExactly("action", "action");
    assertThat(linear.activities().getFirst().content().path("parameter").asText())
        .startsWith("All is well. · ");
    assertThat(linear.activities()).allMatch(FakeLinear.Activity::fleeting);
    assertThat(linear.links()).containsExactly(SESSION.toString());
  }

  @Test
  void thePlanOfTheSessionFollowsTheRunAndIsSetOnlyWhenItChanges() {
    post("n1", status(RunState.QUEUED), 0);
    post("n2", status(RunState.RUNNING), 0);
    post("n3", status(RunState.RUNNING), 0);
    var run = run(RunState.SUCCEEDED);
    post("n4", new Update.Succeeded(run, Samples.DANA, Samples.NINE, Samples.NINE), 0);

    assertThat(linear.plans())
        .containsExactly(
            "inProgress pending pending",
            "completed inProgress pending",
            "completed completed completed");
  }

  @Test
  void stopClosesAllStepsOfThePlan() {
    post("n1", status(RunState.RUNNING), 0);
    post("n2", new Update.Cancelled(run(RunState.CANCELLED), Samples.DANA), 0);

    assertThat(linear.plans().getLast()).isEqualTo("completed canceled canceled");
  }

  /// Linear shows a session as stale after 30 minutes.
  @Test
  void aRunThatReportsNothingRenewsItsSession() {
    var running = (Update.Status) status(RunState.RUNNING);
    var waiting = (Update.Status) status(RunState.BLOCKED);
    assertThat(tracker.surface().limits().statusLifetime(created().conversation()))
        .contains(Duration.ofMinutes(25));

    post("n1", new Update.Still(running), 0);
    post("n2", new Update.Still(waiting), 0);

    assertThat(linear.activities()).singleElement().matches(FakeLinear.Activity::fleeting);
  }

  @Test
  void missedEventsOfASessionMeanWhatTheirWebhooksWouldHaveMeant() throws Exception {
    linear.showsSessions(
        (ArrayNode)
            new JsonMapper()
                .readTree(
                    """
                    [
                      {"id": "4d23d4ad-b4bb-4ef1-853f-c9c03439d37d", "updatedAt": "2026-01-05T08:59:59.200Z",
                       "createdAt": "2026-01-05T08:59:59.100Z", "appUser": {"id": "%1$s"},
                       "creator": {"id": "%2$s", "name": "Dana Reyes"}, "comment": null, "sourceComment": null,
                       "issue": {"id": "3f1d2a6e-0c51-4b0e-9a51-0d2a8f3b7c01", "title": "Checkout fails"},
                       "activities": {"nodes": [
                         {"id": "7a1f0c55-90f1-4f0d-8f55-1b2f6f0d9a01", "createdAt": "2026-01-05T08:59:59.200Z",
                          "signal": null, "user": {"id": "%2$s", "name": "Dana Reyes"}, "sourceComment": null,
                          "content": {"type": "prompt", "body": "also for guests"}}]}},
                      {"id": "s2", "updatedAt": "2026-01-05T08:59:58.000Z", "createdAt": "2026-01-05T08:59:58.000Z",
                       "appUser": {"id": "%1$s"}, "creator": {"id": "%2$s", "name": "Dana Reyes"},
                       "comment": {"id": "c0", "body": "@runnel-bot hi"}, "sourceComment": {"id": "c1"},
                       "issue": {"id": "i8", "title": "Login fails"},
                       "activities": {"nodes": [
                         {"id": "a1", "createdAt": "2026-01-05T08:59:58.500Z", "user": {"id": "%2$s"},
                          "content": {"type": "prompt", "body": "@runnel-bot hi"}}]}},
                      {"id": "s3", "updatedAt": "2026-01-05T08:59:57.000Z", "createdAt": "2026-01-05T08:59:57.000Z",
                       "appUser": {"id": "another-app"}, "creator": {"id": "%2$s"}, "issue": {"id": "i9"}},
                      {"id": "s4", "updatedAt": "2026-01-05T08:00:00.000Z", "createdAt": "2026-01-05T08:59:57.000Z",
                       "appUser": {"id": "%1$s"}, "creator": {"id": "%2$s"}, "issue": {"id": "i10"}}
                    ]
                    """
                        .formatted(FakeLinear.BOT, FakeLinear.DANA)));

    var missed =
        ((MissedDeliveries.Listed)
                tracker.surface().missed().since(Samples.NINE.minusSeconds(60), List.of()))
            .all();

    assertThat(missed).allMatch(MissedDeliveries.ListedDelivery::sameMeaning);
    assertThat(missed)
        .extracting(each -> each.delivery().meaning())
        .containsExactly(
            "Comment c1 create",
            created().meaning(),
            accepted(LinearRequests.golden("session-prompted")).meaning());
    assertThat(missed.get(1).delivery().intent()).isInstanceOf(Intent.Start.class);
    assertThat(missed.get(1).delivery().origin().message()).isEqualTo(created().origin().message());
    assertThat(missed.get(2).delivery().intent())
        .isEqualTo(new Intent.Say(Request.of("also for guests")));
  }

  /// Linear reads the session's state from its last activity.
  @ParameterizedTest
  @EnumSource(
      value = RunState.class,
      names = {"BLOCKED", "SUCCEEDED", "FAILED", "CANCELLED"})
  void statusOfAWaitingOrEndedRunPostsNoActivity(RunState state) {
    post("n1", status(state), 0);

    assertThat(linear.activities()).isEmpty();
  }

  @Test
  void questionIsPostedAsAnElicitation() {
    post("n1", new Update.Blocked(run(RunState.BLOCKED), Samples.DANA, "Which colour?"), 0);

    assertThat(types()).containsExactly("elicitation");
    assertThat(body(0)).isEqualTo("Which colour?");
  }

  @Test
  void theAnswerIsAResponseWithItsPullRequests() {
    var run = run(RunState.SUCCEEDED);
    post("n1", new Update.Succeeded(run, Samples.DANA, Samples.NINE, Samples.NINE), 0);

    assertThat(types()).containsExactly("response");
    assertThat(body(0)).contains("All is well.", "https://github.com/dana/shop/pull/1");
    assertThat(linear.activities().getFirst().fleeting()).isFalse();
  }

  @Test
  void failureIsPostedAsAnError() {
    post("n1", new Update.Failed(run(RunState.FAILED), Samples.DANA, "Out of memory.", true), 0);

    assertThat(types()).containsExactly("error");
    assertThat(body(0)).contains("Out of memory.", "retry");
  }

  @Test
  void aFailureForItsCostOffersNoReply() {
    var run = run(RunState.FAILED).withIsOverBudget(true);
    post("n1", new Update.Failed(run, Samples.DANA, "One run may cost $5.00.", false), 0);

    assertThat(body(0)).contains("may cost $5.00.").doesNotContain("Reply", "Retrying");
  }

  @Test
  void aStopIsConfirmedWithAResponse() {
    post("n1", new Update.Cancelled(run(RunState.CANCELLED), Samples.DANA), 0);

    assertThat(types()).containsExactly("response");
  }

  @Test
  void anActivityWhoseAnswerWasLostIsFoundByItsId() {
    var told = new Update.Message(Samples.DANA, "Hello.", false);
    linear.losesNextAnswer();
    assertThat(post("n1", told, 0)).isInstanceOf(Posting.Later.class);

    assertThat(post("n1", told, 1)).isInstanceOf(Posting.Posted.class);

    assertThat(linear.activities()).hasSize(1);
    assertThat(linear.activities().getFirst().id())
        .matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  }

  @Test
  void stopSignalStopsTheRunRegardlessOfItsText() {
    var delivery = accepted(LinearRequests.golden("session-stopped"));

    assertThat(delivery.intent()).isEqualTo(new Intent.Cancel(Optional.empty(), Optional.empty()));
    assertThat(delivery.addressed()).isTrue();
  }

  /// Linear tells of a delegation twice: the issue changed, and a session was opened.
  @Test
  void delegationStartsOneRunThroughItsSession() {
    assertThat(tracker.surface().receive(LinearRequests.golden("issue-delegated")))
        .isInstanceOf(WebhookResult.Answered.class);
    assertThat(created().intent()).isInstanceOf(Intent.Start.class);
  }

  /// The mention is `agent` and our app is called otherwise, so the comment opened no session.
  @Test
  void mentionUnknownToLinearIsAcceptedAsAComment() {
    assertThat(accepted(tracker.commented(Person.MAINTAINER, "@agent fix it")).intent())
        .isEqualTo(new Intent.Say(Request.of("fix it")));
  }

  @Test
  void commentsOfOurOwnAppAreIgnored() {
    var request =
        LinearRequests.golden(
            "comment-created", body -> ((ObjectNode) body.path("actor")).put("id", FakeLinear.BOT));

    assertThat(tracker.surface().receive(request)).isInstanceOf(WebhookResult.Answered.class);
    assertThat(tracker.surface().receive(tracker.commented(Person.MAINTAINER, "/agent stop")))
        .isInstanceOf(WebhookResult.Accepted.class);
  }

  private Delivery created() {
    return accepted(LinearRequests.golden("session-created-by-delegation"));
  }

  private Delivery accepted(RawRequest request) {
    var webhookResult = tracker.surface().receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  private Posting post(String id, Update update, int tries) {
    var asked = created();
    return tracker
        .surface()
        .post(
            new Notice(
                new NoticeId(id),
                asked.conversation(),
                update,
                asked.origin(),
                Samples.NINE,
                tries),
            null);
  }

  private static Update status(RunState state) {
    return new Update.Status(
        run(state), Samples.DANA, Request.of("fix it"), Samples.NINE, Samples.NINE);
  }

  private static Run run(RunState state) {
    var run = Samples.run("1", state);
    return Samples.run(
        run.id(),
        run.title(),
        state,
        state.name(),
        Optional.of("All is well."),
        false,
        Optional.of(SESSION),
        List.of(
            new Artifact(
                "Pull request 1", URI.create("https://github.com/dana/shop/pull/1"), true)),
        Optional.empty(),
        Optional.empty(),
        run.updatedAt(),
        run.delivery());
  }

  private List<String> types() {
    return linear.activities().stream().map(each -> each.content().path("type").asText()).toList();
  }

  private String body(int index) {
    return linear.activities().get(index).content().path("body").asText();
  }
}
