package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
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
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.PagedReader;
import dev.runnel.surface.kit.WebhookBody;
import dev.runnel.surface.kit.Webhooks;
import dev.runnel.surface.tracker.CommentPosts;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.RepositoryIssue;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.surface.tracker.TrackerSurface;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// Gitea and Forgejo: issues and pull requests. Thread-safe.
public final class Gitea implements Tracker<RepositoryIssue> {
  /// The path at which its webhooks are received.
  public static final String PATH = "/webhooks/gitea";

  static final SurfaceId ID = new SurfaceId("gitea");
  private static final List<String> FORGES = List.of("X-Forgejo-", "X-Gitea-");
  private static final MarkdownPosts.Dialect DIALECT = new MarkdownPosts.Dialect(65_535, true);

  private final Hmac hmac;
  private final GiteaApi api;
  private final GiteaPayloads payloads;
  private final GiteaAccessCheck access;
  private final CommentPosts posts;

  private Gitea(GiteaConfig config, GiteaApi api) {
    this.hmac = new Hmac(config.webhookSecrets());
    this.api = api;
    this.payloads =
        new GiteaPayloads(config.tracker(), new IssueRules(config.tracker()), api.account());
    this.access = new GiteaAccessCheck(api, config.tracker().trigger());
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), DIALECT));
  }

  public static TrackerSurface<?> surface(
      GiteaConfig config, OkHttpClient http, InstantSource clock) {
    var api = new GiteaApi(config, http, clock);
    return new TrackerSurface<>(ID, api.calls(), api.account()::learn, new Gitea(config, api));
  }

  /// For a form body, the decoded field is signed. Gitea also sends GitHub's headers, and an empty
  /// signature header if the webhook has no secret.
  @Override
  public Optional<String> authenticationProblem(RawRequest request) {
    var signature = header(request, "Signature").orElse("");
    return hmac.signs(signature, WebhookBody.payload(request))
        ? Optional.empty()
        : Optional.of("no valid signature");
  }

  private static Optional<String> header(RawRequest request, String name) {
    return FORGES.stream().flatMap(forge -> request.header(forge + name).stream()).findFirst();
  }

  @Override
  public boolean ignores(RawRequest request) {
    return header(request, "Event").filter(event -> !GiteaPayloads.knows(event)).isPresent();
  }

  @Override
  public Projection projection() {
    return GiteaPayloads.READ;
  }

  @Override
  public WebhookResult parse(RawRequest request, JsonNode payload) {
    var event = header(request, "Event");
    var id = Webhooks.id(request, FORGES.stream().map(forge -> forge + "Delivery").toList());
    return event.isEmpty() || id.isEmpty()
        ? WebhookResult.Rejected.with(
            400, "the headers X-Gitea-Event and X-Gitea-Delivery are missing")
        : Webhooks.result(
            payloads.read(event.get(), DeliveryId.of(ID, id.get()), payload, request.arrivedAt()));
  }

  @Override
  public Optional<RepositoryIssue> issue(Conversation conversation) {
    return RepositoryIssue.of(conversation);
  }

  @Override
  public Admission admit(RepositoryIssue issue, Delivery delivery) {
    return access.admit(issue, delivery);
  }

  /// Includes the comments of users with write access to the repository.
  @Override
  public Background background(RepositoryIssue key, Delivery delivery) {
    var issue = api.issue(key).required();
    var writers = access.writers(key);
    var earlier = new EarlierComments(delivery);
    for (var comment :
        PagedReader.read(_ -> api.comments(key), Integer.MAX_VALUE, _ -> false).reversed()) {
      GiteaPayloads.person(comment.path("user"))
          .ifPresent(
              author ->
                  earlier.add(
                      EarlierComments.Comment.of(api.ref(key, comment), author, comment),
                      () -> writers.contains(GiteaAccessCheck.key(author.id())),
                      api.account().mayBe(author.id())));
    }
    return earlier.background(
        (Json.isThere(issue, "pull_request") ? "Gitea pull request " : "Gitea issue ") + key,
        Json.text(issue, "title"),
        Json.text(issue, "body").orElse(""),
        Json.texts(issue.path("labels"), "name"),
        Json.link(issue, "html_url"),
        Json.instant(issue, "updated_at"));
  }

  @Override
  public void findMissed(MissedDeliveryCollector missed, List<RepositoryIssue> issues) {
    new GiteaMissedDeliveries(api, payloads).find(missed, issues);
  }

  @Override
  public Posting post(RepositoryIssue issue, Notice notice, @Nullable PostRef status) {
    return posts.post(api, issue, notice, status);
  }
}
