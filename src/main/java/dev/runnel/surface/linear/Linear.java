package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Run;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.TrackerUnavailable;
import dev.runnel.surface.kit.Webhooks;
import dev.runnel.surface.tracker.CommentPosts;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueProgress;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.surface.tracker.TrackerSurface;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// Linear: issues, by their ids, and agent sessions. Thread-safe.
public final class Linear implements Tracker<String> {
  /// The path at which its webhooks are received.
  public static final String PATH = "/webhooks/linear";

  static final SurfaceId ID = new SurfaceId("linear");
  private static final Duration TOLERANCE = Duration.ofMinutes(1);
  // Linear shows a session as stale after 30 minutes without an activity.
  private static final Duration SESSION_LIFETIME = Duration.ofMinutes(25);
  private static final MarkdownPosts.Dialect DIALECT = new MarkdownPosts.Dialect(60_000, false);

  private final Hmac hmac;
  private final LinearApi api;
  private final LinearAccount account;
  private final LinearPayloads payloads;
  private final LinearAccessCheck access;
  private final CommentPosts comments;
  private final LinearSessions sessions;
  private final IssueProgress<String> progress;

  private Linear(LinearConfig config, LinearApi api, LinearAccount account) {
    this.hmac = new Hmac(config.webhookSecrets());
    this.api = api;
    this.account = account;
    this.payloads = new LinearPayloads(config.tracker(), new IssueRules(config.tracker()), account);
    this.access = new LinearAccessCheck(api, config.access(), config.tracker().trigger());
    var renderer = new MarkdownPosts(config.tracker(), DIALECT);
    this.comments = new CommentPosts(config.tracker(), renderer);
    this.sessions = new LinearSessions(api, renderer);
    this.progress = new IssueProgress<>(config.states(), api::states, api::move);
  }

  public static TrackerSurface<?> surface(
      LinearConfig config, OkHttpClient http, InstantSource clock) {
    var api = new LinearApi(config, http, clock);
    var account = new LinearAccount(api);
    return new TrackerSurface<>(ID, api.calls(), account::learn, new Linear(config, api, account));
  }

  @Override
  public Optional<String> authenticationProblem(RawRequest request) {
    return hmac.signs(request.header("Linear-Signature").orElse(""), request.body())
        ? Optional.empty()
        : Optional.of("no valid signature");
  }

  @Override
  public Projection projection() {
    return LinearPayloads.READ;
  }

  /// Linear accepts only 200 as a success.
  @Override
  public WebhookResult parse(RawRequest request, JsonNode payload) {
    if (!isFresh(payload, request.arrivedAt())) {
      return WebhookResult.Rejected.with(401, "the timestamp in the body is missing or stale");
    }
    var id = Webhooks.id(request, List.of("Linear-Delivery"));
    if (id.isEmpty()) {
      return WebhookResult.Rejected.with(400, "the header Linear-Delivery is missing");
    }
    return payloads
        .read(DeliveryId.of(ID, id.get()), payload, request.arrivedAt())
        .<WebhookResult>map(it -> new WebhookResult.Accepted(it, Reply.empty(200)))
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
  public Optional<String> issue(Conversation conversation) {
    return Optional.of(conversation.key());
  }

  @Override
  public Admission admit(String issue, Delivery delivery) {
    return access.admit(issue, delivery);
  }

  /// Includes the latest comments of people who may start runs.
  @Override
  public Background background(String id, Delivery delivery) {
    var issue = api.issue(id).required();
    var earlier = new EarlierComments(delivery);
    issue
        .path("comments")
        .path("nodes")
        .valueStream()
        .sorted(Comparator.comparing(Linear::at).reversed())
        .forEach(comment -> addComment(earlier, comment));
    return earlier.background(
        "Linear issue " + Json.text(issue, "identifier").orElse(id),
        Json.text(issue, "title"),
        Json.text(issue, "description").orElse(""),
        Json.texts(issue.path("labels").path("nodes"), "name"),
        Json.link(issue, "url"),
        Json.instant(issue, "updatedAt"));
  }

  private void addComment(EarlierComments earlier, JsonNode comment) {
    var user = comment.path("user");
    earlier.add(
        new EarlierComments.Comment(
            Json.text(comment, "id").map(LinearId::comment),
            LinearPayloads.person(user).map(Actor::name).orElse("Somebody"),
            at(comment),
            Json.instant(comment, "updatedAt").orElse(at(comment)),
            HiddenMarker.show(Json.text(comment, "body").orElse(""))),
        () -> access.mayAsk(user),
        account.mayBe(Json.text(user, "id")));
  }

  private static Instant at(JsonNode comment) {
    return Json.instant(comment, "createdAt").orElse(Instant.EPOCH);
  }

  @Override
  public Optional<Duration> statusLifetime() {
    return account.hasSessions() ? Optional.of(SESSION_LIFETIME) : Optional.empty();
  }

  /// Reads the whole workspace.
  @Override
  public void findMissed(MissedDeliveryCollector missed, List<String> issues) {
    if (!account.isKnown()) {
      throw new TrackerUnavailable(Optional.empty(), "The account of the token cannot be read");
    }
    new LinearMissedDeliveries(api, payloads).find(missed);
  }

  @Override
  public Posting post(String issue, Notice notice, @Nullable PostRef status) {
    var session = session(notice);
    if (session.isEmpty() && notice.update() instanceof Update.Still) {
      // Only sessions expire.
      return new Posting.Posted(
          status != null ? status : new PostRef(notice.id().value()), notice.conversation());
    }
    var posting =
        session.isPresent()
            ? sessions.post(session.get(), notice)
            : comments.post(new LinearComments(api, account), issue, byName(notice), status);
    return posting instanceof Posting.Posted && notice.update() instanceof Update.Status update
        ? CommentPosts.with(progress.update(issue, update), posting, notice)
        : posting;
  }

  /// The session that contains the message that the notice acknowledges.
  private static Optional<String> session(Notice notice) {
    return notice.update() instanceof Update.Received(PostRef message, _, _)
        ? LinearId.session(message)
        : notice.origin().message().flatMap(LinearId::session);
  }

  /// Mentions people by name: an id after an at sign would mention nobody.
  private static Notice byName(Notice notice) {
    return switch (notice.update()) {
      case Update.Blocked(Run run, Actor requester, String question) ->
          notice.withUpdate(new Update.Blocked(run, named(requester), question));
      case Update.Reminder(
              Run run,
              Actor requester,
              String question,
              int number,
              Instant asked,
              Instant at) ->
          notice.withUpdate(
              new Update.Reminder(run, named(requester), question, number, asked, at));
      default -> notice;
    };
  }

  private static Actor named(Actor person) {
    return new Actor(person.name(), person.name());
  }
}
