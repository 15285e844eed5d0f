package dev.runnel.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// One attempt over OkHttp. OkHttp itself neither repeats nor redirects anything here. The call
/// runs on OkHttp's threads and the caller waits for it, so that the timeout covers all of it and
/// an interrupt is answered on any kind of thread.
final class OkHttpTransport implements Transport {
  private static final MediaType JSON = MediaType.get("application/json");
  private static final int LONGEST_BODY = 64 << 20;

  private final OkHttpClient client;
  private final InstantSource clock;
  private final Runnable closing;

  /// @param closing what closing does
  OkHttpTransport(OkHttpClient client, InstantSource clock, Runnable closing) {
    this.client =
        client
            .newBuilder()
            .retryOnConnectionFailure(false)
            .followRedirects(false)
            .followSslRedirects(false)
            .callTimeout(Duration.ZERO)
            .readTimeout(Duration.ZERO)
            .writeTimeout(Duration.ZERO)
            .addNetworkInterceptor(OkHttpTransport::markAsSent)
            .build();
    this.clock = clock;
    this.closing = closing;
  }

  @Override
  public Answer send(HttpCall call, Duration timeout) {
    var sent = new Sent();
    var exchange = client.newCall(request(call, sent));
    var answer = new CompletableFuture<Answer>();
    exchange.enqueue(new Completion(call, answer));
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      exchange.cancel();
      throw new RunsException.TimedOut(call, sent.get());
    } catch (InterruptedException interrupt) {
      exchange.cancel();
      Thread.currentThread().interrupt();
      throw new RunsException.Interrupted(call, sent.get(), interrupt);
    } catch (ExecutionException failed) {
      throw failure(call, failed.getCause(), sent.get());
    }
  }

  @Override
  public void close() {
    closing.run();
  }

  private static Request request(HttpCall call, Sent sent) {
    var request = new Request.Builder().url(call.url()).headers(call.headers());
    if (call.method().equals("POST")) {
      request.post(new OneShot(call.body()));
    }
    return request.tag(Sent.class, sent).build();
  }

  /// Marks first and looks for a cancellation then, as the caller cancels first and looks at the
  /// mark then: what is not marked after a cancellation never leaves.
  private static Response markAsSent(Interceptor.Chain chain) throws IOException {
    var sent = chain.request().tag(Sent.class);
    if (sent != null) {
      sent.set(true);
    }
    if (chain.call().isCanceled()) {
      throw new IOException("Canceled");
    }
    return chain.proceed(chain.request());
  }

  private static RunsException failure(HttpCall call, @Nullable Throwable cause, boolean sent) {
    return cause instanceof RunsException known
        ? known
        : new RunsException.ConnectionFailed(call, why(cause, sent), sent, cause);
  }

  private static String why(@Nullable Throwable cause, boolean sent) {
    return switch (cause) {
      case UnknownHostException _ -> "the run service's host is not known";
      case ConnectException _ -> "the run service could not be reached";
      case SSLException _ -> "no secure connection to the run service could be made";
      case SocketTimeoutException _ when !sent -> "the run service could not be reached in time";
      case null, default -> "the connection to the run service broke";
    };
  }

  /// A body that OkHttp may not send twice, as it else does after a 503 with `Retry-After: 0`.
  private static final class OneShot extends RequestBody {
    private final ByteString body;

    private OneShot(ByteString body) {
      this.body = body;
    }

    @Override
    public @Nullable MediaType contentType() {
      return body.size() == 0 ? null : JSON;
    }

    @Override
    public long contentLength() {
      return body.size();
    }

    @Override
    public boolean isOneShot() {
      return true;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      sink.write(body);
    }
  }

  /// Whether the request was begun to be written.
  private static final class Sent extends AtomicBoolean {
    private static final long serialVersionUID = 1L;
  }

  private final class Completion implements Callback {
    private final HttpCall call;
    private final CompletableFuture<Answer> answer;

    private Completion(HttpCall call, CompletableFuture<Answer> answer) {
      this.call = call;
      this.answer = answer;
    }

    @Override
    public void onFailure(Call exchange, IOException failure) {
      answer.completeExceptionally(failure);
    }

    @Override
    public void onResponse(Call exchange, Response response) {
      try (response) {
        answer.complete(
            Answer.of(response.code(), response.headers(), body(response), clock.instant()));
      } catch (IOException | RuntimeException failure) {
        answer.completeExceptionally(failure);
      }
    }

    private ByteString body(Response response) throws IOException {
      var source = response.body().source();
      if (source.request(LONGEST_BODY + 1L)) {
        throw new RunsException.UnreadableAnswer(
            "Could not " + call.action() + ": the answer is too long",
            response.code(),
            call.changesSomething(),
            null);
      }
      return source.readByteString();
    }
  }
}
