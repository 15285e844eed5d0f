package dev.runnel.surface.gitlab;

import static dev.runnel.testkit.PullRequestContract.needs;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.decide.PullRequestStateUpdates;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.port.Surface;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.PullRequestContract;
import dev.runnel.testkit.Samples;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What GitLab says of the merge request of a run, though nobody mentions Runnel.
class GitLabPullRequestTest implements PullRequestContract {
  private static final URI LINK =
      URI.create("https://gitlab.example/acme/web/shop/-/merge_requests/1");
  private static final String COMMIT = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";

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
  public URI pullRequest() {
    return LINK;
  }

  @Override
  public RawRequest happened(Event event, String id) {
    var request =
        switch (event) {
          case OPENED -> GitLabRequests.golden("merge-request-opened");
          case MADE_A_DRAFT -> GitLabRequests.golden("merge-request-made-a-draft");
          case CLOSED -> acted("close", "closed");
          case REOPENED -> acted("reopen", "opened");
          case MERGED -> GitLabRequests.golden("merge-request-merged");
          case CHECKS_FAILED -> GitLabRequests.golden("merge-request-pipeline-failed");
          case CHANGES_REQUESTED -> GitLabRequests.golden("merge-request-changes-requested");
        };
    return GitLabRequests.withId(request, id);
  }

  private static RawRequest acted(String action, String state) {
    return GitLabRequests.golden(
        "merge-request-opened", body -> attributes(body).put("action", action).put("state", state));
  }

  private static ObjectNode attributes(ObjectNode body) {
    return (ObjectNode) body.path("object_attributes");
  }

  private Optional<Delivery> read(RawRequest request) {
    return switch (surface().receive(request)) {
      case WebhookResult.Accepted(var delivery, _) -> Optional.of(delivery);
      case WebhookResult.Answered _ -> Optional.empty();
      case WebhookResult.Rejected(_, var why) -> throw new AssertionError(why);
    };
  }

  @Test
  void failedPipelineRequestsAFixOnItsMergeRequest() {
    var delivery = read(pipeline(_ -> {})).orElseThrow();

    assertThat(delivery.conversation())
        .isEqualTo(new Conversation(surface().id(), "acme/web/shop!1"));
    assertThat(delivery.meaning()).isEqualTo("needs:acme/web/shop!1:checks:" + COMMIT);
    assertThat(delivery.addressed()).isTrue();
    assertThat(needs(delivery).link()).isEqualTo(LINK);
    assertThat(needs(delivery).isFact()).isTrue();
    assertThat(needs(delivery).news())
        .isEqualTo("The checks of the merge request " + LINK + " failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"success", "running", "canceled", "skipped", "manual", "pending"})
  void otherPipelinesAreIgnored(String status) {
    assertThat(read(pipeline(body -> attributes(body).put("status", status)))).isEmpty();
  }

  @Test
  void failedPipelineOfABranchRequestsAFixOnThatBranch() {
    var delivery = read(pipeline(body -> body.putNull("merge_request"))).orElseThrow();

    assertThat(delivery.meaning()).isEqualTo("needs:acme/web/shop@cart:checks:" + COMMIT);
    assertThat(needs(delivery).link()).hasToString("https://gitlab.example/acme/web/shop");
    assertThat(needs(delivery).branch()).contains("cart");
    assertThat(needs(delivery).isFact()).isTrue();
    assertThat(needs(delivery).news())
        .isEqualTo(
            "The checks of the branch `cart` in https://gitlab.example/acme/web/shop failed");
  }

  @Test
  void failedPipelinesOfTheDefaultBranchAndTagsAreIgnored() {
    assertThat(
            read(
                pipeline(
                    body -> {
                      body.putNull("merge_request");
                      attributes(body).put("ref", "main");
                    })))
        .isEmpty();
    assertThat(
            read(
                pipeline(
                    body -> {
                      body.putNull("merge_request");
                      attributes(body).put("tag", true);
                    })))
        .isEmpty();
  }

  /// There, the merge request has the number of another one here.
  @Test
  void pipelineInAForkIsIgnored() {
    assertThat(
            read(
                pipeline(
                    body -> {
                      var fork = (ObjectNode) body.path("project");
                      fork.put("id", 77).put("path_with_namespace", "acme/forks/shop");
                    })))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"merged", "closed"})
  void pipelineOfAMergedOrClosedMergeRequestIsIgnored(String state) {
    assertThat(
            read(pipeline(body -> ((ObjectNode) body.path("merge_request")).put("state", state))))
        .isEmpty();
  }

  private static RawRequest pipeline(Consumer<ObjectNode> change) {
    return GitLabRequests.golden("merge-request-pipeline-failed", change);
  }

  @ParameterizedTest
  @CsvSource({"conflict, true", "checking, false", "mergeable, false", "draft_status, false"})
  void mergeConflictRequestsAFix(String status, boolean isConflict) {
    var delivery =
        read(
            GitLabRequests.golden(
                "merge-request-conflict",
                body -> attributes(body).put("detailed_merge_status", status)));

    assertThat(delivery.map(it -> needs(it).cause()))
        .isEqualTo(isConflict ? Optional.of("conflict:" + COMMIT) : Optional.empty());
  }

  @Test
  void aReviewThatRequestsChangesIsItsReviewersMessage() {
    var delivery = read(review(_ -> {})).orElseThrow();

    assertThat(delivery.actor().id()).isEqualTo("dana");
    assertThat(needs(delivery).isFact()).isFalse();
    assertThat(needs(delivery).cause()).isEqualTo("review:dana:" + COMMIT);
    assertThat(needs(delivery).request())
        .startsWith("Dana requested changes in a review: " + LINK + "\n\nRead the review");
  }

  @Test
  void unchangedReviewRequestIsIgnored() {
    assertThat(
            read(
                review(
                    body -> {
                      var reviewers = (ObjectNode) body.path("changes").path("reviewers");
                      reviewers.set("previous", reviewers.path("current"));
                    })))
        .isEmpty();
  }

  @Test
  void requestOfAnotherReviewerIsNotAttributedToTheSender() {
    assertThat(read(review(body -> ((ObjectNode) body.path("user")).put("username", "lee"))))
        .isEmpty();
  }

  private static RawRequest review(Consumer<ObjectNode> change) {
    return GitLabRequests.golden("merge-request-changes-requested", change);
  }

  @Test
  void aMergeAlsoEndsARunOfTheMergeRequestItself() {
    var changed =
        (Intent.PullRequestChanged)
            read(GitLabRequests.golden("merge-request-merged")).orElseThrow().intent();

    assertThat(changed.state()).isEqualTo(PullRequestState.MERGED);
    assertThat(changed.then())
        .contains(new Intent.Cancel(Optional.empty(), Optional.of("completed the merge request")));
  }

  @ParameterizedTest
  @CsvSource({"dana, true", "lee, false"})
  void aMergeRequestThatIsOpenedWithTheLabelStartsARunIfItsAuthorMay(
      String author, boolean isAdmitted) {
    var opened =
        read(GitLabRequests.golden(
                "merge-request-opened",
                body -> {
                  body.putArray("labels").addObject().put("title", "agent");
                  ((ObjectNode) body.path("user")).put("username", author);
                }))
            .orElseThrow();
    var changed = (Intent.PullRequestChanged) opened.intent();

    var start =
        new MemoryStore()
            .<Optional<Delivery>>commit(
                work -> PullRequestStateUpdates.apply(work, opened, changed, Samples.NINE))
            .orElseThrow();

    assertThat(start.intent()).isInstanceOf(Intent.Start.class);
    assertThat(surface().senders().admit(start).equals(Admission.ADMITTED)).isEqualTo(isAdmitted);
  }

  @Test
  void aMergeThatWasNotDeliveredIsFoundLater() {
    tracker.platform().merges(LINK.toString());
    var conversation = new Conversation(surface().id(), "acme/web/shop!1");

    var missed = surface().missed().since(Samples.NINE, List.of(conversation));

    assertThat(((MissedDeliveries.Listed) missed).all())
        .singleElement()
        .satisfies(
            each ->
                assertThat(each.delivery().intent())
                    .isEqualTo(
                        new Intent.PullRequestChanged(
                            LINK,
                            PullRequestState.MERGED,
                            Samples.NINE,
                            Optional.of(
                                new Intent.Cancel(
                                    Optional.empty(),
                                    Optional.of("completed the merge request"))))));
  }

  @Test
  void draftOnAnOlderServerIsRecognizedByItsTitle() {
    var delivery =
        read(
            GitLabRequests.golden(
                "merge-request-made-a-draft",
                body -> {
                  attributes(body).remove("draft");
                  ((ObjectNode) body.path("changes")).remove("draft");
                }));

    assertThat(((Intent.PullRequestChanged) delivery.orElseThrow().intent()).state())
        .isEqualTo(PullRequestState.DRAFT);
  }

  @Test
  void otherChangesOfAMergeRequestChangeNoState() {
    assertThat(
            read(
                GitLabRequests.golden(
                    "merge-request-conflict",
                    body -> attributes(body).put("detailed_merge_status", "mergeable"))))
        .isEmpty();
  }
}
