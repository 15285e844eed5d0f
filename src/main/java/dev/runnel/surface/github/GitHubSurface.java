package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.ConversationPolicy;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.LinkTarget;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.Reply;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.CommentPosts;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.MarkdownPosts;
import dev.runnel.surface.kit.Recent;
import dev.runnel.surface.kit.WebhookBody;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The GitHub surface: the trigger label and comments that address Runnel arrive as webhooks,
/// answers are posted as comments. Thread-safe.
public final class GitHubSurface implements Surface {
  /// The path at which GitHub's webhooks are received.
  public static final String PATH = "/webhooks/github";

  private static final Logger log = LoggerFactory.getLogger(GitHubSurface.class);
  private static final SurfaceId ID = new SurfaceId("github");
  private static final Pattern SIGNATURE = Pattern.compile("sha256=(?<hex>[0-9a-f]{64})");
  private static final Pattern DELIVERY = Pattern.compile("[!-~]{1,200}");
  private static final MarkdownPosts.Dialect DIALECT = new MarkdownPosts.Dialect(65_536, false);

  // A review and its comments arrive as separate deliveries at the same time.
  private static final ConversationPolicy MANNERS =
      new ConversationPolicy(ConversationPolicy.Listening.EVERYONE, Duration.ofSeconds(2));

  private final Hmac hmac;
  private final GitHubPayloads payloads;
  private final CommentPosts posts;
  private final BotAccount account;
  private final GitHubApi api;
  private final GitHubBackground background;
  private final GitHubAccessCheck door;
  private final GitHubMissedDeliveries catchUp;
  private final GitHubDeliveries deliveries;
  private final GitHubConfig config;
  private final Map<String, Boolean> unaccepted = Recent.map(1_000);

  public GitHubSurface(GitHubConfig config, OkHttpClient http, InstantSource clock) {
    this.hmac = new Hmac(config.webhookSecrets());
    this.config = config;
    this.api = new GitHubApi(config, http, clock);
    this.account = new BotAccount(api::account);
    this.payloads =
        new GitHubPayloads(
            ID, config.tracker(), account, new CodeQuote(config.webhookSecrets().getFirst()));
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), DIALECT));
    this.background = new GitHubBackground(api, account);
    this.door = new GitHubAccessCheck(api, config);
    this.catchUp = new GitHubMissedDeliveries(ID, api, payloads, clock);
    this.deliveries = new GitHubDeliveries(ID, api, payloads, clock, hooks(config));
  }

  private static List<HookPath> hooks(GitHubConfig config) {
    return switch (config.identity()) {
      case GitHubIdentity.App _ -> List.of(HookPath.OF_THE_APP);
      case GitHubIdentity.Token _ -> config.hooks();
    };
  }

  /// Asks GitHub once whether the token is valid.
  ///
  /// @return one sentence on what to do if it is not; empty if it is
  public Optional<String> check() {
    return api.check().or(this::note);
  }

  /// For the operator: why nobody is served; empty if somebody is.
  public Optional<String> note() {
    return config.acceptsNobody()
        ? Optional.of(
            "serves no account yet. Anybody may install the app, so name the accounts that it is"
                + " for: policy.installations.github: [acme].")
        : Optional.empty();
  }

  /// Looks up the bot's account. May block; can be called again later.
  public void start() {
    account.learn();
  }

  @Override
  public SurfaceId id() {
    return ID;
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    if (request.headers().keySet().stream().anyMatch(GitHubSurface::isOfAnotherForge)) {
      return WebhookResult.Rejected.with(401, "a delivery of Gitea, Forgejo or Gogs");
    }
    if (!isSigned(request)) {
      return WebhookResult.Rejected.with(401, "no valid signature");
    }
    var payload = WebhookBody.json(request);
    if (payload.isEmpty()) {
      return WebhookResult.Rejected.with(400, "the body is not a JSON object");
    }
    var event = request.header("X-GitHub-Event");
    var delivery = request.header("X-GitHub-Delivery").filter(id -> DELIVERY.matcher(id).matches());
    if (event.isEmpty() || delivery.isEmpty()) {
      return WebhookResult.Rejected.with(
          400, "the headers X-GitHub-Event and X-GitHub-Delivery are missing");
    }
    var account =
        Json.text(payload.get().path("repository"), "full_name")
            .map(name -> name.split("/", 2)[0])
            .filter(owner -> !config.accepts(owner));
    if (account.isPresent()) {
      warn(account.get());
      return new WebhookResult.Answered(Reply.empty(204));
    }
    learn(payload.get());
    if (event.get().equals("ping")) {
      return new WebhookResult.Answered(Reply.text(200, "pong"));
    }
    return payloads
        .read(event.get(), DeliveryId.of(ID, delivery.get()), payload.get(), request.arrivedAt())
        .<WebhookResult>map(said -> new WebhookResult.Accepted(said, Reply.empty(202)))
        .orElseGet(() -> new WebhookResult.Answered(Reply.empty(204)));
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

  private void learn(JsonNode payload) {
    var repository = Json.text(payload.path("repository"), "full_name");
    var installation = Json.id(payload.path("installation"), "id");
    if (repository.isPresent() && installation.isPresent()) {
      api.learn(repository.get(), installation.get());
    }
  }

  /// Other forges also send GitHub's headers.
  private static boolean isOfAnotherForge(String header) {
    var name = header.toLowerCase(Locale.ROOT);
    return name.startsWith("x-gitea-")
        || name.startsWith("x-forgejo-")
        || name.startsWith("x-gogs-");
  }

  private boolean isSigned(RawRequest request) {
    var signature = SIGNATURE.matcher(request.header("X-Hub-Signature-256").orElse(""));
    return signature.matches() && hmac.signs(signature.group("hex"), request.body());
  }

  @Override
  public Admission admit(Delivery delivery) {
    return IssueKey.of(delivery.conversation())
        .map(issue -> door.admit(issue, delivery))
        .orElse(Admission.ADMITTED);
  }

  @Override
  public boolean isAvailable() {
    return api.isAvailable();
  }

  @Override
  public Background background(Delivery delivery) {
    return IssueKey.of(delivery.conversation())
        .map(issue -> background.read(issue, delivery))
        .orElse(Background.NONE);
  }

  @Override
  public ConversationPolicy manners(Conversation conversation) {
    return MANNERS;
  }

  @Override
  public Optional<LinkTarget> shown(URI link, Conversation from) {
    return GitHubLinks.shown(link, ID, config.apiUrl());
  }

  @Override
  public MissedDeliveries missed(Instant since, List<Conversation> conversations) {
    account.learn();
    return deliveries.areListed() ? deliveries.since(since) : catchUp.since(since, conversations);
  }

  /// Every delivery from GitHub belongs to an issue, so there is never a thread to open.
  @Override
  public Posting open(Delivery delivery, boolean again) {
    return new Posting.Undeliverable("On GitHub a conversation is an issue; none can be opened.");
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var issue = IssueKey.of(notice.conversation());
    if (issue.isEmpty()) {
      return new Posting.Undeliverable(notice.conversation() + " is no issue on GitHub.");
    }
    return posts.post(new GitHubComments(api, issue.get(), account), notice, status);
  }
}
