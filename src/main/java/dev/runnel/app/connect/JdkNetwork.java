package dev.runnel.app.connect;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Implements the network with the JDK's client.
final class JdkNetwork implements Network, AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(TIMEOUT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  @Override
  public Response call(Request call) throws IOException {
    try {
      var request =
          HttpRequest.newBuilder(call.uri())
              .timeout(TIMEOUT)
              .method(
                  call.method(),
                  call.body().isEmpty()
                      ? BodyPublishers.noBody()
                      : BodyPublishers.ofString(call.body()));
      call.headers().forEach(request::header);
      var answer = http.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
      return new Response(
          answer.statusCode(),
          answer.body(),
          answer.headers().map().entrySet().stream()
              .collect(
                  Collectors.toMap(
                      it -> it.getKey().toLowerCase(Locale.ROOT),
                      it -> String.join(", ", it.getValue()))));
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public String firstMessage(URI socket) throws IOException {
    var first = new CompletableFuture<String>();
    try {
      var open =
          http.newWebSocketBuilder()
              .connectTimeout(TIMEOUT)
              .buildAsync(socket, new First(first))
              .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      try {
        return first.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      } finally {
        open.abort();
      }
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("no message within %d s".formatted(TIMEOUT.toSeconds()), e);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted");
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
    http.close();
  }

  /// Collects the parts of the first message.
  private record First(CompletableFuture<String> message, StringBuilder parts)
      implements WebSocket.Listener {
    First(CompletableFuture<String> message) {
      this(message, new StringBuilder());
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      parts.append(data);
      if (last) {
        message.complete(parts.toString());
      } else {
        socket.request(1);
      }
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      message.completeExceptionally(new IOException("closed with %d %s".formatted(status, reason)));
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      message.completeExceptionally(error);
    }
  }
}
