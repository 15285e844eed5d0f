package dev.runnel.console.access;

import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import org.jspecify.annotations.Nullable;

/// The conversations of [ApiRuns] as a surface. It receives nothing: their messages come from the
/// pages of the console, which also show the answers.
public record ApiRunSurface(ConsoleSurface console) implements Surface {
  @Override
  public SurfaceId id() {
    return ApiRuns.SURFACE;
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    return WebhookResult.Rejected.with(404, "nothing is received here");
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    return console.post(notice, status);
  }

  @Override
  public ConversationPolicy conversationPolicy(Conversation conversation) {
    return console.conversationPolicy(conversation);
  }

  @Override
  public SenderLookup senders() {
    return console;
  }

  @Override
  public boolean isSilent() {
    return true;
  }
}
