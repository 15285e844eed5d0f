package dev.runnel.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
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
import okhttp3.ResponseBody;
import okio.BufferedSink;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// One attempt over OkHttp. OkHttp itself neither repeats nor redirects anything here. The call
/// runs on OkHttp's threads and the caller waits for it, so that the timeout covers all of it and
/// an interrupt is answered on any kind of thread.
final class OkHttpTransport implements Transport {
  private static final int LONGEST_BODY = 64 << 20;

  private final OkHttpClient client;
  private final Time time;
  private final Runnable closing;

  /// @param closing what closing does
  OkHttpTransport(OkHttpClient client, Time time, Runnable closing) {
    this.client =
        client
            .newBuilder()
            .retryOnConnectionFailure(false)
            .followRedirects(false)
            .followSslRedirects(false)
            .callTimeout(Duration.ZERO)
            .readTimeout(Duration.ZERO)
            .writeTimeout(Duration.ZERO)
            .addInterceptor(OkHttpTransport::limit)
            .addNetworkInterceptor(OkHttpTransport::markAsSent)
            .build();
    this.time = time;
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
      leave(answer);
      throw new RunsException.TimedOut(call, sent.get());
    } catch (InterruptedException interrupt) {
      exchange.cancel();
      leave(answer);
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
    return new Request.Builder()
        .url(call.url())
        .headers(call.headers())
        .method(call.method(), body(call))
        .tag(Sent.class, sent)
        .tag(HttpCall.Limits.class, call.limits())
        .build();
  }

  private static @Nullable RequestBody body(HttpCall call) {
    return switch (call.method()) {
      case "GET", "HEAD" -> null;
      default -> new OneShot(call.body().orElse(ByteString.EMPTY));
    };
  }

  /// Nobody waits for the answer any more. If it came just now, its open body is let go.
  private static void leave(CompletableFuture<Answer> answer) {
    if (!answer.cancel(false) && !answer.isCompletedExceptionally()) {
      answer.join().open().ifPresent(ResponseBody::close);
    }
  }

  private static Response limit(Interceptor.Chain chain) throws IOException {
    var limits = chain.request().tag(HttpCall.Limits.class);
    if (limits == null) {
      return chain.proceed(chain.request());
    }
    var limited = chain;
    if (limits.connect().isPresent()) {
      limited = limited.withConnectTimeout(millis(limits.connect().get()), TimeUnit.MILLISECONDS);
    }
    if (limits.read().isPresent()) {
      var silence = millis(limits.read().get());
      limited =
          limited
              .withReadTimeout(silence, TimeUnit.MILLISECONDS)
              .withWriteTimeout(silence, TimeUnit.MILLISECONDS);
    }
    return limited.proceed(chain.request());
  }

  private static int millis(Duration timeout) {
    return Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
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

  static RunsException failure(HttpCall call, @Nullable Throwable cause, boolean sent) {
    return switch (cause) {
      case RunsException known -> known;
      case SocketTimeoutException _ when sent -> new RunsException.TimedOut(call, true);
      case null, default -> new RunsException.ConnectionFailed(call, why(cause, sent), sent, cause);
    };
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
      // The header says it, so that it can be left out or be another.
      return null;
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
      if (call.streamed() && response.isSuccessful()) {
        var open = Answer.open(response.code(), response.headers(), response.body(), time.now());
        if (!answer.complete(open)) {
          response.close();
        }
        return;
      }
      try (response) {
        answer.complete(
            Answer.whole(response.code(), response.headers(), body(response), time.now()));
      } catch (IOException | RuntimeException failure) {
        answer.completeExceptionally(failure);
      }
    }

    private ByteString body(Response response) throws IOException {
      var source = response.body().source();
      if (source.request(LONGEST_BODY + 1L)) {
        throw RunsException.unreadable(
            call,
            Answer.whole(response.code(), response.headers(), ByteString.EMPTY, time.now()),
            "the answer is too long");
      }
      return source.readByteString();
    }
  }
}
