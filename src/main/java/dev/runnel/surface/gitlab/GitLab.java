package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Background;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.PagedReader;
import dev.runnel.surface.kit.SharedSecrets;
import dev.runnel.surface.kit.StandardWebhooks;
import dev.runnel.surface.kit.Webhooks;
import dev.runnel.surface.tracker.CommentPosts;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.text.Sha256;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// GitLab: issues and merge requests. Thread-safe.
public final class GitLab implements Tracker<GitLabIssue> {
  /// The path at which its webhooks are received.
  public static final String PATH = "/webhooks/gitlab";

  static final SurfaceId ID = new SurfaceId("gitlab");
  // They never concern Runnel, and may be large.
  private static final Set<String> OTHER_EVENTS =
      Set.of(
          "Push Hook",
          "Tag Push Hook",
          "Job Hook",
          "Wiki Page Hook",
          "Deployment Hook",
          "Release Hook",
          "Emoji Hook");
  // The same for all attempts of a delivery.
  private static final List<String> DELIVERY_IDS = List.of("Idempotency-Key", StandardWebhooks.ID);
  // All that servers before 17.4 send. The events that a webhook's own changes cause share it.
  private static final List<String> EVENT_IDS = List.of("X-Gitlab-Event-UUID");
  private static final MarkdownPosts.Dialect DIALECT =
      new MarkdownPosts.Dialect(1_000_000, true, true);

  private final SharedSecrets secretTokens;
  private final StandardWebhooks signatures;
  private final GitLabApi api;
  private final GitLabPayloads payloads;
  private final GitLabAccessCheck access;
  private final CommentPosts posts;

  private GitLab(GitLabConfig config, GitLabApi api) {
    this.secretTokens = new SharedSecrets(config.secretTokens());
    this.signatures = new StandardWebhooks(config.signingTokens());
    this.api = api;
    this.payloads = new GitLabPayloads(new IssueRules(config.tracker()), api.account());
    this.access = new GitLabAccessCheck(api, config.access());
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), DIALECT));
  }

  public static TrackerSurface<?> surface(
      GitLabConfig config, OkHttpClient http, InstantSource clock) {
    var api = new GitLabApi(config, http, clock);
    return new TrackerSurface<>(ID, api.calls(), api.account()::learn, new GitLab(config, api));
  }

  @Override
  public Optional<String> authenticationProblem(RawRequest request) {
    return signatures.signed(request)
            || secretTokens.contain(request.header("X-Gitlab-Token").orElse(""))
        ? Optional.empty()
        : Optional.of("no valid signature or secret token");
  }

  /// Such events may be large. System hooks, and kinds that are not known yet, say in their body
  /// what they are.
  @Override
  public boolean ignores(RawRequest request) {
    return request.header("X-Gitlab-Event").filter(OTHER_EVENTS::contains).isPresent();
  }

  @Override
  public Projection projection() {
    return GitLabPayloads.READ;
  }

  @Override
  public WebhookResult parse(RawRequest request, JsonNode payload) {
    var id = deliveryId(request);
    return request.header("X-Gitlab-Event").isEmpty() || id.isEmpty()
        ? WebhookResult.Rejected.with(
            400, "the headers X-Gitlab-Event and Idempotency-Key are missing")
        : Webhooks.result(payloads.read(DeliveryId.of(ID, id.get()), payload, request.arrivedAt()));
  }

  private static Optional<String> deliveryId(RawRequest request) {
    return DELIVERY_IDS.stream().anyMatch(name -> request.header(name).isPresent())
        ? Webhooks.id(request, DELIVERY_IDS)
        : Webhooks.id(request, EVENT_IDS).map(id -> id + "-" + Sha256.hex(request.body()));
  }

  @Override
  public Optional<GitLabIssue> issue(Conversation conversation) {
    return GitLabIssue.of(conversation);
  }

  @Override
  public Admission admit(GitLabIssue issue, Delivery delivery) {
    // An author without the role may close their own issue, which must not stop a run.
    var isHarmless = !delivery.addressed() && !(delivery.intent() instanceof Intent.Cancel);
    return isHarmless || access.mayAsk(issue, delivery.actor().id())
        ? Admission.ADMITTED
        : new Admission.Outsider("the sender does not have the role in the project");
  }

  /// Includes the notes of people with the required role. Internal notes are included only if the
  /// request was made in one, or if the whole issue is confidential, because the answer is posted
  /// where the request was made.
  @Override
  public Background background(GitLabIssue key, Delivery delivery) {
    var issue = api.issue(key).required();
    var isAllSeen = key.internal() || issue.path("confidential").asBoolean();
    Map<String, Boolean> permitted = new HashMap<>();
    var earlier = new EarlierComments(delivery);
    for (var note :
        PagedReader.read(page -> api.notes(key, page), GitLabApi.PAGE, _ -> earlier.isFull())) {
      var author = GitLabPayloads.person(note.path("author"));
      if (author.isEmpty() || note.path("system").asBoolean()) {
        continue;
      }
      var username = author.get().id();
      earlier.add(
          EarlierComments.Comment.of(api.ref(key, note), author.get(), note),
          () ->
              permitted.computeIfAbsent(username, it -> access.mayAsk(key, it))
                  && (isAllSeen || !isHidden(note)),
          api.account().mayBe(username));
    }
    return earlier.background(
        "GitLab " + key.kind().itemType() + " " + key.name(),
        Json.text(issue, "title"),
        Json.text(issue, "description").orElse(""),
        Json.strings(issue.path("labels")),
        Json.link(issue, "web_url"),
        Json.instant(issue, "updated_at"));
  }

  private static boolean isHidden(JsonNode note) {
    return note.path("internal").asBoolean() || note.path("confidential").asBoolean();
  }

  @Override
  public void findMissed(MissedDeliveryCollector missed, List<GitLabIssue> issues) {
    new GitLabMissedDeliveries(api, payloads).find(missed, issues);
  }

  @Override
  public Posting post(GitLabIssue issue, Notice notice, @Nullable PostRef status) {
    return posts.post(api, issue, notice, status);
  }
}
