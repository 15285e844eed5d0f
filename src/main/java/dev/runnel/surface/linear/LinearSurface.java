package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Actor;
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
import dev.runnel.core.model.Run;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.kit.CommentPosts;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.MarkdownPosts;
import dev.runnel.surface.kit.WebhookBody;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// The Linear surface: issues and agent sessions. Thread-safe.
public final class LinearSurface implements Surface {
  /// The path at which its webhooks are received.
  public static final String PATH = "/webhooks/linear";

  private static final SurfaceId ID = new SurfaceId("linear");
  private static final Duration TOLERANCE = Duration.ofMinutes(1);
  private static final Pattern DELIVERY = Pattern.compile("[!-~]{1,200}");
  private static final MarkdownPosts.Dialect DIALECT = new MarkdownPosts.Dialect(60_000, false);

  private final Hmac hmac;
  private final LinearApi api;
  private final LinearAccount account;
  private final LinearPayloads payloads;
  private final LinearAccessCheck door;
  private final CommentPosts comments;
  private final LinearSessions sessions;
  private final LinearBackground background;
  private final LinearMissedDeliveries catchUp;

  public LinearSurface(LinearConfig config, OkHttpClient http, InstantSource clock) {
    this.hmac = new Hmac(config.webhookSecrets());
    this.api = new LinearApi(config, http, clock);
    this.account = new LinearAccount(api);
    this.payloads = new LinearPayloads(ID, config.tracker(), account);
    this.door = new LinearAccessCheck(api, config);
    var renderer = new MarkdownPosts(config.tracker(), DIALECT);
    this.comments = new CommentPosts(config.tracker(), renderer);
    this.sessions = new LinearSessions(api, renderer);
    this.background = new LinearBackground(api, door, account);
    this.catchUp = new LinearMissedDeliveries(ID, api, payloads, clock);
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

  /// Linear accepts only 200 as a success.
  @Override
  public WebhookResult receive(RawRequest request) {
    if (!hmac.signs(request.header("Linear-Signature").orElse(""), request.body())) {
      return WebhookResult.Rejected.with(401, "no valid signature");
    }
    var payload = WebhookBody.json(request);
    if (payload.isEmpty()) {
      return WebhookResult.Rejected.with(400, "the body is not a JSON object");
    }
    if (!isFresh(payload.get(), request.arrivedAt())) {
      return WebhookResult.Rejected.with(
          401, "the time in the body is missing, or too far from ours");
    }
    var delivery = request.header("Linear-Delivery").filter(id -> DELIVERY.matcher(id).matches());
    if (delivery.isEmpty()) {
      return WebhookResult.Rejected.with(400, "the header Linear-Delivery is missing");
    }
    return payloads
        .read(DeliveryId.of(ID, delivery.get()), payload.get(), request.arrivedAt())
        .<WebhookResult>map(said -> new WebhookResult.Accepted(said, Reply.empty(200)))
        .orElseGet(() -> new WebhookResult.Answered(Reply.empty(200)));
  }

  /// The timestamp in the body is signed; the one in the header is not.
  private static boolean isFresh(JsonNode payload, Instant arrivedAt) {
    var sent = payload.path("webhookTimestamp");
    return sent.isIntegralNumber()
        && sent.canConvertToLong()
        && Math.abs(arrivedAt.toEpochMilli() - sent.longValue()) <= TOLERANCE.toMillis();
  }

  @Override
  public Admission admit(Delivery delivery) {
    return door.admit(delivery);
  }

  @Override
  public boolean isAvailable() {
    return api.isAvailable();
  }

  @Override
  public Background background(Delivery delivery) {
    return background.read(delivery);
  }

  @Override
  public MissedDeliveries missed(Instant since, List<Conversation> conversations) {
    account.learn();
    return catchUp.since(since);
  }

  /// Every delivery belongs to an issue, so there is never a thread to open.
  @Override
  public Posting open(Delivery delivery, boolean again) {
    return new Posting.Undeliverable("On Linear a conversation is an issue; none can be opened.");
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var session = session(notice);
    return session.isPresent()
        ? sessions.post(session.get(), notice)
        : comments.post(
            new LinearThread(api, notice.conversation().key(), account), byName(notice), status);
  }

  /// The session of the message that the notice acknowledges.
  private static Optional<String> session(Notice notice) {
    return notice.update() instanceof Update.Received(PostRef message, _, _)
        ? LinearId.session(message)
        : notice.origin().message().flatMap(LinearId::session);
  }

  /// Mentions people by name: an id after an at sign would mention nobody.
  private static Notice byName(Notice notice) {
    return notice.update() instanceof Update.Blocked(Run run, Actor requester, String question)
        ? notice.saying(
            new Update.Blocked(run, new Actor(requester.name(), requester.name()), question))
        : notice;
  }
}
