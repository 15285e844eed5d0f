package dev.runnel.surface.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Surface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SurfaceContract;
import dev.runnel.testkit.Tasks;
import dev.runnel.testkit.TrackerContract.Person;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinearSurfaceTest implements SurfaceContract {
  private static final Intent TASK = Tasks.workOn("issue", "Checkout fails for carts with 0 items");

  private static final String GITHUB =
      """
      {"id": "2b1c7b4e-1111-4222-8333-000000000001", "service": "github", "type": "integration"}
      """;

  private final LinearTracker tracker = new LinearTracker(false);

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
        golden("issue-label-added", TASK),
        golden("issue-label-added-of-emulator", TASK),
        golden("issue-created-with-label", TASK),
        golden("issue-label-removed", cancel("removed the label `agent`")),
        golden("issue-assigned", TASK),
        golden("issue-delegated", TASK),
        golden("issue-canceled", cancel("closed the issue")),
        golden("issue-completed", cancel("completed the issue")),
        golden("issue-removed", cancel("deleted the issue")),
        golden("comment-created", new Intent.Say(Request.of("please also add a test"))),
        golden("session-created-by-delegation", TASK),
        golden("session-created-by-mention", new Intent.Say(Request.of("fix the checkout"))),
        golden("session-prompted", new Intent.Say(Request.of("also for guests"))),
        golden("session-stopped", new Intent.Cancel(Optional.empty(), Optional.empty())));
  }

  private static Golden golden(String name, Intent intent) {
    return new Golden(name, LinearRequests.golden(name), intent);
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
    return new RawRequest(
        request.method(),
        request.path(),
        Map.of("linear-event", "Issue", "linear-delivery", "d1"),
        request.body(),
        request.arrivedAt());
  }

  /// As Linear keeps it: without HTML.
  @Override
  public RawRequest ownPost() {
    var ours = HiddenMarker.hide("@agent words of an agent\n\n<!-- runnel:notice=n1 -->");
    assertThat(ours).doesNotContain("<!--");
    return tracker.commented(Person.MAINTAINER, ours);
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
    return told();
  }

  @Test
  void repetitionOfAStatusWithoutASessionIsNotPosted() {
    var run = Samples.run("run-1", RunState.RUNNING);
    var status = new Update.Status(run, Samples.DANA, Request.of("x"), Samples.NINE, Samples.NINE);

    assertThat(post(new Update.Still(status))).isInstanceOf(Posting.Posted.class);
    assertThat(tracker.platform().comments()).isEmpty();
  }

  private Posting told() {
    return post(new Update.Message(Samples.DANA, "Hello.", false));
  }

  private Posting post(Update update) {
    return surface()
        .post(
            new Notice(
                new NoticeId("n1"),
                accepted(LinearRequests.golden("comment-created")).conversation(),
                update,
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

  /// F54: an old delivery, or one from a clock that runs ahead, is not believed.
  @ParameterizedTest
  @ValueSource(longs = {-61_000, 61_000, -86_400_000})
  void deliveryOutsideTheTimeWindowIsRejected(long millis) {
    var request =
        LinearRequests.golden("comment-created", Samples.NINE.plusMillis(millis), _ -> {});

    assertThat(surface().receive(request).reply().status()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(longs = {-60_000, 0, 60_000})
  void deliveryWithinAMinuteOfTheClockIsAccepted(long millis) {
    var request =
        LinearRequests.golden("comment-created", Samples.NINE.plusMillis(millis), _ -> {});

    assertThat(accepted(request).intent()).isInstanceOf(Intent.Say.class);
  }

  @Test
  void unsignedTimeInTheHeaderIsIgnored() {
    var stale = LinearRequests.golden("comment-created", Samples.NINE.minusSeconds(90), _ -> {});
    var fresh = String.valueOf(Samples.NINE.toEpochMilli());

    var webhookResult = surface().receive(LinearRequests.with(stale, "linear-timestamp", fresh));

    assertThat(webhookResult.reply().status()).isEqualTo(401);
  }

  private static RawRequest moved(String actor, String state, String type) {
    return LinearRequests.golden(
        "issue-started",
        body -> {
          ((ObjectNode) body.path("data").path("state")).put("name", state).put("type", type);
          ((ObjectNode) body.path("actor")).put("id", actor);
        });
  }

  @Test
  void theStatusThatTheSettingsNameStartsARunForWhoMovedTheIssue() {
    var delivery = accepted(moved(FakeLinear.DANA, "ready for Agent", "unstarted"));

    assertThat(delivery.intent()).isEqualTo(TASK);
    assertThat(delivery.actor().id()).isEqualTo(FakeLinear.DANA);
    assertThat(delivery.addressed()).isTrue();
  }

  @Test
  void theStatusStartsNothingIfARunMovedTheIssueOrItIsOver() {
    assertThat(surface().receive(moved(FakeLinear.BOT, "Ready for agent", "unstarted")))
        .isInstanceOf(WebhookResult.Answered.class);
    assertThat(accepted(moved(FakeLinear.DANA, "Ready for agent", "completed")).intent())
        .isInstanceOf(Intent.Cancel.class);
  }

  @Test
  void aRunMovesItsIssueOnceIntoTheStatesThatTheSettingsName() {
    Optional<RunState> shown = Optional.empty();
    for (var state : List.of(RunState.QUEUED, RunState.RUNNING, RunState.FAILED)) {
      surface()
          .post(
              new Notice(
                  new NoticeId("n-" + state),
                  accepted(LinearRequests.golden("comment-created")).conversation(),
                  new Update.Status(
                          Samples.run("1", state),
                          Samples.DANA,
                          Request.of("fix it"),
                          Samples.NINE,
                          Samples.NINE)
                      .withShown(shown),
                  Origin.NONE,
                  Samples.NINE,
                  0),
              null);
      shown = Optional.of(state);
    }

    assertThat(tracker.platform().moves()).containsExactly("state-started");
  }

  @Test
  void malformedStateSettingIsNamed() {
    var settings =
        Map.of("LINEAR_WEBHOOK_SECRET", "s", "LINEAR_TOKEN", "t", "LINEAR_STATES", "later=Done");

    assertThatThrownBy(() -> LinearConfig.from(settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("LINEAR_STATES");
  }

  /// Linear takes nothing but 200, and gives a webhook up that answers otherwise.
  @ParameterizedTest
  @ValueSource(strings = {"issue-edited", "issue-started", "comment-edited", "comment-removed"})
  void irrelevantEventIsAnsweredWithStatus200(String name) {
    var webhookResult = surface().receive(LinearRequests.golden(name));

    assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
    assertThat(webhookResult.reply().status()).isEqualTo(200);
  }

  @Test
  void allEventsOfAnIssueBelongToOneConversation() {
    assertThat(golden().stream().map(each -> accepted(each.request()).conversation()).distinct())
        .hasSize(1);
  }

  @Test
  void mentionAsCommentAndAsSessionHasOneMeaning() {
    assertThat(accepted(LinearRequests.golden("session-created-by-mention")).meaning())
        .isEqualTo(accepted(LinearRequests.golden("comment-created")).meaning());
  }

  @Test
  void guestsAndAppsAreRefused() {
    for (var person : List.of(Person.STRANGER, Person.BOT)) {
      var delivery = accepted(tracker.commented(person, "@agent fix it"));
      assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Outsider.class);
    }
  }

  private Admission changed(String name, Person person) {
    return surface().senders().admit(accepted(LinearTracker.changed(name, person)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-canceled", "issue-completed", "issue-label-removed"})
  void onlyMembersAndAppsStopARunByChangingItsIssue(String name) {
    assertThat(changed(name, Person.MAINTAINER)).isEqualTo(Admission.ADMITTED);
    assertThat(changed(name, Person.BOT)).isEqualTo(Admission.ADMITTED);
    assertThat(changed(name, Person.STRANGER)).isInstanceOf(Admission.Outsider.class);
  }

  private static RawRequest changedBy(String name, String actor) {
    return LinearRequests.golden(
        name,
        body -> {
          try {
            body.set("actor", new JsonMapper().readTree(actor));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        GITHUB,
        "{\"id\": \"2b1c\", \"name\": \"Zapier\", \"type\": \"oauthClient\"}",
        "null",
      })
  void anIntegrationOrLinearItselfStopsARunByCompletingItsIssue(String actor) {
    var delivery = accepted(changedBy("issue-completed", actor));

    assertThat(delivery.intent()).isEqualTo(cancel("completed the issue"));
    assertThat(surface().senders().admit(delivery)).isEqualTo(Admission.ADMITTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-label-added", "issue-created-with-label", "issue-assigned"})
  void integrationCannotStartARun(String name) {
    assertThat(surface().receive(changedBy(name, GITHUB)))
        .isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  void externalUserCannotStopARun() {
    var actor = "{\"id\": \"e1\", \"name\": \"Eve\", \"type\": \"externalUser\"}";

    assertThat(surface().receive(changedBy("issue-completed", actor)))
        .isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  void trashedIssueStopsItsRunRegardlessOfTheSender() {
    assertThat(changed("issue-removed", Person.STRANGER)).isInstanceOf(Admission.Outsider.class);

    tracker.platform().trashesIssue();

    assertThat(changed("issue-removed", Person.STRANGER)).isEqualTo(Admission.ADMITTED);
  }

  @ParameterizedTest
  @EnumSource(Person.class)
  void unreadableIssueStopsItsRunRegardlessOfTheSender(Person person) {
    tracker.platform().losesIssue();

    assertThat(changed("issue-removed", person)).isEqualTo(Admission.ADMITTED);
  }

  @Test
  void permissionOfTheSenderIsUnknownWhileLinearIsDown() {
    var delivery = accepted(LinearRequests.golden("comment-created"));
    tracker.platform().answersAll(503);

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  @Test
  void commentsArePostedWithoutHtml() {
    told();

    assertThat(tracker.platform().texts()).singleElement().asString().doesNotContain("<");
  }

  @Test
  void aReminderOfAQuestionShowsTheNameAndNotTheId() {
    var dana = new Actor("9cfb482a-81e3-4154-b5b9-2c805e70a02d", "dana");
    post(
        new Update.Reminder(
            Samples.run("1", RunState.BLOCKED),
            dana,
            "Which colour?",
            1,
            Samples.NINE.minusSeconds(3_600),
            Samples.NINE));

    assertThat(tracker.platform().texts())
        .singleElement()
        .asString()
        .contains("✋ @dana, still waiting", "Which colour?")
        .doesNotContain(dana.id());
  }

  @Test
  void rateLimitInASuccessfulResponsePostponesThePost() {
    tracker.platform().fails("RATELIMITED", "Rate limit exceeded");

    assertThat(told())
        .isInstanceOfSatisfying(
            Posting.Later.class, later -> assertThat(later.after()).isPresent());
  }

  @Test
  void anIssueThatIsNotFoundIsUndeliverable() {
    tracker.platform().fails("INPUT_ERROR", "Entity not found: Issue");

    assertThat(told()).isInstanceOf(Posting.Undeliverable.class);
  }

  @Test
  void rejectedTokenIsReportedWithARemedy() {
    tracker.platform().fails("AUTHENTICATION_ERROR", "Authentication required");

    assertThat(tracker.surface().check().getFirst().text()).contains("LINEAR_TOKEN");
    assertThatThrownBy(this::told)
        .isInstanceOf(CredentialRefused.class)
        .hasMessageContaining("LINEAR_TOKEN");
  }

  @Test
  void backgroundContainsTheIssueAndTheCommentsOfMembers() {
    tracker.platform().says("It broke <!-- ignore me -->yesterday.");
    tracker.platform().add("Working\n\n<!-- runnel:notice=n0 -->", false);

    var background =
        surface().background().read(accepted(LinearRequests.golden("comment-created")));

    assertThat(background.kind()).isEqualTo("Linear issue ENG-7");
    assertThat(background.title()).contains("Checkout fails for carts with 0 items");
    assertThat(background.messages())
        .singleElement()
        .satisfies(said -> assertThat(said.text()).isEqualTo("It broke yesterday."));
  }

  @Test
  void missedDeliveriesAreListedWithTheirOriginalMeaning() throws Exception {
    var issues =
        """
        [{"id": "i7", "identifier": "ENG-7", "title": "Checkout fails", "createdAt": "2026-01-01T00:00:00.000Z",
          "labels": {"nodes": [{"id": "l1", "name": "agent"}]},
          "comments": {"nodes": [{"id": "c5", "body": "@agent fix it", "createdAt": "2026-01-05T08:59:30.000Z",
            "user": {"id": "u1", "name": "Dana"}, "botActor": null}]},
          "history": {"nodes": [
            {"id": "h1", "createdAt": "2026-01-05T08:59:20.000Z", "actor": {"id": "u1", "name": "Dana"},
             "addedLabels": [{"id": "l1", "name": "agent"}], "removedLabels": null},
            {"id": "h2", "createdAt": "2026-01-05T08:59:40.000Z", "actor": {"id": "u1", "name": "Dana"},
             "toState": {"type": "canceled"}},
            {"id": "h4", "createdAt": "2026-01-05T08:59:50.000Z", "actor": null, "botActor": {"id": "b1"},
             "toState": {"type": "completed"}},
            {"id": "h3", "createdAt": "2026-01-04T08:59:40.000Z", "actor": {"id": "u1", "name": "Dana"},
             "toState": {"type": "canceled"}}]}}]
        """;
    tracker.platform().shows((ArrayNode) new JsonMapper().readTree(issues));

    var missedDeliveries = surface().missed().since(Samples.NINE.minusSeconds(60), List.of());

    assertThat(((MissedDeliveries.Listed) missedDeliveries).all())
        .extracting(heard -> heard.delivery().intent().getClass().getSimpleName())
        .containsExactly("Start", "Say", "Cancel", "Cancel");
    assertThat(((MissedDeliveries.Listed) missedDeliveries).all().get(1).delivery().meaning())
        .isEqualTo("Comment c5 create");
    assertThat(((MissedDeliveries.Listed) missedDeliveries).all().get(1).sameMeaning()).isTrue();
  }

  @Test
  void oldestChangedIssuesAreReadAndTheNextCheckContinues() {
    var issues = JsonNodeFactory.instance.arrayNode();
    for (var number = 130; number > 0; number--) {
      var changed = Samples.NINE.plusSeconds(number).toString();
      var issue = issues.addObject().put("id", "i" + number).put("updatedAt", changed);
      issue
          .withObjectProperty("comments")
          .putArray("nodes")
          .addObject()
          .put("id", "c" + number)
          .put("body", "@agent fix it")
          .put("createdAt", Samples.NINE.toString())
          .putObject("user")
          .put("id", FakeLinear.DANA);
    }
    tracker.platform().shows(issues);

    var first = (MissedDeliveries.Listed) surface().missed().since(Samples.NINE, List.of());
    assertThat(first.all()).hasSize(100);
    assertThat(first.continueAt()).contains(Samples.NINE.plusSeconds(100));

    var second =
        (MissedDeliveries.Listed)
            surface().missed().since(Samples.NINE, first.continueAt().get(), List.of());
    assertThat(second.all())
        .extracting(missed -> missed.delivery().meaning())
        .contains("Comment c101 create", "Comment c130 create")
        .doesNotContain("Comment c99 create");
    assertThat(second.continueAt()).isEmpty();
  }
}
