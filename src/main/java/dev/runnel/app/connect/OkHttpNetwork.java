package dev.runnel.app.connect;

import dev.runnel.app.settings.OutgoingProxy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Headers;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.jspecify.annotations.Nullable;

/// Implements the network with OkHttp.
final class OkHttpNetwork implements Network, AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final OkHttpClient http;

  OkHttpNetwork(OutgoingProxy proxy) {
    this.http =
        proxy
            .apply(new OkHttpClient.Builder())
            .callTimeout(TIMEOUT)
            .followRedirects(false)
            .followSslRedirects(false)
            .build();
  }

  @Override
  public Response call(Request call) throws IOException {
    var request = request(call.uri()).headers(Headers.of(call.headers()));
    try (var answer = http.newCall(request.method(call.method(), body(call)).build()).execute()) {
      var headers = new HashMap<String, String>();
      answer
          .headers()
          .toMultimap()
          .forEach(
              (name, values) ->
                  headers.put(name.toLowerCase(Locale.ROOT), String.join(", ", values)));
      return new Response(answer.code(), answer.body().string(), headers);
    }
  }

  private static okhttp3.Request.Builder request(URI address) throws IOException {
    try {
      return new okhttp3.Request.Builder().url(address.toString());
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static @Nullable RequestBody body(Request call) {
    return call.method().equals("GET")
        ? null
        : RequestBody.create(call.body().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String firstMessage(URI socket) throws IOException {
    var first = new CompletableFuture<String>();
    var open = http.newWebSocket(request(socket).build(), new First(first));
    try {
      return first.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException problem
          ? problem
          : new IOException(String.valueOf(e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("no message within %d s".formatted(TIMEOUT.toSeconds()), e);
    } finally {
      open.cancel();
    }
  }

  @Override
  public void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public void close() {
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }

  private static final class First extends WebSocketListener {
    private final CompletableFuture<String> message;

    private First(CompletableFuture<String> message) {
      this.message = message;
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      message.complete(text);
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      message.completeExceptionally(new IOException("closed with %d %s".formatted(code, reason)));
    }

    @Override
    public void onFailure(WebSocket socket, Throwable problem, okhttp3.@Nullable Response answer) {
      message.completeExceptionally(problem);
    }
  }
}
