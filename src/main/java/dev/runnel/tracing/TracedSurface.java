package dev.runnel.tracing;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.FileUploader;
import dev.runnel.core.port.LinkParser;
import dev.runnel.core.port.MissedDeliverySource;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.ThreadOpener;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/// Wraps a surface: records a span for each post, in the trace of the delivery that started its
/// run. A post about no run has a trace of its own.
record TracedSurface(Surface surface, Traces traces) implements Surface {
  private static final Traces.Describer<Posting> POSTING =
      new Traces.Describer<>() {
        @Override
        public String outcome(Posting result) {
          return switch (result) {
            case Posting.Posted _ -> "posted";
            case Posting.Later _ -> "later";
            case Posting.Undeliverable _ -> "undeliverable";
          };
        }

        @Override
        public boolean isFailure(Posting result) {
          return result instanceof Posting.Undeliverable;
        }
      };

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var run = notice.update().aboutRun();
    var attributes = new HashMap<String, String>();
    attributes.put("runnel.notice", notice.id().value());
    attributes.put("runnel.conversation", notice.conversation().toString());
    attributes.put("runnel.surface", surface.id().value());
    attributes.put("runnel.update", notice.update().getClass().getSimpleName());
    run.ifPresent(it -> attributes.put("runnel.run", it.id().value()));
    return traces.called(
        "post",
        run.flatMap(Run::delivery),
        attributes,
        () -> surface.post(notice, status),
        POSTING);
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
  public ThreadOpener threads() {
    return surface.threads();
  }

  @Override
  public BackgroundReader background() {
    return surface.background();
  }

  @Override
  public FileUploader files() {
    return surface.files();
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
