package dev.runnel.surface.gitea;

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
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.MarkdownPosts;
import dev.runnel.surface.kit.WebhookBody;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// The Gitea and Forgejo surface: issues and pull requests. Thread-safe.
public final class GiteaSurface implements Surface {
  /// The path at which its webhooks are received.
  public static final String PATH = "/webhooks/gitea";

  private static final SurfaceId ID = new SurfaceId("gitea");
  private static final List<String> FORGES = List.of("X-Forgejo-", "X-Gitea-");
  private static final Pattern SIGNATURE = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern DELIVERY = Pattern.compile("[!-~]{1,200}");
  private static final MarkdownPosts.Dialect DIALECT = new MarkdownPosts.Dialect(65_535, false);

  private final Hmac hmac;
  private final GiteaApi api;
  private final BotAccount account;
  private final GiteaPayloads payloads;
  private final GiteaAccessCheck door;
  private final CommentPosts posts;
  private final GiteaBackground background;
  private final GiteaMissedDeliveries catchUp;

  public GiteaSurface(GiteaConfig config, OkHttpClient http, InstantSource clock) {
    this.hmac = new Hmac(config.webhookSecrets());
    this.api = new GiteaApi(config, http, clock);
    this.account = new BotAccount(api::account);
    this.payloads = new GiteaPayloads(ID, config.tracker(), account);
    this.door = new GiteaAccessCheck(api, config.tracker().trigger(), account);
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), DIALECT));
    this.background = new GiteaBackground(api, door, account);
    this.catchUp = new GiteaMissedDeliveries(ID, api, payloads, clock);
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

  /// Gitea also sends GitHub's headers, and an empty signature header if the webhook has no secret.
  @Override
  public WebhookResult receive(RawRequest request) {
    if (!isSigned(request)) {
      return WebhookResult.Rejected.with(401, "no valid signature");
    }
    var payload = WebhookBody.json(request);
    if (payload.isEmpty()) {
      return WebhookResult.Rejected.with(400, "the body is not a JSON object");
    }
    var event = header(request, "Event");
    var delivery = header(request, "Delivery").filter(id -> DELIVERY.matcher(id).matches());
    if (event.isEmpty() || delivery.isEmpty()) {
      return WebhookResult.Rejected.with(
          400, "the headers X-Gitea-Event and X-Gitea-Delivery are missing");
    }
    return payloads
        .read(event.get(), DeliveryId.of(ID, delivery.get()), payload.get(), request.arrivedAt())
        .<WebhookResult>map(said -> new WebhookResult.Accepted(said, Reply.empty(202)))
        .orElseGet(() -> new WebhookResult.Answered(Reply.empty(204)));
  }

  /// For a form body, the decoded field is signed.
  private boolean isSigned(RawRequest request) {
    var signature = header(request, "Signature").orElse("");
    return SIGNATURE.matcher(signature).matches()
        && hmac.signs(signature, WebhookBody.payload(request));
  }

  private static Optional<String> header(RawRequest request, String name) {
    return FORGES.stream().flatMap(forge -> request.header(forge + name).stream()).findFirst();
  }

  @Override
  public Admission admit(Delivery delivery) {
    return GiteaIssue.of(delivery.conversation())
        .map(issue -> door.admit(issue, delivery))
        .orElse(Admission.ADMITTED);
  }

  @Override
  public boolean isAvailable() {
    return api.isAvailable();
  }

  @Override
  public Background background(Delivery delivery) {
    return GiteaIssue.of(delivery.conversation())
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
    return new Posting.Undeliverable("On Gitea a conversation is an issue; none can be opened.");
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var issue = GiteaIssue.of(notice.conversation());
    return issue.isEmpty()
        ? new Posting.Undeliverable(notice.conversation() + " is no issue on Gitea.")
        : posts.post(new GiteaComments(api, issue.get(), account), notice, status);
  }
}
