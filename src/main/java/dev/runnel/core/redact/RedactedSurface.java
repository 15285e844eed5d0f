package dev.runnel.core.redact;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.ConversationPolicy;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.GroupLookup;
import dev.runnel.core.model.LinkTarget;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.port.Surface;
import dev.runnel.text.Redactor;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Wraps a surface: redacts secrets in posts, and in the reasons for failures.
public final class RedactedSurface implements Surface {
  private final Surface surface;
  private final TextMapping redacted;

  public RedactedSurface(Surface surface, Redactor redactor) {
    this.surface = surface;
    this.redacted = new TextMapping(redactor::redact);
  }

  @Override
  public boolean isStatusPost(PostRef first, Conversation thread) {
    return surface.isStatusPost(first, thread);
  }

  @Override
  public Posting openThread(Delivery delivery, boolean again) {
    return told(surface.openThread(delivery.withIntent(redacted.intent(delivery.intent())), again));
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    return told(surface.post(notice.saying(redacted.update(notice.update())), status));
  }

  @Override
  public boolean takesFiles(Conversation conversation) {
    return surface.takesFiles(conversation);
  }

  @Override
  public Posting upload(Notice notice, byte[] content) {
    return told(surface.upload(notice.saying(redacted.update(notice.update())), content));
  }

  private Posting told(Posting posting) {
    return switch (posting) {
      case Posting.Posted posted -> posted;
      case Posting.Later(var after, var why) -> new Posting.Later(after, redacted.text(why));
      case Posting.Undeliverable(var why) -> new Posting.Undeliverable(redacted.text(why));
    };
  }

  @Override
  public SurfaceId id() {
    return surface.id();
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    return surface.receive(request);
  }

  @Override
  public int maxBodyBytes() {
    return surface.maxBodyBytes();
  }

  @Override
  public boolean isAvailable() {
    return surface.isAvailable();
  }

  @Override
  public Admission admit(Delivery delivery) {
    return surface.admit(delivery);
  }

  @Override
  public GroupLookup groups(Delivery delivery, Set<String> names) {
    return surface.groups(delivery, names);
  }

  @Override
  public boolean isByOperator(Delivery delivery) {
    return surface.isByOperator(delivery);
  }

  @Override
  public Optional<Set<String>> names(Delivery delivery) {
    return surface.names(delivery);
  }

  @Override
  public Background background(Delivery delivery) {
    return surface.background(delivery);
  }

  @Override
  public ConversationPolicy conversationPolicy(Conversation conversation) {
    return surface.conversationPolicy(conversation);
  }

  @Override
  public Optional<String> editBudget(Conversation conversation) {
    return surface.editBudget(conversation);
  }

  @Override
  public String rateLimit(Conversation conversation) {
    return surface.rateLimit(conversation);
  }

  @Override
  public Optional<LinkTarget> linkTarget(URI link, Conversation from) {
    return surface.linkTarget(link, from);
  }

  @Override
  public Optional<Conversation> issue(URI link) {
    return surface.issue(link);
  }

  @Override
  public boolean isSilent() {
    return surface.isSilent();
  }

  @Override
  public Optional<Duration> statusLifetime(Conversation conversation) {
    return surface.statusLifetime(conversation);
  }

  @Override
  public MissedDeliveries missedDeliveries(Instant since, List<Conversation> conversations) {
    return surface.missedDeliveries(since, conversations);
  }
}
