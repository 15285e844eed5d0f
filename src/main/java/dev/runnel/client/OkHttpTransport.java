package dev.runnel.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.BufferedSink;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// Sends one attempt over OkHttp, with OkHttp's own retries and redirects disabled. The call runs
/// on OkHttp's threads while the caller waits, so that the timeout covers the whole call and an
/// interrupt takes effect on any kind of thread.
///
/// A pooled connection that the service has closed is detected before anything is sent on it, and
/// replaced by another; that does not count as an attempt.
final class OkHttpTransport implements Transport {
  private static final int MAX_BODY = 64 << 20;
  private static final int MAX_ERROR_BODY = 1 << 20;
  private static final Pattern DIGITS = Pattern.compile("\\d+");

  private final OkHttpClient client;
  private final Time time;
  private final Runnable closing;
  private final Set<Connection> used =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private volatile boolean closed;

  /// @param closing releases the resources of the client on close
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
            .addInterceptor(OkHttpTransport::applyTimeouts)
            .addNetworkInterceptor(this::exchange)
            .build();
    this.time = time;
    this.closing = closing;
  }

  @Override
  public HttpResponse send(HttpRequest call, Duration timeout) {
    var deadline = time.nanos() + timeout.toNanos();
    while (true) {
      try {
        return sendOnce(call, Duration.ofNanos(deadline - time.nanos()));
      } catch (ConnectionClosed unsent) {
        // The connection is closed and out of the pool, so this loop ends with a new connection at
        // the latest.
      }
    }
  }

  private HttpResponse sendOnce(HttpRequest call, Duration timeout) throws ConnectionClosed {
    if (closed) {
      throw RunsException.closed(call);
    }
    var sent = new Sent();
    var exchange = client.newCall(request(call, sent));
    var answer = new CompletableFuture<HttpResponse>();
    exchange.enqueue(new Completion(call, answer));
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException timedOut) {
      exchange.cancel();
      abandon(answer);
      throw new RunsException.TimedOut(call, sent.get());
    } catch (InterruptedException interrupt) {
      exchange.cancel();
      abandon(answer);
      Thread.currentThread().interrupt();
      throw new RunsException.Interrupted(call, sent.get(), interrupt);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof ConnectionClosed unsent) {
        throw unsent;
      }
      throw failure(call, failed.getCause(), sent.get());
    }
  }

  @Override
  public void close() {
    closed = true;
    var calls = client.dispatcher();
    Stream.concat(calls.queuedCalls().stream(), calls.runningCalls().stream())
        .filter(exchange -> exchange.request().tag(OkHttpTransport.class) == this)
        .forEach(Call::cancel);
    closing.run();
  }

  private Request request(HttpRequest call, Sent sent) {
    return new Request.Builder()
        .url(call.url())
        .headers(call.headers())
        .method(call.method(), body(call))
        .tag(Sent.class, sent)
        .tag(HttpRequest.class, call)
        .tag(OkHttpTransport.class, this)
        .build();
  }

  private static @Nullable RequestBody body(HttpRequest call) {
    return switch (call.method()) {
      case "GET", "HEAD" -> null;
      default -> new OneShotBody(call.body().orElse(ByteString.EMPTY));
    };
  }

  /// Abandons the response. If it has just arrived, its open body is closed.
  private static void abandon(CompletableFuture<HttpResponse> answer) {
    if (!answer.cancel(false) && !answer.isCompletedExceptionally()) {
      answer.join().open().ifPresent(ResponseBody::close);
    }
  }

  private static Response applyTimeouts(Interceptor.Chain chain) throws IOException {
    var call = chain.request().tag(HttpRequest.class);
    if (call == null) {
      return chain.proceed(chain.request());
    }
    var limits = call.limits();
    var readTimeout = millis(limits.read());
    var limited =
        chain
            .withReadTimeout(readTimeout, TimeUnit.MILLISECONDS)
            .withWriteTimeout(readTimeout, TimeUnit.MILLISECONDS);
    if (limits.connect().isPresent()) {
      limited = limited.withConnectTimeout(millis(limits.connect().get()), TimeUnit.MILLISECONDS);
    }
    return limited.proceed(chain.request());
  }

  private static int millis(Duration timeout) {
    return Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
  }

  /// Sets the mark first and checks for cancellation then, while the caller cancels first and reads
  /// the mark then. So a request that is unmarked after the cancellation is never sent.
  private Response exchange(Interceptor.Chain chain) throws IOException {
    var connection = chain.connection();
    if (connection != null && !used.add(connection) && isClosed(connection)) {
      throw new ConnectionClosed();
    }
    var sent = chain.request().tag(Sent.class);
    if (sent != null) {
      sent.set(true);
    }
    if (chain.call().isCanceled()) {
      throw new IOException("Canceled");
    }
    var response = chain.proceed(withoutDefaultUserAgent(chain.request()));
    if (response.code() == 101) {
      throw new ProtocolException("Unexpected protocol upgrade");
    }
    return withInertRetryAfter(response);
  }

  /// Removes the User-Agent that OkHttp adds if the request has none.
  private static Request withoutDefaultUserAgent(Request request) {
    var call = request.tag(HttpRequest.class);
    return call == null || call.headers().get("User-Agent") != null
        ? request
        : request.newBuilder().removeHeader("User-Agent").build();
  }

  /// Keeps OkHttp from interpreting `Retry-After` of a 503, which it does only for digits: it would
  /// retry at once for 0, and fail for a value that is no `int`.
  private static Response withInertRetryAfter(Response response) {
    var wait = response.header("Retry-After");
    return response.code() == 503 && wait != null && DIGITS.matcher(wait).matches()
        ? response.newBuilder().header("Retry-After", wait + ".0").build()
        : response;
  }

  /// Whether the service closed this connection or sent unexpected data since the last response.
  /// OkHttp itself only checks after ten idle seconds, and never for a GET.
  private static boolean isClosed(Connection connection) {
    if (connection.protocol() != Protocol.HTTP_1_1 && connection.protocol() != Protocol.HTTP_1_0) {
      return false;
    }
    var socket = connection.socket();
    try {
      var timeout = socket.getSoTimeout();
      socket.setSoTimeout(1);
      try {
        var ignored = socket.getInputStream().read();
        return true;
      } catch (SocketTimeoutException noData) {
        return false;
      } finally {
        socket.setSoTimeout(timeout);
      }
    } catch (IOException broken) {
      return true;
    }
  }

  static RunsException failure(HttpRequest call, @Nullable Throwable cause, boolean sent) {
    return switch (cause) {
      case RunsException known -> known;
      case IOException refused when isUnprocessed(refused) -> unsent(call, refused);
      case SocketTimeoutException ignored when sent -> new RunsException.TimedOut(call, true);
      case null, default ->
          new RunsException.ConnectionFailed(call, reason(cause, sent), sent, cause);
    };
  }

  /// Whether HTTP/2 guarantees that the request was not processed. OkHttp's module does not export
  /// the types of these exceptions, so their names and messages tell.
  private static boolean isUnprocessed(IOException failure) {
    return switch (failure.getClass().getName()) {
      case "okhttp3.internal.http2.ConnectionShutdownException" -> true;
      case "okhttp3.internal.http2.StreamResetException" ->
          "stream was reset: REFUSED_STREAM".equals(failure.getMessage());
      default -> false;
    };
  }

  private static RunsException unsent(HttpRequest call, Throwable cause) {
    return new RunsException.ConnectionFailed(
        call, "the run service took no more requests on the connection", false, cause);
  }

  private static String reason(@Nullable Throwable cause, boolean sent) {
    return switch (cause) {
      case UnknownHostException ignored -> "the run service's host is not known";
      case ConnectException ignored -> "the run service could not be reached";
      case SSLException ignored -> "no secure connection to the run service could be made";
      case SocketTimeoutException ignored when !sent ->
          "the run service could not be reached in time";
      case null, default -> "the connection to the run service broke";
    };
  }

  /// A body that OkHttp must not send twice, as it otherwise would after a 503 with `Retry-After:
  /// 0`.
  private static final class OneShotBody extends RequestBody {
    private final ByteString body;

    private OneShotBody(ByteString body) {
      this.body = body;
    }

    @Override
    public @Nullable MediaType contentType() {
      // Set by the header, so that options can change or remove it.
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

  /// Whether writing the request has begun.
  private static final class Sent extends AtomicBoolean {
    private static final long serialVersionUID = 1L;
  }

  /// The service had closed the connection before anything was sent on it.
  private static final class ConnectionClosed extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private final class Completion implements Callback {
    private final HttpRequest call;
    private final CompletableFuture<HttpResponse> answer;

    private Completion(HttpRequest call, CompletableFuture<HttpResponse> answer) {
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
        var open =
            HttpResponse.open(response.code(), response.headers(), response.body(), time.now());
        if (!answer.complete(open)) {
          response.close();
        }
        return;
      }
      try (response) {
        answer.complete(
            HttpResponse.whole(response.code(), response.headers(), body(response), time.now()));
      } catch (IOException | RuntimeException failure) {
        answer.completeExceptionally(failure);
      }
    }

    /// For an error the status matters most, so a body that is incomplete or too long counts as
    /// empty.
    private ByteString body(Response response) throws IOException {
      if (response.isSuccessful()) {
        return whole(response);
      }
      try {
        var source = response.body().source();
        return source.request(MAX_ERROR_BODY + 1L) ? ByteString.EMPTY : source.readByteString();
      } catch (IOException broken) {
        return ByteString.EMPTY;
      }
    }

    private ByteString whole(Response response) throws IOException {
      var source = response.body().source();
      if (source.request(MAX_BODY + 1L)) {
        throw RunsException.unreadable(
            call,
            HttpResponse.whole(response.code(), response.headers(), ByteString.EMPTY, time.now()),
            "the response is too long");
      }
      return source.readByteString();
    }
  }
}
