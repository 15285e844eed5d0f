package dev.runnel.surface.jira;

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
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.CommentPosts;
import dev.runnel.surface.kit.Markdown;
import dev.runnel.surface.kit.MarkdownPosts;
import dev.runnel.surface.kit.WebhookBody;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// The Jira surface, for Cloud and Data Center. Thread-safe.
public final class JiraSurface implements Surface {
  /// The path at which its webhooks are received. On Data Center the secret may follow it.
  public static final String PATH = "/webhooks/jira";

  private static final SurfaceId ID = new SurfaceId("jira");
  private static final Pattern DELIVERY = Pattern.compile("[!-~]{1,200}");
  // Jira's limit is 32,767, including markup.
  private static final int MAX = 30_000;
  private static final int MAX_NAME = 150;

  private final JiraProofs proofs;
  private final JiraApi api;
  private final BotAccount account;
  private final JiraPayloads payloads;
  private final JiraAccessCheck door;
  private final CommentPosts posts;
  private final JiraProgress progress;
  private final JiraBackground background;
  private final JiraMissedDeliveries catchUp;

  public JiraSurface(JiraConfig config, OkHttpClient http, InstantSource clock) {
    this.proofs = new JiraProofs(config.webhookSecrets(), config.isCloud());
    this.api = new JiraApi(config, http, clock);
    this.account = new BotAccount(api::account);
    this.payloads = new JiraPayloads(ID, api.site(), config.url(), config.tracker(), account);
    this.door = new JiraAccessCheck(api, config.access());
    this.posts =
        new CommentPosts(
            config.tracker(),
            new MarkdownPosts(
                config.tracker(),
                new MarkdownPosts.Dialect(
                    MAX,
                    false,
                    person ->
                        "[@%s](<%s%s>)"
                            .formatted(
                                Markdown.plain(person.name(), MAX_NAME),
                                Adf.PERSON,
                                person.id()))));
    this.progress = new JiraProgress(api, config.transitions());
    this.background = new JiraBackground(api, door, payloads, config.url());
    this.catchUp = new JiraMissedDeliveries(ID, api, payloads, config.tracker().label(), clock);
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
    if (!proofs.proved(request)) {
      return WebhookResult.Rejected.with(401, "no valid signature or secret");
    }
    var payload = WebhookBody.json(request);
    if (payload.isEmpty()) {
      return WebhookResult.Rejected.with(400, "the body is not a JSON object");
    }
    return payloads
        .read(DeliveryId.of(ID, deliveryId(request)), payload.get(), request.arrivedAt())
        .<WebhookResult>map(said -> new WebhookResult.Accepted(said, Reply.empty(202)))
        .orElseGet(() -> new WebhookResult.Answered(Reply.empty(204)));
  }

  /// The same for all attempts of a delivery. If Jira sends no id, the body identifies it, because
  /// it contains its time.
  private static String deliveryId(RawRequest request) {
    return request
        .header("X-Atlassian-Webhook-Identifier")
        .filter(id -> DELIVERY.matcher(id).matches())
        .orElseGet(() -> "sha256-" + digest(request.body()));
  }

  private static String digest(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256", impossible);
    }
  }

  @Override
  public Admission admit(Delivery delivery) {
    return JiraIssue.of(delivery.conversation())
        .map(issue -> door.admit(issue, delivery))
        .orElse(Admission.ADMITTED);
  }

  @Override
  public boolean isAvailable() {
    return api.isAvailable();
  }

  @Override
  public Background background(Delivery delivery) {
    return JiraIssue.of(delivery.conversation())
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
    return new Posting.Undeliverable("On Jira a conversation is an issue; none can be opened.");
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var issue = JiraIssue.of(notice.conversation());
    if (issue.isEmpty()) {
      return new Posting.Undeliverable(notice.conversation() + " is no issue on Jira.");
    }
    var posting =
        posts.post(new JiraComments(api, issue.get(), mayPing(notice.update())), notice, status);
    if (posting instanceof Posting.Posted && notice.update() instanceof Update.Status update) {
      progress.show(issue.get(), notice.conversation(), update.run().state());
    }
    return posting;
  }

  /// A question mentions the person it is for; the agent's text mentions nobody else.
  private static Predicate<String> mayPing(Update update) {
    return update instanceof Update.Blocked blocked ? blocked.requester().id()::equals : _ -> false;
  }
}
