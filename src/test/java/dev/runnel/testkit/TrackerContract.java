package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Surface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How Runnel behaves on every issue tracker, whatever its dialect. Beside [SurfaceContract], which
/// is about what every surface promises.
///
/// The trigger label and the mention are `agent`, our account is [#ACCOUNT], and labels tell how
/// runs are.
public interface TrackerContract {
  String ACCOUNT = "runnel-bot";

  enum Person {
    MAINTAINER,
    STRANGER,
    BOT
  }

  /// A tracker with one open issue, whose deliveries are made from its golden ones.
  interface Tracker extends AutoCloseable {
    Surface surface();

    FakeTracker platform();

    /// @param others labels that it had before
    RawRequest labelAdded(String label, String... others);

    /// @param staying labels that it keeps
    RawRequest labelRemoved(String label, String... staying);

    /// Title or text was changed.
    RawRequest edited(String... labels);

    RawRequest assigned(String account);

    RawRequest unassigned(String account);

    RawRequest closedBy(Person person);

    default RawRequest closed() {
      return closedBy(Person.MAINTAINER);
    }

    /// Empty where the tracker tells nobody.
    Optional<RawRequest> deleted();

    RawRequest commented(Person by, String text);

    RawRequest commentEdited(String text);

    /// The issue of that number gets the trigger label.
    RawRequest labelAddedTo(int issue);

    /// A comment with that id, on the issue of that number.
    RawRequest commentOn(int issue, long id);

    /// The same thing, said again in a delivery of its own.
    RawRequest saidAgain(RawRequest request);

    /// With wrong, empty, stale and missing proofs.
    List<RawRequest> notProved(RawRequest request);

    /// A right proof of this body.
    RawRequest proved(byte[] body);

    @Override
    default void close() {
      platform().close();
    }
  }

  /// The same one for a whole test.
  Tracker tracker();

  @AfterEach
  default void closeTracker() {
    tracker().close();
  }

  // Labels.

  @Test
  default void theTriggerLabelStartsARun() {
    var delivery = heard(tracker().labelAdded("agent", "bug")).orElseThrow();

    assertThat(delivery.intent())
        .isInstanceOfSatisfying(
            Intent.Start.class,
            start -> {
              assertThat(start.request().text()).startsWith("Work on this ");
              assertThat(start.request().options().profile()).isEmpty();
            });
    assertThat(delivery.addressed()).isTrue();
    assertThat(delivery.origin().opensThread()).isFalse();
  }

  @Test
  default void labelSuffixSelectsTheProfile() {
    assertThat(heard(tracker().labelAdded("Agent:web")).orElseThrow().intent())
        .isInstanceOfSatisfying(
            Intent.Start.class,
            start -> assertThat(start.request().options().profile()).contains("web"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"agents", "my agent", "agent:", "bug"})
  default void onlyAnExactTriggerLabelStartsARun(String label) {
    assertThat(heard(tracker().labelAdded(label))).isEmpty();
  }

  @Test
  default void otherLabelBesideTheTriggerStartsNoSecondRun() {
    assertThat(heard(tracker().labelAdded("bug", "agent"))).isEmpty();
    assertThat(heard(tracker().labelRemoved("bug", "agent"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent:running", "agent:done", "agent:failed", "agent:blocked"})
  default void statusLabelsAreIgnored(String label) {
    assertThat(heard(tracker().labelAdded(label, "agent"))).isEmpty();
    assertThat(heard(tracker().labelRemoved(label, "agent"))).isEmpty();
    assertThat(heard(tracker().labelRemoved(label))).isEmpty();
  }

  @Test
  default void removalOfTheLabelStopsTheRun() {
    assertStops(tracker().labelRemoved("agent", "bug"), "removed the label `agent`");
  }

  @Test
  default void runContinuesWhileATriggerLabelRemains() {
    assertThat(heard(tracker().labelRemoved("agent", "agent:web"))).isEmpty();
  }

  @Test
  default void editStartsNoSecondRun() {
    for (var time = 0; time < 3; time++) {
      assertThat(heard(tracker().edited("agent"))).isEmpty();
    }
  }

  // Assignment, and the end of an issue.

  @Test
  default void assignmentToOurAccountStartsARun() {
    var delivery = heard(tracker().assigned(ACCOUNT)).orElseThrow();

    assertThat(delivery.intent()).isInstanceOf(Intent.Start.class);
    assertThat(delivery.addressed()).isTrue();
  }

  @Test
  default void assignmentToAnotherPersonIsIgnored() {
    assertThat(heard(tracker().assigned("dana"))).isEmpty();
    assertThat(heard(tracker().unassigned("dana"))).isEmpty();
  }

  @Test
  default void unassignmentFromOurAccountStopsTheRun() {
    assertStops(tracker().unassigned(ACCOUNT), "to somebody else");
  }

  @Test
  default void closingTheIssueStopsTheRun() {
    assertStops(tracker().closed(), "closed the");
  }

  @Test
  default void closingByAStrangerStopsNoRun() {
    assertThat(heard(tracker().closedBy(Person.STRANGER))).isEmpty();
  }

  @Test
  default void permissionToCloseIsUnknownWhileTheTrackerIsDown() {
    var delivery = accepted(tracker().closedBy(Person.STRANGER));
    tracker().platform().answersAll(503);

    assertThat(tracker().surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  @Test
  default void deletionOfTheIssueStopsTheRun() {
    tracker().deleted().ifPresent(deleted -> assertStops(deleted, "deleted the"));
  }

  // Comments.

  @ParameterizedTest
  @ValueSource(
      strings = {"@agent fix it", "/agent fix it", "@AGENT fix it", "Hi!\n\n@agent fix it"})
  default void lineThatBeginsWithTheMentionIsAddressedToTheBot(String comment) {
    var delivery = heard(tracker().commented(Person.MAINTAINER, comment)).orElseThrow();

    assertThat(delivery.intent()).isEqualTo(new Intent.Say(Request.of("fix it")));
    assertThat(delivery.addressed()).isTrue();
    assertThat(delivery.origin().message()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "> @agent fix it",
        "```\n@agent fix it\n```",
        "    @agent fix it",
        "please @agent fix it",
        "@agents fix it",
        "@agent-two fix it",
        "<!-- @agent fix it -->",
        "@agent // what do you all think?",
        "looks good",
      })
  default void mentionElsewhereInACommentIsIgnored(String comment) {
    assertThat(heard(tracker().commented(Person.MAINTAINER, comment))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "cancel, Cancel",
    "stop, Cancel",
    "status, Status",
    "retry, Retry",
    "help, Help",
  })
  default void verbsInCommentsAreRecognized(String verb, String intent) {
    var delivery = heard(tracker().commented(Person.MAINTAINER, "/agent " + verb)).orElseThrow();

    assertThat(delivery.intent().getClass().getSimpleName()).isEqualTo(intent);
  }

  @Test
  default void editedCommentIsNotANewMessage() {
    assertThat(heard(tracker().commentEdited("@agent fix it"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Person.class,
      names = {"STRANGER", "BOT"})
  default void commentsOfPeopleWithoutTheRightAreIgnored(Person person) {
    assertThat(heard(tracker().commented(person, "@agent fix it"))).isEmpty();
  }

  @Test
  default void ourOwnPostsAreIgnored() {
    var ours = "@agent says:\n\n@agent fix it\n\n<!-- runnel:notice=n1 -->";

    assertThat(heard(tracker().commented(Person.MAINTAINER, ours))).isEmpty();
  }

  // Deliveries.

  @Test
  default void resentRequestIsTheSameDelivery() {
    for (var request : works()) {
      var once = accepted(request);
      assertThat(accepted(request).id()).isEqualTo(once.id());
      assertThat(accepted(request).meaning()).isEqualTo(once.meaning());
    }
  }

  @Test
  default void requestUnderAnotherIdHasTheSameMeaning() {
    for (var request : works()) {
      var once = accepted(request);
      var again = accepted(tracker().saidAgain(request));
      assertThat(again.id()).isNotEqualTo(once.id());
      assertThat(again.meaning()).isEqualTo(once.meaning());
      assertThat(again.conversation()).isEqualTo(once.conversation());
    }
  }

  @Test
  default void issueAndCommentWithTheSameNumberDiffer() {
    var issue = accepted(tracker().labelAddedTo(5));
    var comment = accepted(tracker().commentOn(5, 5));

    assertThat(comment.conversation()).isEqualTo(issue.conversation());
    assertThat(comment.meaning()).isNotEqualTo(issue.meaning());
    assertThat(comment.id()).isNotEqualTo(issue.id());
  }

  @Test
  default void receivingAWebhookCallsNoApi() {
    var before = tracker().platform().requests().size();

    works().forEach(this::accepted);

    assertThat(tracker().platform().requests()).hasSize(before);
  }

  @Test
  default void requestWithoutValidProofIsRejected() {
    for (var request : works()) {
      var bad = tracker().notProved(request);
      assertThat(bad).hasSizeGreaterThan(2);
      for (var each : bad) {
        var webhookResult = tracker().surface().receive(each);
        assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
        assertThat(webhookResult.reply().status()).isEqualTo(401);
        assertThat(webhookResult.reply().body()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[]", "null", "3", "{} {}", "{\"action\": \"ope"})
  default void malformedBodyIsABadRequest(String body) {
    var webhookResult =
        tracker().surface().receive(tracker().proved(body.getBytes(StandardCharsets.UTF_8)));

    assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
    assertThat(webhookResult.reply().status()).isEqualTo(400);
  }

  // Posts.

  @Test
  default void theStatusIsOneCommentThatIsEdited() {
    var ref = posted(post("n1", status(RunState.QUEUED), null, 0));
    var again = posted(post("n2", status(RunState.RUNNING), ref, 0));

    assertThat(again).isEqualTo(ref);
    assertThat(tracker().platform().comments()).hasSize(1);
    assertThat(tracker().platform().comments().getFirst().edits()).isEqualTo(1);
    assertThat(tracker().platform().comments().getFirst().text())
        .contains("Running", "<!-- runnel:notice=n2 -->");
  }

  @Test
  default void resultIsASeparateComment() {
    var ref = posted(post("n1", status(RunState.RUNNING), null, 0));
    var run = Samples.run("1", RunState.SUCCEEDED);

    post("n2", new Update.Succeeded(run, Samples.DANA, Samples.NINE, Samples.NINE), ref, 0);

    assertThat(tracker().platform().comments()).hasSize(2);
    assertThat(tracker().platform().comments().getFirst().edits()).isZero();
  }

  @Test
  default void aPostWhoseAnswerWasLostIsFoundByItsMarker() {
    tracker().platform().losesNextAnswer();
    assertThat(post("n1", status(RunState.RUNNING), null, 0)).isInstanceOf(Posting.Later.class);

    posted(post("n1", status(RunState.RUNNING), null, 1));

    assertThat(tracker().platform().comments()).hasSize(1);
  }

  @Test
  default void messageGetsAReceiptReaction() {
    var message =
        accepted(tracker().commented(Person.MAINTAINER, "@agent fix it"))
            .origin()
            .message()
            .orElseThrow();

    posted(post("n1", new Update.Received(message), null, 0));

    assertThat(tracker().platform().reactions()).hasSize(1);
    assertThat(tracker().platform().comments()).isEmpty();
  }

  @Test
  default void labelShowsTheStateOfTheRun() {
    var ref = posted(post("n1", status(RunState.RUNNING), null, 0));
    assertThat(tracker().platform().labels()).contains("agent:running");
    posted(post("n2", status(RunState.BLOCKED), ref, 0));
    assertThat(tracker().platform().labels())
        .contains("agent:blocked")
        .doesNotContain("agent:running");
    posted(post("n3", status(RunState.CANCELLED), ref, 0));
    assertThat(tracker().platform().labels()).noneMatch(label -> label.startsWith("agent:"));
  }

  @Test
  default void theLabelIsSetAgainOnlyIfThePostShowsAnotherState() {
    var ref = posted(post("n1", status(RunState.RUNNING), null, 0));
    var before = tracker().platform().requests().size();

    posted(post("n2", status(RunState.RUNNING).withShown(Optional.of(RunState.RUNNING)), ref, 0));
    assertThat(tracker().platform().requests()).hasSize(before + 1);

    // Another process has shown the end meanwhile.
    posted(post("n3", status(RunState.RUNNING).withShown(Optional.of(RunState.SUCCEEDED)), ref, 0));
    assertThat(tracker().platform().requests()).hasSizeGreaterThan(before + 2);
  }

  @Test
  default void trackerOutagePostponesThePost() {
    tracker().platform().answersAll(503);

    assertThat(post("n1", status(RunState.RUNNING), null, 0)).isInstanceOf(Posting.Later.class);
  }

  @Test
  default void rejectedTokenIsReportedAsACredentialProblem() {
    var surface = tracker().surface();
    var said = accepted(tracker().commented(Person.MAINTAINER, "@agent fix it"));
    assertThat(surface.isAvailable()).isTrue();
    var byStranger = surface.receive(tracker().commented(Person.STRANGER, "@agent fix it"));
    tracker().platform().answersAll(401);

    assertRefused(() -> post("n1", status(RunState.RUNNING), null, 0));
    if (byStranger instanceof WebhookResult.Accepted(var asked, _)) {
      assertRefused(() -> surface.senders().admit(asked));
    }
    assertRefused(() -> surface.background().read(said));
    assertRefused(() -> surface.missed().since(Samples.NINE, List.of(said.conversation())));
    assertRefused(surface::isAvailable);
  }

  /// What is there to be read is read when the tracker lets us.
  @ParameterizedTest
  @ValueSource(ints = {400, 403})
  default void refusedListIsNotAnEmptyList(int status) {
    var conversation =
        accepted(tracker().commented(Person.MAINTAINER, "@agent fix it")).conversation();
    tracker().platform().answersAll(status);

    assertThat(tracker().surface().missed().since(Samples.NINE, List.of(conversation)))
        .satisfiesAnyOf(
            missedDeliveries ->
                assertThat(missedDeliveries).isInstanceOf(MissedDeliveries.Unknown.class),
            missedDeliveries ->
                assertThat(missedDeliveries)
                    .isInstanceOfSatisfying(
                        MissedDeliveries.Listed.class,
                        said -> assertThat(said.unread()).isPresent()));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(CredentialRefused.class)
        .hasMessageContaining("does not accept")
        .hasMessageContaining("_TOKEN");
  }

  private List<RawRequest> works() {
    return List.of(
        tracker().labelAdded("agent"),
        tracker().labelRemoved("agent"),
        tracker().closed(),
        tracker().commented(Person.MAINTAINER, "@agent fix it"));
  }

  private void assertStops(RawRequest request, String why) {
    var delivery = heard(request).orElseThrow();
    assertThat(delivery.intent())
        .isInstanceOfSatisfying(
            Intent.Cancel.class, cancel -> assertThat(cancel.why().orElseThrow()).contains(why));
    assertThat(delivery.addressed()).isFalse();
  }

  private Delivery accepted(RawRequest request) {
    var webhookResult = tracker().surface().receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  /// What has an effect in the end; empty for what is answered or turned away.
  private Optional<Delivery> heard(RawRequest request) {
    return switch (tracker().surface().receive(request)) {
      case WebhookResult.Accepted(var delivery, _) -> {
        var admission = tracker().surface().senders().admit(delivery);
        assertThat(admission).isNotInstanceOf(Admission.Unknown.class);
        yield admission instanceof Admission.Admitted ? Optional.of(delivery) : Optional.empty();
      }
      case WebhookResult.Answered(var reply) -> {
        assertThat(reply.status()).isBetween(200, 299);
        yield Optional.empty();
      }
      case WebhookResult.Rejected(_, var why) -> throw new AssertionError("rejected: " + why);
    };
  }

  private static Update.Status status(RunState state) {
    return new Update.Status(
        Samples.run("1", state), Samples.DANA, Request.of("fix it"), Samples.NINE, Samples.NINE);
  }

  private Posting post(String id, Update update, @Nullable PostRef status, int tries) {
    Conversation conversation =
        accepted(tracker().commented(Person.MAINTAINER, "@agent fix it")).conversation();
    return tracker()
        .surface()
        .post(
            new Notice(new NoticeId(id), conversation, update, Origin.NONE, Samples.NINE, tries),
            status);
  }

  private static PostRef posted(Posting posting) {
    assertThat(posting).isInstanceOf(Posting.Posted.class);
    return ((Posting.Posted) posting).ref();
  }
}
