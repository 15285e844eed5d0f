package dev.runnel.testkit;

import static dev.runnel.testkit.Samples.say;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Surface;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A platform at the door: whatever is posted is a delivery in a thread, whose id is the first word
/// of the body, and whose thread is named by the word's first letter.
public final class EchoSurface implements Surface {
  @Override
  public SurfaceId id() {
    return Samples.SURFACE;
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    var text = new String(request.body(), StandardCharsets.UTF_8);
    var id = text.split(" ", 2)[0];
    var said =
        Samples.delivery(
            id, say(text), new Conversation(Samples.SURFACE, "team/channel/" + id.charAt(0)));
    return new WebhookResult.Accepted(at(said, request.arrivedAt()), Reply.text(200, "kept"));
  }

  private static Delivery at(Delivery delivery, Instant arrivedAt) {
    return delivery.withArrivedAt(arrivedAt);
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    return new Posting.Undeliverable("nowhere");
  }
}
