package dev.runnel.surface.gitea;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
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
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GiteaSurfaceTest implements SurfaceContract {
  private static final Intent TASK = Tasks.workOn("issue", "Checkout fails for carts with 0 items");

  private final GiteaTracker tracker = new GiteaTracker(false);

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
        golden("issue-label", TASK),
        golden("issue-label-with-changes", TASK),
        golden("issue-label-cleared", cancel("removed the label `agent`")),
        golden("issue-assign", TASK),
        golden("issue-closed", cancel("closed the issue")),
        golden("issue-comment", new Intent.Say(Request.of("please also add a test"))),
        golden("pull-comment-of-forgejo", new Intent.Say(Request.of("rebase this"))),
        golden("pull-label", Tasks.workOn("pull request", "Speed up the cart")),
        golden("pull-opened", became(PullRequestState.OPEN, Optional.empty())),
        golden("pull-made-a-draft", became(PullRequestState.DRAFT, Optional.empty())),
        golden(
            "pull-merged",
            became(PullRequestState.MERGED, Optional.of(cancel("completed the pull request")))));
  }

  private static Intent became(PullRequestState state, Optional<Intent> then) {
    var link = URI.create("https://gitea.example/dana/shop/pulls/2");
    return new Intent.PullRequestChanged(link, state, Samples.NINE, then);
  }

  private static Golden golden(String name, Intent intent) {
    return new Golden(name, GiteaRequests.golden(name), intent);
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
        Map.of("x-gitea-event", "issues", "x-gitea-delivery", "d1"),
        request.body(),
        request.arrivedAt());
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
    var delivery = accepted(GiteaRequests.golden("issue-comment"));
    return surface()
        .post(
            new Notice(
                new NoticeId("n1"),
                delivery.conversation(),
                new Update.Message(Samples.DANA, "Hello.", false),
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
  void formSignatureCoversTheDecodedField() {
    var recorded = GiteaRequests.GOLDEN.read("issue-comment");
    var signature =
        GiteaRequests.signed(recorded.headers(), recorded.bytes()).header("x-gitea-signature");
    var form =
        "payload="
            + URLEncoder.encode(
                new String(recorded.bytes(), StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    var headers = new HashMap<>(recorded.headers());
    headers.put("content-type", "application/x-www-form-urlencoded");
    headers.put("x-gitea-signature", signature.orElseThrow());
    var request =
        new RawRequest(
            "POST", Gitea.PATH, headers, form.getBytes(StandardCharsets.UTF_8), Samples.NINE);

    assertThat(accepted(request).intent()).isInstanceOf(Intent.Say.class);
  }

  @Test
  void emptySignatureOfAServerWithoutASecretIsRejected() {
    var request =
        GiteaRequests.with(
            GiteaRequests.with(
                GiteaRequests.golden("issue-comment"), "x-hub-signature-256", "sha256="),
            "x-gitea-signature",
            "");

    assertThat(surface().receive(request).reply().status()).isEqualTo(401);
  }

  @Test
  void forgejoHeadersAloneAreSufficient() {
    var recorded = GiteaRequests.GOLDEN.read("pull-comment-of-forgejo");
    var signed = GiteaRequests.signed(recorded.headers(), recorded.bytes());
    var headers = new HashMap<>(recorded.headers());
    headers.keySet().removeIf(name -> !name.startsWith("x-forgejo-"));
    headers.put("x-forgejo-signature", signed.header("x-gitea-signature").orElseThrow());

    var delivery =
        accepted(new RawRequest("POST", Gitea.PATH, headers, recorded.bytes(), Samples.NINE));

    assertThat(delivery.conversation().key()).isEqualTo("dana/shop#2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"issue-opened", "issue-edited", "issue-comment-edited"})
  void irrelevantEventIsAnsweredWithoutAnEffect(String name) {
    assertThat(surface().receive(GiteaRequests.golden(name)))
        .isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  void invalidRepositoryNameIsIgnored() {
    var request =
        GiteaRequests.golden(
            "issue-comment",
            body -> ((ObjectNode) body.path("repository")).put("full_name", "../.."));

    assertThat(surface().receive(request)).isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  void permissionOfTheSenderIsUnknownWhileGiteaIsDown() {
    var delivery = accepted(GiteaRequests.golden("issue-comment"));
    tracker.platform().answersAll(503);

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  @Test
  void backgroundContainsTheIssueAndTheCommentsOfWriters() {
    tracker.platform().says("It broke <!-- ignore me -->yesterday.");
    tracker.platform().add("Working\n\n<!-- runnel:notice=n0 -->", false);

    var background = surface().background().read(accepted(GiteaRequests.golden("issue-comment")));

    assertThat(background.kind()).isEqualTo("Gitea issue dana/shop#1");
    assertThat(background.title()).contains("Checkout fails for carts with 0 items");
    assertThat(background.messages())
        .singleElement()
        .satisfies(said -> assertThat(said.text()).isEqualTo("It broke yesterday."));
  }

  @Test
  void missedDeliveriesAreListedWithTheirOriginalMeaning() {
    var id = tracker.platform().says("@agent fix it");
    var conversation = accepted(GiteaRequests.golden("issue-comment")).conversation();

    var missedDeliveries =
        surface().missed().since(Samples.NINE.minusSeconds(60), List.of(conversation));

    assertThat(((MissedDeliveries.Listed) missedDeliveries).all())
        .singleElement()
        .satisfies(
            heard -> {
              assertThat(heard.delivery().meaning()).isEqualTo("comment " + id + " created");
              assertThat(heard.sameMeaning()).isTrue();
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "package"})
  void eventOfAnotherKindIsAnsweredWithoutParsingItsBody(String event) {
    var headers = Map.of("x-gitea-event", event, "x-gitea-delivery", "d1");

    var result =
        surface()
            .receive(GiteaRequests.signed(headers, "no JSON".getBytes(StandardCharsets.UTF_8)));

    assertThat(result).isInstanceOf(WebhookResult.Answered.class);
    assertThat(result.reply().status()).isEqualTo(204);
  }
}
