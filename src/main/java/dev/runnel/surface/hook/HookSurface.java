package dev.runnel.surface.hook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import dev.runnel.json.BoundedJson;
import dev.runnel.json.Projection;
import dev.runnel.json.RefusedJsonException;
import dev.runnel.memory.Share;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// The surface of the configured hooks: receives JSON, and posts the results to the hook's
/// callback. Thread-safe.
public final class HookSurface implements Surface {
  /// The path prefix of all hooks, followed by the hook's name.
  public static final String PATH = "/webhooks/hooks/";

  public static final SurfaceId ID = new SurfaceId("hooks");
  private volatile Map<String, Hook> hooks;
  private final HookCallback callback;
  private final Share memory;

  /// @param memory for bodies that are inflated
  public HookSurface(List<Hook> hooks, OkHttpClient http, InstantSource clock, Share memory) {
    this.memory = memory;
    this.hooks = byName(hooks);
    this.callback = new HookCallback(http, clock);
  }

  private static Map<String, Hook> byName(List<Hook> hooks) {
    return hooks.stream().collect(Collectors.toMap(Hook::name, Function.identity()));
  }

  public void replace(List<Hook> newHooks) {
    hooks = byName(newHooks);
  }

  @Override
  public SurfaceId id() {
    return ID;
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    var hook =
        request.path().startsWith(PATH)
            ? Optional.ofNullable(hooks.get(request.path().substring(PATH.length())))
            : Optional.<Hook>empty();
    if (hook.isEmpty()) {
      return rejected(404, "There is no such hook.", "no such hook");
    }
    if (!hook.get().proof().proves(request)) {
      return WebhookResult.Rejected.with(401, "no valid signature or token");
    }
    try (var body = HookBody.of(request, maxBodyBytes(), memory).orElse(null)) {
      return body == null
          ? rejected(503, "There is no memory for this body now. Send it again.", "no memory")
          : receive(hook.get(), request, body.bytes());
    } catch (HookBody.TooLarge tooLarge) {
      return rejected(413, "The body is too large when it is inflated.", "too large inflated");
    } catch (IOException damaged) {
      return rejected(400, "The body cannot be read: it is not gzip.", "not gzip");
    }
  }

  private static WebhookResult receive(Hook hook, RawRequest request, byte[] bytes) {
    JsonNode body;
    try {
      body = body(hook, bytes);
    } catch (RefusedJsonException refused) {
      return rejected(400, "The body cannot be read: " + refused.why() + ".", refused.why());
    }
    if (hook.proof() instanceof HookProof.Fresh fresh
        && !fresh.isFresh(body, request.arrivedAt())) {
      return new WebhookResult.Rejected(Reply.empty(401), "the send time is missing or stale");
    }
    return HookCallback.isOurs(body)
        ? new WebhookResult.Answered(Reply.empty(204))
        : read(hook, request, body, bytes);
  }

  private static WebhookResult read(Hook hook, RawRequest request, JsonNode body, byte[] bytes) {
    return switch (HookReading.of(hook, body, bytes, request::header)) {
      case HookReading.Ignored(var why) ->
          new WebhookResult.Answered(Reply.text(200, "Not for this hook: " + why + ".\n"));
      case HookReading.Incomplete(var why) -> rejected(400, why + ".", why);
      case HookReading.Accepted accepted ->
          new WebhookResult.Accepted(
              new Delivery(
                  DeliveryId.of(ID, hook.name() + "/" + accepted.delivery()),
                  "hook:" + hook.name() + "/" + accepted.delivery(),
                  new Conversation(ID, hook.name() + "/" + accepted.conversation()),
                  new Actor("hook:" + hook.name(), "the hook " + hook.name()),
                  accepted.intent(),
                  true,
                  new Origin(accepted.link(), Optional.empty(), Optional.empty(), false),
                  request.arrivedAt()),
              Reply.empty(202));
    };
  }

  /// Rules name a hook `hooks:NAME`.
  @Override
  public SenderLookup senders() {
    return new SenderLookup() {
      @Override
      public GroupLookup groups(Delivery delivery, Set<String> wanted) {
        var key = delivery.conversation().key();
        return new GroupLookup.Known(
            Stream.of(key.substring(0, key.indexOf('/')))
                .filter(wanted::contains)
                .collect(Collectors.toUnmodifiableSet()));
      }
    };
  }

  /// What the hook reads of a body.
  ///
  /// @throws RefusedJsonException if it is not a JSON object, or too large as objects
  static JsonNode body(Hook hook, byte[] bytes) throws RefusedJsonException {
    return BoundedJson.object(bytes, Projection.at(hook.places()));
  }

  private static WebhookResult rejected(int status, String message, String why) {
    return new WebhookResult.Rejected(Reply.text(status, message + "\n"), why);
  }

  /// Without a callback there is nothing to post; the console shows the run.
  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var key = notice.conversation().key();
    var hook = Optional.ofNullable(hooks.get(key.substring(0, Math.max(0, key.indexOf('/')))));
    if (hook.isEmpty()) {
      return new Posting.Undeliverable("The hook is no longer in the configuration.");
    }
    return hook.get().callback().isEmpty()
        ? new Posting.Posted(new PostRef(notice.id().value()), notice.conversation())
        : callback.post(hook.get(), hook.get().callback().get(), notice);
  }

  /// Callbacks of different hooks do not wait for each other.
  @Override
  public PostingLimits limits() {
    return conversation -> ID + ":" + conversation.place();
  }
}
