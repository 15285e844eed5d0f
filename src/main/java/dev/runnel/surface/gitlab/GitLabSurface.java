package dev.runnel.surface.gitlab;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
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
import dev.runnel.surface.kit.MarkdownPosts;
import dev.runnel.surface.kit.StandardWebhooks;
import dev.runnel.surface.kit.WebhookBody;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// The GitLab surface: issues and merge requests. Thread-safe.
public final class GitLabSurface implements Surface {
  /// The path at which its webhooks are received.
  public static final String PATH = "/webhooks/gitlab";

  private static final SurfaceId ID = new SurfaceId("gitlab");
  // The first is the same for all attempts of a delivery; older servers send only the last.
  private static final List<String> DELIVERY_IDS =
      List.of("Idempotency-Key", StandardWebhooks.ID, "X-Gitlab-Event-UUID");
  private static final Pattern DELIVERY = Pattern.compile("[!-~]{1,200}");
  private static final MarkdownPosts.Dialect DIALECT = new MarkdownPosts.Dialect(1_000_000, true);

  private final List<String> secretTokens;
  private final StandardWebhooks signatures;
  private final GitLabApi api;
  private final BotAccount account;
  private final GitLabPayloads payloads;
  private final GitLabAccessCheck door;
  private final CommentPosts posts;
  private final GitLabBackground background;
  private final GitLabMissedDeliveries catchUp;

  public GitLabSurface(GitLabConfig config, OkHttpClient http, InstantSource clock) {
    this.secretTokens = config.secretTokens();
    this.signatures = new StandardWebhooks(config.signingTokens());
    this.api = new GitLabApi(config, http, clock);
    this.account = new BotAccount(api::account);
    this.payloads = new GitLabPayloads(ID, config.tracker(), account);
    this.door = new GitLabAccessCheck(api, config.access());
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), DIALECT));
    this.background = new GitLabBackground(api, door, account);
    this.catchUp = new GitLabMissedDeliveries(ID, api, payloads, clock);
  }

  /// Asks once whether the token is valid.
  ///
  /// @return one sentence on what to do if it is not; empty if it is
  public Optional<String> check() {
    return api.check();
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
    if (!signatures.signed(request) && !hasSecretToken(request)) {
      return WebhookResult.Rejected.with(401, "no valid signature or secret token");
    }
    var payload = WebhookBody.json(request);
    if (payload.isEmpty()) {
      return WebhookResult.Rejected.with(400, "the body is not a JSON object");
    }
    var delivery =
        DELIVERY_IDS.stream()
            .flatMap(name -> request.header(name).stream())
            .findFirst()
            .filter(id -> DELIVERY.matcher(id).matches());
    if (request.header("X-Gitlab-Event").isEmpty() || delivery.isEmpty()) {
      return WebhookResult.Rejected.with(
          400, "the headers X-Gitlab-Event and Idempotency-Key are missing");
    }
    return payloads
        .read(DeliveryId.of(ID, delivery.get()), payload.get(), request.arrivedAt())
        .<WebhookResult>map(said -> new WebhookResult.Accepted(said, Reply.empty(202)))
        .orElseGet(() -> new WebhookResult.Answered(Reply.empty(204)));
  }

  /// Compares with every secret, each in constant time.
  private boolean hasSecretToken(RawRequest request) {
    var claimed = request.header("X-Gitlab-Token").orElse("").getBytes(StandardCharsets.UTF_8);
    return secretTokens.stream()
            .filter(token -> MessageDigest.isEqual(claimed, token.getBytes(StandardCharsets.UTF_8)))
            .count()
        > 0;
  }

  @Override
  public Admission admit(Delivery delivery) {
    return GitLabIssue.of(delivery.conversation())
        .map(issue -> door.admit(issue, delivery))
        .orElse(Admission.ADMITTED);
  }

  @Override
  public boolean isAvailable() {
    return api.isAvailable();
  }

  @Override
  public Background background(Delivery delivery) {
    return GitLabIssue.of(delivery.conversation())
        .map(issue -> background.read(issue, delivery))
        .orElse(Background.NONE);
  }

  @Override
  public MissedDeliveries missed(Instant since, List<Conversation> conversations) {
    account.learn();
    return catchUp.since(since, conversations);
  }

  /// Every delivery belongs to an issue, so there is never a thread to open.
  @Override
  public Posting open(Delivery delivery, boolean again) {
    return new Posting.Undeliverable("On GitLab a conversation is an issue; none can be opened.");
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var issue = GitLabIssue.of(notice.conversation());
    return issue.isEmpty()
        ? new Posting.Undeliverable(notice.conversation() + " is no issue on GitLab.")
        : posts.post(new GitLabComments(api, issue.get(), account), notice, status);
  }
}
