package dev.runnel.surface.tracker;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.LinkParser;
import dev.runnel.core.port.MissedDeliverySource;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import dev.runnel.json.RefusedJsonException;
import dev.runnel.surface.ConnectedPlatform;
import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.kit.TrackerCalls;
import dev.runnel.surface.kit.TrackerUnavailable;
import dev.runnel.surface.kit.WebhookBody;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The surface of an issue tracker: a conversation is an issue, its messages are comments.
/// Thread-safe.
///
/// @param <I> the key of an issue
public final class TrackerSurface<I>
    implements Surface, SenderLookup, LinkParser, PostingLimits, ConnectedPlatform {
  private final SurfaceId id;
  private final TrackerCalls calls;
  private final Runnable learnAccount;
  private final Tracker<I> tracker;

  /// @param learnAccount looks up the account that our token belongs to, unless it is known
  public TrackerSurface(
      SurfaceId id, TrackerCalls calls, Runnable learnAccount, Tracker<I> tracker) {
    this.id = id;
    this.calls = calls;
    this.learnAccount = learnAccount;
    this.tracker = tracker;
  }

  @Override
  public Surface surface() {
    return this;
  }

  @Override
  public String status() {
    return tracker.setupProblem().map(it -> "on, but " + it).orElse("on");
  }

  @Override
  public List<ConnectionCheck> check() {
    return List.of(ConnectionCheck.of(calls.check().or(tracker::setupProblem)));
  }

  @Override
  public void start() {
    learnAccount.run();
  }

  @Override
  public SurfaceId id() {
    return id;
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    var problem = tracker.authenticationProblem(request);
    if (problem.isPresent()) {
      return WebhookResult.Rejected.with(401, problem.get());
    }
    if (tracker.ignores(request)) {
      return new WebhookResult.Answered(Reply.empty(204));
    }
    try {
      return tracker.parse(request, WebhookBody.json(request, tracker.projection()));
    } catch (RefusedJsonException refused) {
      return WebhookResult.Rejected.with(400, refused.why());
    }
  }

  @Override
  public Admission admit(Delivery delivery) {
    try {
      return tracker
          .issue(delivery.conversation())
          .map(issue -> tracker.admit(issue, delivery))
          .orElse(Admission.ADMITTED);
    } catch (TrackerUnavailable unavailable) {
      return new Admission.Unknown(unavailable.after(), unavailable.why());
    }
  }

  @Override
  public Optional<Conversation> conversationIn(String place) {
    return Optional.of(new Conversation(id, place.contains("#") ? place : place + "#1"))
        .filter(it -> tracker.issue(it).isPresent());
  }

  @Override
  public GroupLookup groups(Delivery delivery, Set<String> names) {
    try {
      return tracker
          .issue(delivery.conversation())
          .<GroupLookup>map(issue -> new GroupLookup.Known(tracker.groups(issue, delivery, names)))
          .orElse(GroupLookup.NONE);
    } catch (TrackerUnavailable unavailable) {
      return new GroupLookup.Unknown(unavailable.after(), unavailable.why());
    }
  }

  @Override
  public Actor.Author author(Delivery delivery) {
    try {
      return new Actor.Author(
          delivery.actor().name(),
          tracker.issue(delivery.conversation()).flatMap(issue -> tracker.email(issue, delivery)));
    } catch (TrackerUnavailable _) {
      // A start does not wait for an email address.
      return new Actor.Author(delivery.actor().name(), Optional.empty());
    }
  }

  @Override
  public boolean isAvailable() {
    return calls.isAvailable();
  }

  @Override
  public BackgroundReader background() {
    return this::background;
  }

  private Background background(Delivery delivery) {
    try {
      return tracker
          .issue(delivery.conversation())
          .map(issue -> tracker.background(issue, delivery))
          .orElse(Background.NONE);
    } catch (TrackerUnavailable unavailable) {
      throw new BackgroundUnavailable(unavailable.why(), unavailable.after(), unavailable);
    }
  }

  @Override
  public ConversationPolicy conversationPolicy(Conversation conversation) {
    return tracker.policy();
  }

  @Override
  public Optional<LinkTarget> target(URI link, Conversation from) {
    return tracker.target(link);
  }

  @Override
  public Optional<Conversation> issue(URI link) {
    return tracker.target(link).map(LinkTarget::conversation);
  }

  @Override
  public MissedDeliverySource missed() {
    return this::missed;
  }

  private MissedDeliveries missed(Instant since, Instant from, List<Conversation> conversations) {
    learnAccount.run();
    var missed = new MissedDeliveryCollector(id, since, from, calls.clock().instant());
    try {
      tracker.findMissed(
          missed, conversations.stream().flatMap(each -> tracker.issue(each).stream()).toList());
    } catch (TrackerUnavailable unavailable) {
      return new MissedDeliveries.Unknown(unavailable.after(), unavailable.why());
    }
    return missed.deliveries();
  }

  @Override
  public SenderLookup senders() {
    return this;
  }

  @Override
  public LinkParser links() {
    return this;
  }

  @Override
  public PostingLimits limits() {
    return this;
  }

  @Override
  public String rateLimit(Conversation conversation) {
    return tracker
        .issue(conversation)
        .flatMap(tracker::installation)
        .map(it -> id + ":" + it)
        .orElse(id.value());
  }

  @Override
  public Optional<EditBudget> editBudget(Conversation conversation) {
    return Optional.of(new EditBudget(rateLimit(conversation), tracker.editsPerMinute()));
  }

  @Override
  public Optional<Duration> statusLifetime(Conversation conversation) {
    return tracker.statusLifetime();
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    return tracker
        .issue(notice.conversation())
        .map(issue -> tracker.post(issue, notice, status))
        .orElseGet(
            () ->
                new Posting.Undeliverable(
                    notice.conversation() + " is not an issue on " + calls.platform() + "."));
  }
}
