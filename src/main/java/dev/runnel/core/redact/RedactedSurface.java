package dev.runnel.core.redact;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.FileUploader;
import dev.runnel.core.port.LinkParser;
import dev.runnel.core.port.MissedDeliverySource;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.ThreadOpener;
import dev.runnel.text.Redactor;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Wraps a surface: redacts secrets in posts, and in the reasons for failures.
public final class RedactedSurface implements Surface {
  private final Surface surface;
  private final TextMapping texts;

  public RedactedSurface(Surface surface, Redactor redactor) {
    this.surface = surface;
    this.texts = new TextMapping(redactor::redact);
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    return redacted(surface.post(redacted(notice), status));
  }

  @Override
  public ThreadOpener threads() {
    var threads = surface.threads();
    return new ThreadOpener() {
      @Override
      public Posting open(Delivery delivery, boolean again) {
        var intent = texts.intent(delivery.intent());
        return redacted(threads.open(delivery.withIntent(intent), again));
      }

      @Override
      public boolean isStatusPost(PostRef first, Conversation thread) {
        return threads.isStatusPost(first, thread);
      }
    };
  }

  @Override
  public FileUploader files() {
    var files = surface.files();
    return new FileUploader() {
      @Override
      public boolean accepts(Conversation conversation) {
        return files.accepts(conversation);
      }

      @Override
      public Posting upload(Notice notice, Path content) {
        return redacted(files.upload(redacted(notice), content));
      }
    };
  }

  private Notice redacted(Notice notice) {
    return notice.withUpdate(texts.update(notice.update()));
  }

  private Posting redacted(Posting posting) {
    return switch (posting) {
      case Posting.Posted posted -> posted;
      case Posting.Later(var after, var why) -> new Posting.Later(after, texts.text(why));
      case Posting.Undeliverable(var why) -> new Posting.Undeliverable(texts.text(why));
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
  public boolean isSilent() {
    return surface.isSilent();
  }

  @Override
  public ConversationPolicy conversationPolicy(Conversation conversation) {
    return surface.conversationPolicy(conversation);
  }

  @Override
  public SenderLookup senders() {
    return surface.senders();
  }

  @Override
  public BackgroundReader background() {
    return surface.background();
  }

  @Override
  public LinkParser links() {
    return surface.links();
  }

  @Override
  public PostingLimits limits() {
    return surface.limits();
  }

  @Override
  public MissedDeliverySource missed() {
    return surface.missed();
  }
}
