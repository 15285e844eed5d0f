package dev.runnel.web;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.memory.Lease;
import dev.runnel.memory.Price;
import dev.runnel.memory.RequestMemory;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Receives deliveries: by `POST` at the paths of the platforms, and by [#take] from Socket Mode
/// and the console.
///
/// The order is essential: limit the size, let the surface verify and parse, commit, respond. After
/// [#close()] it responds to every request with 503, so that senders retry later or on another
/// node.
public final class WebhookEndpoint implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebhookEndpoint.class);

  /// Bodies up to this size are parsed side by side, larger ones one at a time.
  private static final int LARGE_BYTES = 64 * 1024;

  /// Slack waits for three seconds.
  private static final Duration TIMEOUT = Duration.ofMillis(1_800);

  /// A body of 5 MB takes some 50 ms.
  private static final Duration PARSER_TIMEOUT = Duration.ofMillis(200);

  private static final Reply OFF = Reply.text(404, "This platform is not connected here.\n");
  private static final Reply UNREADABLE = Reply.text(400, "The body cannot be read.\n");
  private static final Reply TOO_LARGE = Reply.text(413, "The body is too large.\n");
  private static final Reply LATE = Reply.text(408, "The body did not arrive in time.\n");
  private static final Reply OVERLOADED = Reply.text(503, WebServer.OVERLOADED);
  private static final Reply NOT_STORED =
      Reply.text(503, "This could not be stored just now. Please send it again.\n");

  private static final Reply CLOSED =
      Reply.text(503, "Runnel is shutting down. Please send it again.\n");

  private final Store store;
  private final Surfaces surfaces;
  private final InstantSource clock;
  private final RequestMetrics requestMetrics;
  private final TraceRecorder traces;
  private final Semaphore largeParser = new Semaphore(1);
  private volatile boolean closed;

  public WebhookEndpoint(
      Store store,
      Surfaces surfaces,
      InstantSource clock,
      RequestMetrics requestMetrics,
      TraceRecorder traces) {
    this.traces = traces;
    this.store = store;
    this.surfaces = surfaces;
    this.clock = clock;
    this.requestMetrics = requestMetrics;
  }

  /// Handlers by path, for `POST` requests whose whole body has arrived. Most have, and the layers
  /// of a servlet would cost a tenth of a delivery. The [#routes] handle the others.
  public Map<String, BufferedRequestHandler> direct(Map<String, SurfaceId> paths) {
    Map<String, BufferedRequestHandler> handlers = new HashMap<>();
    paths.forEach(
        (path, surface) ->
            handlers.put(
                path,
                (request, body, memory, response, callback) ->
                    handle(surface, request, body, memory, response, callback)));
    return handlers;
  }

  /// Registers the paths of all surfaces.
  ///
  /// @param paths the paths of deliveries, also of platforms that are off
  /// @param here the surfaces whose deliveries arrive at this listener
  /// @throws IllegalArgumentException if a surface has no path
  public void routes(RoutesConfig routes, Map<String, SurfaceId> paths, Predicate<SurfaceId> here) {
    for (var surface : surfaces.byId().keySet()) {
      if (!paths.containsValue(surface)) {
        throw new IllegalArgumentException("No path leads to the surface " + surface);
      }
    }
    paths.forEach(
        (path, surface) -> {
          if (here.test(surface)) {
            routes.post(path, context -> handle(context, surface));
          }
        });
  }

  private void handle(
      SurfaceId id,
      Request request,
      byte[] body,
      RequestMemory memory,
      Response response,
      Callback callback) {
    var path = Request.getPathInContext(request);
    var reply =
        reply(
            id,
            memory,
            maxBytes ->
                body.length > maxBytes
                    ? Optional.empty()
                    : Optional.of(
                        rawRequest(request.getMethod(), path, request.getHeaders(), body)));
    var _ =
        reply.whenComplete(
            (it, problem) -> {
              if (problem != null) {
                callback.failed(problem);
                return;
              }
              headers(it).forEach(response.getHeaders()::put);
              WebServer.send(it, response, callback);
            });
  }

  /// Does not block until the commit.
  private void handle(Context context, SurfaceId id) {
    var reply =
        reply(
            id,
            RequestMemory.of(context.attribute(RequestMemory.ATTRIBUTE)),
            maxBytes ->
                body(context, maxBytes)
                    .map(
                        body ->
                            rawRequest(
                                context.method().name(),
                                context.path(),
                                ServletContextRequest.getServletContextRequest(context.req())
                                    .getHeaders(),
                                body)));
    if (reply.isDone()) {
      answer(context, reply.join());
    } else {
      context.future(() -> reply.thenAccept(it -> answer(context, it)));
    }
  }

  private void answer(Context context, Reply reply) {
    headers(reply).forEach(context::header);
    context.status(reply.status()).result(reply.body());
    if (!reply.contentType().isEmpty()) {
      context.contentType(reply.contentType());
    }
  }

  private Map<String, String> headers(Reply reply) {
    Map<String, String> headers = new HashMap<>();
    if (reply.status() == 503) {
      headers.put("Retry-After", reply.equals(OVERLOADED) ? WebServer.RETRY_AFTER : "5");
    }
    if (closed) {
      headers.put("Connection", "close");
    }
    return headers;
  }

  /// Reads a request; empty if its body is too large.
  @FunctionalInterface
  private interface RequestReader {
    Optional<RawRequest> read(int maxBytes) throws IOException;
  }

  /// Does not read a body that will not be processed.
  private CompletableFuture<Reply> reply(SurfaceId id, RequestMemory memory, RequestReader reader) {
    var surface = surfaces.find(id);
    if (surface.isEmpty()) {
      return completedFuture(OFF);
    }
    if (closed) {
      count(surface.get().id(), "closed");
      return completedFuture(CLOSED);
    }
    try {
      var request = reader.read(surface.get().maxBodyBytes());
      if (request.isEmpty()) {
        return completedFuture(TOO_LARGE);
      }
      return receive(surface.get(), request.get(), memory)
          .map(result -> takeLater(id, result, memory))
          .orElseGet(() -> overloaded(surface.get().id()));
    } catch (HttpResponseException limit) {
      return switch (limit.getStatus()) {
        case 408 -> {
          count(surface.get().id(), "late");
          yield completedFuture(LATE);
        }
        case 413 -> completedFuture(TOO_LARGE);
        default -> overloaded(surface.get().id());
      };
    } catch (IOException disconnected) {
      return completedFuture(UNREADABLE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return overloaded(surface.get().id());
    }
  }

  /// Verifies and parses a request.
  ///
  /// @return empty if there is no memory for what the parser makes of it
  private Optional<WebhookResult> receive(Surface surface, RawRequest request, RequestMemory memory)
      throws InterruptedException {
    var bytes = request.body().length;
    if (bytes <= LARGE_BYTES) {
      return parse(surface, request, memory);
    }
    if (!largeParser.tryAcquire(PARSER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
      return Optional.empty();
    }
    try {
      return parse(surface, request, memory);
    } finally {
      largeParser.release();
    }
  }

  private static Optional<WebhookResult> parse(
      Surface surface, RawRequest request, RequestMemory memory) {
    var bytes = request.body().length;
    var parser = memory.parser(Price.parsed(bytes) - bytes);
    if (parser.isEmpty()) {
      return Optional.empty();
    }
    try (var _ = parser.get()) {
      return Optional.of(surface.receive(request));
    }
  }

  private CompletableFuture<Reply> overloaded(SurfaceId surface) {
    count(surface, "too_much");
    return completedFuture(OVERLOADED);
  }

  /// Stores a received delivery, whatever its transport.
  ///
  /// @return the response to the sender: 2xx only after the delivery is on disk
  public Reply take(SurfaceId surface, WebhookResult webhookResult) {
    return takeLater(surface, webhookResult, RequestMemory.UNLIMITED).join();
  }

  private CompletableFuture<Reply> takeLater(
      SurfaceId surface, WebhookResult webhookResult, RequestMemory memory) {
    return switch (webhookResult) {
      case WebhookResult.Accepted(var delivery, var reply) -> {
        if (!memory.proven()) {
          yield overloaded(surface);
        }
        var lease = memory.handOn();
        yield isUnaddressedMessage(delivery)
            ? storeIfItMayHaveRun(surface, delivery, reply, lease)
            : store(surface, delivery, reply, lease);
      }
      case WebhookResult.Answered(var reply) -> {
        var _ = memory.proven();
        yield completedFuture(answered(surface, reply));
      }
      case WebhookResult.Rejected(var reply, var why) -> {
        count(surface, "rejected");
        log.warn("delivery rejected surface={} status={} why={}", surface, reply.status(), why);
        yield completedFuture(reply);
      }
    };
  }

  private CompletableFuture<Reply> storeIfItMayHaveRun(
      SurfaceId surface, Delivery delivery, Reply reply, Lease lease) {
    var stored =
        store
            .mayHaveRunLater(delivery.conversation())
            .whenComplete(
                (mayHaveRun, problem) -> {
                  if (problem != null || !mayHaveRun) {
                    lease.close();
                  }
                })
            .thenCompose(
                mayHaveRun ->
                    mayHaveRun
                        ? store(surface, delivery, reply, lease)
                        : completedFuture(answered(surface, reply)));
    // The memory is held until the database has answered, the sender does not wait for that long.
    return (stored.isDone() ? stored : withTimeout(stored))
        .exceptionally(problem -> notStored(surface, delivery, problem));
  }

  private static <T> CompletableFuture<T> withTimeout(CompletableFuture<T> future) {
    return future.copy().orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// @param lease of the delivery, until the store has it on disk or has dropped it
  private CompletableFuture<Reply> store(
      SurfaceId surface, Delivery delivery, Reply reply, Lease lease) {
    var since = clock.instant();
    return store
        .acceptLater(delivery, lease::close)
        .thenApply(
            isNew -> {
              count(surface, isNew ? "accepted" : "known");
              if (isNew) {
                traces.stored(delivery, since, clock.instant());
              }
              log.debug(
                  "delivery {} delivery={} conversation={} intent={}",
                  isNew ? "accepted" : "known",
                  delivery.id(),
                  delivery.conversation(),
                  delivery.intent().getClass().getSimpleName());
              return reply;
            })
        .exceptionally(problem -> notStored(surface, delivery, problem));
  }

  private void count(SurfaceId surface, String result) {
    requestMetrics.count(surface, result, clock.instant());
  }

  private Reply answered(SurfaceId surface, Reply reply) {
    count(surface, "answered");
    return reply;
  }

  /// The sender resends it. Logged without a stack trace, because this is frequent while the
  /// database is down.
  private Reply notStored(SurfaceId surface, Delivery delivery, Throwable problem) {
    var why =
        problem instanceof CompletionException && problem.getCause() != null
            ? problem.getCause()
            : problem;
    log.warn("delivery not stored delivery={} why={}", delivery.id(), why.toString());
    count(surface, "not_stored");
    return NOT_STORED;
  }

  /// Whether it is a message between people, which is stored only in a conversation that may have a
  /// run.
  private static boolean isUnaddressedMessage(Delivery delivery) {
    return !delivery.addressed()
        && (delivery.intent().agentRequest().isPresent()
            || delivery.intent() instanceof Intent.Amend);
  }

  /// The body; empty if it is too large. A `Content-Length` over the limit is trusted.
  private static Optional<byte[]> body(Context context, int maxBytes) throws IOException {
    var input = context.req().getInputStream();
    long length = context.req().getContentLengthLong();
    if (length <= maxBytes) {
      // With the exact length, if known: else this allocates a buffer of 16 kB.
      var bytes = input.readNBytes(length < 0 ? maxBytes + 1 : (int) length);
      if (bytes.length <= maxBytes) {
        return Optional.of(bytes);
      }
    }
    return Optional.empty();
  }

  private RawRequest rawRequest(String method, String path, HttpFields fields, byte[] body) {
    Map<String, String> headers = new HashMap<>();
    for (var field : fields) {
      headers.putIfAbsent(field.getLowerCaseName(), field.getValue());
    }
    return new RawRequest(method, path, headers, body, clock.instant());
  }

  /// Accepts no more requests; running ones are finished.
  @Override
  public void close() {
    closed = true;
  }

  /// Why it accepts nothing; empty if it is open.
  public Optional<String> problem() {
    return closed ? Optional.of("Runnel is shutting down.") : Optional.empty();
  }
}
