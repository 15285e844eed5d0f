package dev.runnel.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.client.HttpRequest.Effect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// Context shared by all calls of a client.
///
/// @param baseUrl ends with a slash
/// @param createPath `run` or `runs`
/// @param executor where asynchronous calls run
record ClientContext(
    HttpUrl baseUrl, String createPath, Transport transport, Executor executor, Time time) {
  private static final Set<String> SPECIAL_SEGMENTS = Set.of(".", "..");
  static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(60);
  private static final Duration DEFAULT_READ_TIMEOUT = Duration.ofSeconds(20);
  private static final int DEFAULT_RETRIES = 2;

  /// The request of a call, before options are applied.
  ///
  /// @param body a wire record or a JSON tree; null for none
  record Request(
      String action,
      String method,
      HttpUrl url,
      @Nullable Object body,
      Effect effect,
      boolean streamed) {
    Request streamed(boolean streamed) {
      return new Request(action, method, url, body, effect, streamed);
    }

    Request withQuery(List<RequestOptions.Parameter> parameters) {
      var extended = url.newBuilder();
      parameters.forEach(
          parameter -> extended.addQueryParameter(parameter.name(), parameter.value()));
      return new Request(action, method, extended.build(), body, effect, streamed);
    }

    /// Leaves out query and body, which may be secret.
    @Override
    public String toString() {
      return method + " " + url.encodedPath();
    }
  }

  /// A 2xx response.
  ///
  /// @param elapsed duration of all attempts, including the body unless it is streamed
  record Received(
      HttpRequest call, HttpResponse answer, RequestOptions options, Duration elapsed) {}

  /// @throws RunsException for anything but a 2xx response
  Received send(Request request, RequestOptions options) {
    var start = time.nanos();
    var call = call(request, options);
    var httpResponse = transport.send(call, options.deadline().orElse(DEFAULT_DEADLINE));
    if (!httpResponse.isSuccess()) {
      throw RunsException.of(call, httpResponse);
    }
    return new Received(call, httpResponse, options, Duration.ofNanos(time.nanos() - start));
  }

  /// Runs the work on the executor. Cancelling the future, letting it time out, or completing it
  /// from outside interrupts the work. If the executor rejects the task, the future fails.
  <T> CompletableFuture<T> async(Supplier<T> work) {
    var future = new CompletableFuture<T>();
    // False if the holder of the future completed or cancelled it.
    var isOver = new AtomicBoolean();
    var task =
        new FutureTask<@Nullable Void>(
            () -> {
              try {
                var value = work.get();
                isOver.set(true);
                if (!future.complete(value) && value instanceof StreamedResponse unwanted) {
                  unwanted.close();
                }
              } catch (Throwable failure) {
                isOver.set(true);
                future.completeExceptionally(failure);
              }
            },
            null);
    var ignored =
        future.whenComplete(
            (result, failure) -> {
              if (!isOver.get()) {
                task.cancel(true);
              }
            });
    try {
      executor.execute(task);
    } catch (RejectedExecutionException full) {
      future.completeExceptionally(full);
    }
    return future;
  }

  HttpUrl url(String... segments) {
    var url = baseUrl.newBuilder();
    for (var segment : segments) {
      url.addPathSegment(requireId(segment));
    }
    return url.build();
  }

  /// A URL below the base URL; path segments may be percent-encoded.
  HttpUrl urlOf(String path) {
    var relative = path.startsWith("/") ? path.substring(1) : path;
    for (var segment : relative.split("/", -1)) {
      requireId(segment.replace("%2E", ".").replace("%2e", "."));
    }
    if (relative.contains("?") || relative.contains("#")) {
      throw new IllegalArgumentException("A path has no query: use withQuery");
    }
    var url = baseUrl.newBuilder().addEncodedPathSegments(relative).build();
    // The parser also splits at a backslash and drops line breaks.
    if (url.pathSize() != baseUrl.pathSize() - 1 + relative.split("/", -1).length) {
      throw new IllegalArgumentException("A path's parts are ids, percent-encoded");
    }
    return url;
  }

  private static String requireId(String segment) {
    if (segment.isBlank() || SPECIAL_SEGMENTS.contains(segment)) {
      throw new IllegalArgumentException("An id must not be empty, blank or made of dots");
    }
    return segment;
  }

  private static HttpRequest call(Request request, RequestOptions options) {
    var url = request.withQuery(options.query()).url();
    var body = body(request, options);
    var headers = new Headers.Builder();
    body.ifPresent(json -> headers.set("Content-Type", "application/json"));
    options
        .headers()
        .forEach(
            (name, value) ->
                value.ifPresentOrElse(it -> headers.set(name, it), () -> headers.removeAll(name)));
    // A non-idempotent request may use the whole deadline, but not wait forever.
    var readTimeout =
        options
            .readTimeout()
            .or(
                () ->
                    request.effect() == Effect.NON_IDEMPOTENT
                        ? options.deadline()
                        : Optional.empty())
            .orElse(
                request.effect() == Effect.NON_IDEMPOTENT
                    ? DEFAULT_DEADLINE
                    : DEFAULT_READ_TIMEOUT);
    return new HttpRequest(
        request.action(),
        request.method(),
        url,
        headers.build(),
        body,
        request.effect(),
        request.streamed(),
        new HttpRequest.Limits(
            options.connectTimeout(), readTimeout, options.maxRetries().orElse(DEFAULT_RETRIES)));
  }

  private static Optional<ByteString> body(Request request, RequestOptions options) {
    if (request.body() == null && options.body().isEmpty()) {
      return Optional.empty();
    }
    var tree = request.body() == null ? null : Json.tree(request.body());
    if (options.body().isEmpty() && tree != null) {
      return Optional.of(Json.write(tree));
    }
    if (request.method().equals("GET") || (tree != null && !(tree instanceof ObjectNode))) {
      throw new IllegalArgumentException("Only a body that is a JSON object takes more members");
    }
    var object = tree instanceof ObjectNode known ? known : Json.object();
    options.body().forEach(object::set);
    return Optional.of(Json.write(object));
  }
}
