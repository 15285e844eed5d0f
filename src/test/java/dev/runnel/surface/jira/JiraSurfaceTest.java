package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.jira.JiraConfig.CommentVisibility;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SurfaceContract;
import dev.runnel.testkit.Tasks;
import dev.runnel.testkit.TrackerContract;
import dev.runnel.testkit.TrackerContract.Person;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JiraSurfaceTest implements SurfaceContract {
  private static final Intent TASK = Tasks.workOn("issue", "Checkout fails for carts with 0 items");
  private static final Conversation SHOP_7 =
      new Conversation(new dev.runnel.core.model.conversation.SurfaceId("jira"), "SHOP-7");

  private final JiraTracker tracker = new JiraTracker(true);

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
        golden("issue-created", TASK),
        golden("issue-assigned", TASK),
        golden("issue-unlabeled", cancel("removed the label `agent`")),
        golden("issue-done", cancel("completed the issue")),
        golden("issue-moved", cancel("moved the issue away")),
        golden("issue-deleted", cancel("deleted the issue")),
        golden("comment-created", new Intent.Say(Request.of("please also add a test"))));
  }

  private static Golden golden(String name, Intent intent) {
    return new Golden(name, JiraRequests.golden(name), intent);
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
    return JiraRequests.at(request, request.path(), Map.of());
  }

  /// As Jira tells of it: in wiki text, without the property that has the marker.
  @Override
  public RawRequest ownPost() {
    post(new Update.Message(Samples.DANA, "@agent words\n/agent of\n\n- @agent an agent", false));
    return tracker.commented(Person.MAINTAINER, WikiText.of(tracker.platform().lastBody()));
  }

  private Posting post(Update update) {
    return post(update, 0);
  }

  private Posting post(Update update, int tries) {
    return surface()
        .post(
            new Notice(new NoticeId("n1"), SHOP_7, update, Origin.NONE, Samples.NINE, tries), null);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503})
  void aPostWhoseAnswerWasLostWaitsUntilItsAuthorCanBeRead(int status) {
    var answer = new Update.Message(Samples.DANA, "Hello.", false);
    tracker.platform().losesNextAnswer();
    assertThat(post(answer)).isInstanceOf(Posting.Later.class);

    tracker.platform().answers("GET /rest/api/3/myself", status);
    assertThat(post(answer, 1)).isInstanceOf(Posting.Later.class);

    tracker.platform().answers("GET /rest/api/3/myself", 200);
    assertThat(post(answer, 2)).isInstanceOf(Posting.Posted.class);
    assertThat(tracker.platform().comments()).hasSize(1);
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
    return post(new Update.Message(Samples.DANA, "Hello.", false));
  }

  private Delivery accepted(RawRequest request) {
    var webhookResult = surface().receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  private boolean isHeard(RawRequest request) {
    return surface().receive(request) instanceof WebhookResult.Accepted;
  }

  // Labels are told all at once, divided by spaces.

  @ParameterizedTest
  @CsvSource({"'', agent", "bug, bug agent", "bug ui, bug ui agent", "bug ui, agent bug ui"})
  void triggerLabelStartsARunInAnyPosition(String before, String after) {
    assertThat(accepted(labels(before, after)).intent()).isInstanceOf(Intent.Start.class);
  }

  @ParameterizedTest
  @CsvSource({"bug agent, agent", "agent, agent bug", "agent bug, bug agent", "agent, agent"})
  void anotherLabelThatComesOrGoesStartsNothing(String before, String after) {
    assertThat(isHeard(labels(before, after))).isFalse();
  }

  private static RawRequest moved(String actor, String category) {
    return JiraRequests.golden(
        "issue-done",
        body -> {
          var status = (ObjectNode) body.path("issue").path("fields").path("status");
          status.put("name", "ready for Agent");
          ((ObjectNode) status.path("statusCategory")).put("key", category);
          ((ObjectNode) body.path("user")).put("accountId", actor);
        });
  }

  @Test
  void theStatusThatTheSettingsNameStartsARunForWhoMovedTheIssue() {
    var delivery = accepted(moved("5b10", "new"));

    assertThat(delivery.intent()).isInstanceOf(Intent.Start.class);
    assertThat(delivery.actor().id()).isEqualTo("5b10");
    assertThat(delivery.addressed()).isTrue();
  }

  @Test
  void theStatusStartsNothingIfARunMovedTheIssueOrItIsOver() {
    assertThat(isHeard(moved(TrackerContract.ACCOUNT, "new"))).isFalse();
    assertThat(accepted(moved("5b10", "done")).intent()).isInstanceOf(Intent.Cancel.class);
  }

  private static RawRequest labels(String before, String after) {
    return JiraRequests.golden(
        "issue-labeled",
        body -> JiraTracker.item(body).put("fromString", before).put("toString", after));
  }

  @Test
  void peopleAreKnownByTheirAccountsEvenWhenTheyHideTheirEmail() {
    var delivery = accepted(JiraRequests.golden("comment-created"));

    assertThat(delivery.actor().id()).isEqualTo("5b10a2844c20165700ede21g");
    assertThat(surface().senders().admit(delivery)).isEqualTo(Admission.ADMITTED);
  }

  @Test
  void emailAddressDoesNotGrantAccess() {
    var delivery =
        accepted(
            JiraRequests.golden(
                "comment-created",
                body ->
                    ((ObjectNode) body.path("comment").path("author"))
                        .put("accountId", "somebody")
                        .put("emailAddress", "dana@acme.example")));

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Outsider.class);
  }

  @Test
  void mentionOfOurAccountByItsIdAddressesUs() {
    var delivery = accepted(tracker.commented(Person.MAINTAINER, "[~accountid:runnel-bot] fix it"));

    assertThat(delivery.intent()).isEqualTo(new Intent.Say(Request.of("fix it")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{code}\n@agent fix it\n{code}",
        "{noformat}\n@agent fix it\n{noformat}",
        "{quote}\n@agent fix it\n{quote}",
        "bq. @agent fix it",
        "* @agent fix it",
      })
  void mentionInCodeQuotesOrListsIsIgnored(String comment) {
    assertThat(isHeard(tracker.commented(Person.MAINTAINER, comment))).isFalse();
  }

  @Test
  void commentWithRestrictedVisibilityIsIgnored() {
    var request =
        JiraRequests.golden(
            "comment-created",
            body ->
                ((ObjectNode) body.path("comment")).putObject("visibility").put("type", "role"));

    assertThat(isHeard(request)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(CommentVisibility.class)
  void customersSeeAnswersOnlyIfConfigured(CommentVisibility comments) {
    try (var desk = new JiraTracker(true, "agent", Set.of(), comments)) {
      var words = new Update.Message(Samples.DANA, "Their key has expired.", false);
      desk.surface()
          .post(new Notice(new NoticeId("n1"), SHOP_7, words, Origin.NONE, Samples.NINE, 0), null);

      assertThat(desk.platform().isLastInternal())
          .isEqualTo(comments == CommentVisibility.INTERNAL);
    }
  }

  @ParameterizedTest
  @EnumSource(CommentVisibility.class)
  void internalCommentIsAcceptedOnlyIfAnswersAreInternal(CommentVisibility comments) {
    try (var desk = new JiraTracker(true, "agent", Set.of(), comments)) {
      var request =
          JiraRequests.golden(
              "comment-created",
              body -> ((ObjectNode) body.path("comment")).put("jsdPublic", false));

      assertThat(desk.surface().receive(request) instanceof WebhookResult.Accepted)
          .isEqualTo(comments == CommentVisibility.INTERNAL);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jira:comment_created", "comment_created"})
  void commentEventIsAcceptedWithAndWithoutThePrefix(String event) {
    assertThat(
            isHeard(
                JiraRequests.golden("comment-created", body -> body.put("webhookEvent", event))))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-edited", "comment-updated", "comment-deleted"})
  void irrelevantEventIsIgnored(String name) {
    assertThat(isHeard(JiraRequests.golden(name))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../7", "shop-7", "SHOP-7?x", "SHOP-0", "SHOP"})
  void invalidIssueKeyIsIgnored(String key) {
    assertThat(
            isHeard(
                JiraRequests.golden(
                    "issue-labeled", body -> ((ObjectNode) body.path("issue")).put("key", key))))
        .isFalse();
  }

  @Test
  void deliveryWithoutAnIdUsesTheHashOfItsBody() {
    var headers = Map.of("content-type", "application/json");
    var body = JiraRequests.GOLDEN.read("issue-labeled").bytes();
    var id = accepted(JiraRequests.signed(headers, body)).id();

    assertThat(id.value()).startsWith("jira:sha256-").hasSize(76);
    assertThat(accepted(JiraRequests.signed(headers, body)).id()).isEqualTo(id);
  }

  // Who may.

  @Test
  void permissionOfTheSenderIsUnknownWhileJiraIsDown() {
    var delivery = accepted(JiraRequests.golden("comment-created"));
    tracker.platform().answersAll(503);

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  @Test
  void nobodyIsAdmittedIfTheTokenCannotReadPermissions() {
    tracker.platform().hides();

    assertThat(surface().senders().admit(accepted(JiraRequests.golden("comment-created"))))
        .isInstanceOf(Admission.Outsider.class);
  }

  @ParameterizedTest
  @CsvSource({
    "5b10a2844c20165700ede21g, true",
    "group:developers, true",
    "group:admins, false",
    "somebody, false",
  })
  void configuredPeopleAndGroupsReplaceThePermissionCheck(String listed, boolean isHeard) {
    try (var listing = new JiraTracker(true, "agent", Set.of(listed))) {
      listing.platform().hides();

      assertThat(
              listing.surface().senders().admit(accepted(JiraRequests.golden("comment-created")))
                  instanceof Admission.Admitted)
          .isEqualTo(isHeard);
    }
  }

  // Who may stop a run by changing its issue.

  private Admission changed(String name, Person person) {
    return surface().senders().admit(accepted(tracker.changed(name, person, _ -> {})));
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-done", "issue-unlabeled", "issue-moved"})
  void issueChangeStopsARunOnlyWithPermissionToStartRuns(String name) {
    assertThat(changed(name, Person.MAINTAINER)).isEqualTo(Admission.ADMITTED);
    assertThat(changed(name, Person.STRANGER)).isInstanceOf(Admission.Outsider.class);
  }

  @Test
  void closingAnIssueStopsTheRunOnlyForListedPeople() {
    try (var listing = new JiraTracker(true, "agent", Set.of("somebody"))) {
      assertThat(listing.surface().senders().admit(accepted(listing.closed())))
          .isInstanceOf(Admission.Outsider.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-done", "issue-unlabeled", "issue-moved"})
  void anAppStopsARunByChangingTheIssue(String name) {
    assertThat(changed(name, Person.BOT)).isEqualTo(Admission.ADMITTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-labeled", "issue-created", "issue-assigned"})
  void appCannotStartARun(String name) {
    assertThat(isHeard(tracker.changed(name, Person.BOT, _ -> {}))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-deleted", "issue-moved"})
  void unreadableIssueStopsItsRunRegardlessOfTheSender(String name) {
    tracker.platform().losesIssue();

    for (var person : Person.values()) {
      assertThat(changed(name, person)).isEqualTo(Admission.ADMITTED);
    }
  }

  @Test
  void deletedIssueStopsItsRunDespiteAListOfPeople() {
    try (var listing = new JiraTracker(true, "agent", Set.of("somebody"))) {
      listing.platform().losesIssue();

      assertThat(listing.surface().senders().admit(accepted(listing.deleted().orElseThrow())))
          .isEqualTo(Admission.ADMITTED);
    }
  }

  @Test
  void permissionForAMovedIssueIsCheckedUnderItsNewKey() {
    tracker.platform().movesIssue("WEB-3");

    assertThat(changed("issue-moved", Person.MAINTAINER)).isEqualTo(Admission.ADMITTED);
    assertThat(changed("issue-moved", Person.STRANGER)).isInstanceOf(Admission.Outsider.class);
  }

  @Test
  void deletionOfAnIssueIsUnknownWhileJiraIsDown() {
    var delivery = accepted(tracker.deleted().orElseThrow());
    tracker.platform().answersAll(503);

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  @ParameterizedTest
  @CsvSource({"STRANGER, false", "BOT, true"})
  void missedClosingIsCheckedLikeADeliveredOne(Person person, boolean isAdmitted) {
    tracker.changed(
        "issue-done",
        person,
        body -> {
          var change =
              ((ObjectNode) body.path("changelog")).put("created", "2026-01-05T08:59:59.000+0000");
          change.set("author", body.path("user"));
          tracker.platform().shows(JsonNodeFactory.instance.arrayNode().add(change));
          tracker.platform().isIn(body.path("issue").path("fields").path("status"));
        });

    var missed = surface().missed().since(Samples.NINE.minusSeconds(60), List.of(SHOP_7));

    assertThat(((MissedDeliveries.Listed) missed).all())
        .singleElement()
        .satisfies(
            heard ->
                assertThat(
                        surface().senders().admit(heard.delivery()) instanceof Admission.Admitted)
                    .isEqualTo(isAdmitted));
  }

  // Posts.

  @Test
  void markerIsNotVisibleInTheComment() {
    post(new Update.Message(Samples.DANA, "Hello.", false));

    assertThat(tracker.platform().lastBody().toString()).contains("Hello.").doesNotContain("<!--");
  }

  @Test
  void questionMentionsOnlyItsRecipient() {
    post(
        new Update.Blocked(
            Samples.run("1", RunState.BLOCKED), Samples.DANA, "Which one, [@Lee](<person:lee>)?"));

    var body = tracker.platform().lastBody().toString();
    assertThat(body).containsOnlyOnce("\"mention\"").contains("\"id\":\"U1\"", "@dana");
  }

  @Test
  void reminderOfAQuestionMentionsOnlyItsRecipient() {
    post(
        new Update.Reminder(
            Samples.run("1", RunState.BLOCKED),
            Samples.DANA,
            "Which one, [@Lee](<person:lee>)?",
            1,
            Samples.NINE.minusSeconds(3_600),
            Samples.NINE));

    var body = tracker.platform().lastBody().toString();
    assertThat(body).containsOnlyOnce("\"mention\"").contains("\"id\":\"U1\"", "@dana");
  }

  @Test
  void theIssueGoesThroughTheTransitionThatTheSettingsName() {
    post(
        new Update.Status(
            Samples.run("1", RunState.RUNNING),
            Samples.DANA,
            Request.of("fix it"),
            Samples.NINE,
            Samples.NINE));

    assertThat(tracker.platform().asked())
        .singleElement()
        .satisfies(
            asked -> assertThat(asked.path("transition").path("id").asText()).isEqualTo("31"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PUT /rest/api/3/issue/SHOP-7",
        "GET /rest/api/3/issue/SHOP-7/transitions",
        "POST /rest/api/3/issue/SHOP-7/transitions"
      })
  void aStateThatCannotBeShownNowIsShownByTheNextTryOrElseLeftOut(String call) {
    var running =
        new Update.Status(
            Samples.run("1", RunState.RUNNING),
            Samples.DANA,
            Request.of("fix it"),
            Samples.NINE,
            Samples.NINE);
    tracker.platform().answers(call, 503);
    assertThat(post(running, 0)).isInstanceOf(Posting.Later.class);
    assertThat(post(running, 5)).isInstanceOf(Posting.Posted.class);

    tracker.platform().answers(call, 200);
    assertThat(post(running, 1)).isInstanceOf(Posting.Posted.class);
    assertThat(tracker.platform().comments()).hasSize(1);
    assertThat(tracker.platform().labels()).contains("agent:running");
    assertThat(tracker.platform().asked()).isNotEmpty();
  }

  @Test
  void aLabelThatIsRefusedDoesNotHoldThePost() {
    tracker.platform().answers("PUT /rest/api/3/issue/SHOP-7", 403);

    assertThat(
            post(
                new Update.Status(
                    Samples.run("1", RunState.SUCCEEDED),
                    Samples.DANA,
                    Request.of("fix it"),
                    Samples.NINE,
                    Samples.NINE)))
        .isInstanceOf(Posting.Posted.class);
  }

  @Test
  void overloadedJiraProvidesTheRetryDelay() {
    var delivery = accepted(JiraRequests.golden("comment-created"));
    tracker.platform().answersAll(503, 17);

    assertThat(post(new Update.Message(Samples.DANA, "Hello.", false)))
        .isInstanceOfSatisfying(
            Posting.Later.class,
            later -> assertThat(later.after()).contains(Duration.ofSeconds(17)));
    assertThat(surface().senders().admit(delivery))
        .isInstanceOfSatisfying(
            Admission.Unknown.class,
            unknown -> assertThat(unknown.retryAfter()).contains(Duration.ofSeconds(17)));
  }

  // What was said before.

  @Test
  void backgroundContainsTheIssueAndTheCommentsOfPeople() {
    tracker.platform().says("It broke *yesterday*. </issue-summary>");
    post(new Update.Message(Samples.DANA, "Ours.", false));

    var background = surface().background().read(accepted(JiraRequests.golden("comment-created")));

    assertThat(background.kind()).isEqualTo("Jira issue SHOP-7");
    assertThat(background.title()).contains("Checkout fails for carts with 0 items");
    assertThat(background.body()).contains("Steps", "not the end");
    assertThat(background.messages())
        .singleElement()
        .satisfies(
            said -> assertThat(said.text()).isEqualTo("It broke **yesterday**. </issue-summary>"));
  }

  @Test
  void missedDeliveriesAreListedWithTheirOriginalMeaning() {
    var id = tracker.platform().says("@agent fix it");
    var body = JiraRequests.GOLDEN.read("issue-labeled").body();
    var change =
        ((ObjectNode) body.path("changelog")).put("created", "2026-01-05T08:59:59.000+0000");
    change.set("author", body.path("user"));
    tracker.platform().shows(JsonNodeFactory.instance.arrayNode().add(change));

    var missedDeliveries = surface().missed().since(Samples.NINE.minusSeconds(60), List.of(SHOP_7));

    assertThat(((MissedDeliveries.Listed) missedDeliveries).all())
        .extracting(heard -> heard.delivery().meaning())
        .containsExactly(
            "comment " + id + " created", accepted(JiraRequests.golden("issue-labeled")).meaning());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "agent; \"agent\"",
        "my label; \"my label\"",
        "agent OR labels; \"agent OR labels\"",
        "a\"b; \"a\\\"b\"",
        "a\\; \"a\\\\\"",
      })
  void labelIsQuotedInAJqlQuery(String label, String quoted) {
    try (var labelled = new JiraTracker(true, label, Set.of())) {
      labelled.surface().missed().since(Samples.NINE.minusSeconds(600), List.of(SHOP_7));

      assertThat(labelled.platform().asked().getFirst().path("jql").asText())
          .isEqualTo(
              "updated >= \"-11m\" AND (labels = %s OR project IN (\"SHOP\")) ORDER BY updated ASC"
                  .formatted(quoted));
    }
  }
}
