package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Background;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Webhooks;
import dev.runnel.surface.tracker.CommentPosts;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.RepositoryIssue;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.surface.tracker.TrackerSurface;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// GitHub: issues and pull requests. Thread-safe.
public final class GitHub implements Tracker<RepositoryIssue> {
  /// The path at which GitHub's webhooks are received.
  public static final String PATH = "/webhooks/github";

  static final SurfaceId ID = new SurfaceId("github");
  private static final String PING = "ping";
  private static final Logger log = LoggerFactory.getLogger(GitHub.class);
  private static final MarkdownPosts.Dialect DIALECT = new MarkdownPosts.Dialect(65_536, true);

  // A review and its comments arrive as separate deliveries at the same time.
  private static final ConversationPolicy POLICY =
      new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ofSeconds(2));

  // GitHub allows about 500 changes of content in an hour; posts need most of them. See
  // https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
  private static final int EDITS_PER_MINUTE = 5;

  private final GitHubConfig config;
  private final Hmac hmac;
  private final GitHubApi api;
  private final GitHubPayloads payloads;
  private final GitHubAccessCheck access;
  private final CommentPosts posts;
  private final Map<String, Boolean> unaccepted = BoundedCaches.map(1_000);

  private GitHub(GitHubConfig config, GitHubApi api) {
    this.config = config;
    this.hmac = new Hmac(config.webhookSecrets());
    this.api = api;
    this.payloads =
        new GitHubPayloads(
            config.tracker(), api.account(), new CodeQuote(config.webhookSecrets().getFirst()));
    this.access = new GitHubAccessCheck(api, config);
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), DIALECT));
  }

  public static TrackerSurface<?> surface(
      GitHubConfig config, OkHttpClient http, InstantSource clock) {
    var api = new GitHubApi(config, http, clock);
    return new TrackerSurface<>(ID, api.calls(), api.account()::learn, new GitHub(config, api));
  }

  @Override
  public Optional<String> setupProblem() {
    return config.acceptsNobody()
        ? Optional.of(
            "serves no account yet. Anybody may install the app, so name the accounts that it is"
                + " for: policy.installations.github: [acme].")
        : Optional.empty();
  }

  @Override
  public Optional<String> authenticationProblem(RawRequest request) {
    if (request.headers().keySet().stream().anyMatch(GitHub::isOfAnotherForge)) {
      return Optional.of("a delivery of Gitea, Forgejo or Gogs");
    }
    return hmac.signsHeader(request.header("X-Hub-Signature-256").orElse(""), request.body())
        ? Optional.empty()
        : Optional.of("no valid signature");
  }

  /// Other forges also send GitHub's headers.
  private static boolean isOfAnotherForge(String header) {
    var name = header.toLowerCase(Locale.ROOT);
    return Stream.of("x-gitea-", "x-forgejo-", "x-gogs-").anyMatch(name::startsWith);
  }

  @Override
  public boolean ignores(RawRequest request) {
    return request
        .header("X-GitHub-Event")
        .filter(event -> !event.equals(PING) && !GitHubPayloads.knows(event))
        .isPresent();
  }

  @Override
  public Projection projection() {
    return GitHubPayloads.READ;
  }

  @Override
  public WebhookResult parse(RawRequest request, JsonNode payload) {
    var event = request.header("X-GitHub-Event");
    var id = Webhooks.id(request, List.of("X-GitHub-Delivery"));
    if (event.isEmpty() || id.isEmpty()) {
      return WebhookResult.Rejected.with(
          400, "the headers X-GitHub-Event and X-GitHub-Delivery are missing");
    }
    var repository = Json.text(payload.path("repository"), "full_name");
    var owner = repository.map(name -> name.split("/", 2)[0]);
    if (owner.isPresent() && !config.accepts(owner.get())) {
      warn(owner.get());
      return new WebhookResult.Answered(Reply.empty(204));
    }
    var installation = Json.id(payload.path("installation"), "id");
    if (repository.isPresent() && installation.isPresent()) {
      api.learn(repository.get(), installation.get());
    }
    return event.get().equals(PING)
        ? new WebhookResult.Answered(Reply.text(200, "pong"))
        : Webhooks.result(
            payloads.read(event.get(), DeliveryId.of(ID, id.get()), payload, request.arrivedAt()));
  }

  /// Logs once per account, because anybody may send any number of events.
  private void warn(String account) {
    if (unaccepted.put(account, true) == null) {
      log.warn(
          "github account not served, not accepted by the operator account={} to_serve_it=\"{}\"",
          account,
          GitHubConfig.TO_ACCEPT);
    }
  }

  @Override
  public Optional<RepositoryIssue> issue(Conversation conversation) {
    return RepositoryIssue.of(conversation);
  }

  @Override
  public Admission admit(RepositoryIssue issue, Delivery delivery) {
    return access.admit(issue, delivery);
  }

  @Override
  public Set<String> groups(RepositoryIssue issue, Delivery delivery, Set<String> names) {
    return access.groups(issue, delivery.actor().id(), names);
  }

  /// The address that GitHub gives each account, and finds it by. See
  /// https://docs.github.com/account-and-profile/reference/email-addresses-reference
  @Override
  public Optional<String> email(RepositoryIssue issue, Delivery delivery) {
    var login = delivery.actor().id();
    return api.user(issue, login)
        .found()
        .flatMap(user -> Json.id(user, "id"))
        .map(
            id ->
                "%s+%s@users.noreply.%s"
                    .formatted(id, login, config.apiUrl().getHost().replaceFirst("^api\\.", "")));
  }

  @Override
  public Background background(RepositoryIssue issue, Delivery delivery) {
    return new GitHubBackground(api).read(issue, delivery);
  }

  /// An app has a limit for each account that installed it.
  @Override
  public Optional<String> installation(RepositoryIssue issue) {
    return config.identity() instanceof GitHubIdentity.App
        ? Optional.of(issue.owner().toLowerCase(Locale.ROOT))
        : Optional.empty();
  }

  @Override
  public int editsPerMinute() {
    return EDITS_PER_MINUTE;
  }

  @Override
  public ConversationPolicy policy() {
    return POLICY;
  }

  @Override
  public Optional<LinkTarget> target(URI link) {
    return GitHubLinks.target(link, ID, config.apiUrl());
  }

  @Override
  public void findMissed(MissedDeliveryCollector missed, List<RepositoryIssue> issues) {
    if (config.listedHooks().isEmpty()) {
      new GitHubMissedDeliveries(api, payloads).find(missed, issues);
    } else {
      new GitHubDeliveries(api, payloads, config.listedHooks()).find(missed);
    }
  }

  @Override
  public Posting post(RepositoryIssue issue, Notice notice, @Nullable PostRef status) {
    return posts.post(api, issue, notice, status);
  }
}
