package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.surface.kit.SharedProxy;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a web socket to Slack open (Socket Mode), and passes its requests to a handler.
///
/// One thread opens sockets, one after the other, until this is closed. When Slack announces that
/// it will close a socket, the next one is opened first, and the old one stays in use until Slack
/// closes it. An envelope is acknowledged after a 2xx reply, on the socket it arrived on; otherwise
/// Slack resends it, and the delivery's keys detect the repetition.
///
/// @implSpec Thread-safe. Only the socket's own thread waits for Slack.
public final class SlackSocket implements AutoCloseable {
  /// Timeouts and delays.
  ///
  /// @param helloTimeout the timeout from opening a socket to Slack's hello
  /// @param pingInterval the ping interval; two missing replies close the socket
  /// @param minDelay the delay after the first failure; it doubles with each further one
  /// @param maxDelay the maximum delay
  /// @param stableAfter a socket that lived this long does not count as a failure
  /// @param overlap how long an old socket may stay open beside the new one
  /// @param problemAfter how long no socket may be open before it counts as a problem
  public record Timeouts(
      Duration helloTimeout,
      Duration pingInterval,
      Duration minDelay,
      Duration maxDelay,
      Duration stableAfter,
      Duration overlap,
      Duration problemAfter) {
    public static final Timeouts DEFAULT =
        new Timeouts(
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(15),
            Duration.ofSeconds(5));
  }

  private static final Logger log = LoggerFactory.getLogger(SlackSocket.class);
  private static final int NORMAL_CLOSURE = 1000;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_ENVELOPES = 64;

  private final Supplier<SlackResponse<String>> address;
  private final Function<RawRequest, Reply> handler;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final Timeouts timeouts;
  private final OkHttpClient http;
  private final ExecutorService envelopes =
      Executors.newThreadPerTaskExecutor(SupervisedThread.virtuals("slack-envelope"));
  // The socket is not read while so many envelopes wait for their commit.
  private final Semaphore room = new Semaphore(MAX_ENVELOPES);
  private final Thread thread;
  private volatile boolean closed;

  private @Nullable Connection current;
  private boolean wasOpen;
  private Instant closedSince;
  private String why = "connecting";

  /// @param address requests a new socket's URL from Slack; it contains a ticket: keep it secret
  /// @param handler handles a request; a 2xx reply acknowledges it
  /// @param platform its proxy is used
  public SlackSocket(
      Supplier<SlackResponse<String>> address,
      Function<RawRequest, Reply> handler,
      OkHttpClient platform,
      InstantSource clock,
      RandomGenerator random,
      Timeouts timeouts) {
    this.address = address;
    this.handler = handler;
    this.clock = clock;
    this.random = random;
    this.timeouts = timeouts;
    closedSince = clock.instant();
    thread =
        SupervisedThread.unstarted(
            "slack-socket",
            SupervisedThread.repeating(
                "slack-socket", this::run, timeouts.maxDelay(), () -> !closed));
    http =
        SharedProxy.of(platform, new OkHttpClient.Builder())
            .dispatcher(
                new Dispatcher(
                    Executors.newThreadPerTaskExecutor(SupervisedThread.virtuals("slack-call"))))
            .connectTimeout(timeouts.helloTimeout())
            .readTimeout(timeouts.helloTimeout())
            .pingInterval(timeouts.pingInterval())
            .build();
  }

  /// Starts in the background.
  public void start() {
    thread.start();
  }

  /// Why no request can arrive; empty while a socket is open, and during a short reconnect.
  public synchronized Optional<String> problem() {
    if (current != null
        || (wasOpen && clock.instant().isBefore(closedSince.plus(timeouts.problemAfter())))) {
      return Optional.empty();
    }
    return Optional.of(
        "Slack's socket is not connected (since %s: %s)"
            .formatted(closedSince.truncatedTo(ChronoUnit.SECONDS), why));
  }

  /// Keeps a socket open until [#close] interrupts it.
  private void run() throws InterruptedException {
    var failures = 0;
    Optional<Duration> retryAfter = Optional.empty();
    while (!closed) {
      Thread.sleep(pause(failures, retryAfter));
      retryAfter = Optional.empty();
      var startedAt = clock.instant();
      switch (address.get()) {
        case SlackResponse.Ok<String>(String url) -> {
          open(url);
          var wasStable = !clock.instant().isBefore(startedAt.plus(timeouts.stableAfter()));
          failures = wasStable ? 0 : failures + 1;
        }
        case SlackResponse.Wait<String>(Optional<Duration> after, String reason) -> {
          failures++;
          retryAfter = after;
          failed(reason);
        }
        case SlackResponse.No<String>(String error) -> {
          failures++;
          retryAfter = Optional.of(timeouts.maxDelay());
          failed("Slack refuses SLACK_APP_TOKEN: " + error);
        }
      }
    }
  }

  private Duration pause(int failures, Optional<Duration> retryAfter) {
    if (failures == 0) {
      return Duration.ZERO;
    }
    var doubled = timeouts.minDelay().multipliedBy(1L << Math.min(failures - 1, 20));
    var bounded = doubled.compareTo(timeouts.maxDelay()) > 0 ? timeouts.maxDelay() : doubled;
    var backoff = Duration.ofMillis((long) (bounded.toMillis() * (0.5 + random.nextDouble() / 2)));
    return retryAfter.filter(it -> it.compareTo(backoff) > 0).orElse(backoff);
  }

  /// Opens a socket, and waits until the next one should be opened.
  private void open(String url) throws InterruptedException {
    var connection = new Connection();
    WebSocket socket;
    try {
      socket = http.newWebSocket(new Request.Builder().url(url).build(), connection);
    } catch (IllegalArgumentException e) {
      failed("Slack returned an invalid URL");
      return;
    }
    try {
      CompletableFuture.anyOf(connection.gotHello, connection.replaced)
          .get(timeouts.helloTimeout().toMillis(), TimeUnit.MILLISECONDS);
      if (connection.gotHello.isDone()) {
        markOpen(connection, socket);
        connection.replaced.get();
        return;
      }
      failed(connection.replaced.get());
    } catch (TimeoutException e) {
      failed("Slack sent no hello");
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("Nothing completes the future with an error", impossible);
    } finally {
      if (!connection.gotHello.isDone()) {
        socket.cancel();
      }
    }
  }

  private void markOpen(Connection connection, WebSocket socket) {
    Connection old;
    connection.socket = socket;
    synchronized (this) {
      if (connection.ended) {
        return;
      }
      old = current;
      current = connection;
      wasOpen = true;
    }
    log.info("slack socket open");
    if (old != null) {
      SupervisedThread.virtual(
          "slack-old-socket", () -> old.closeAfter(timeouts.overlap()), _ -> {});
    }
  }

  private synchronized void markClosed(Connection connection, String reason) {
    connection.ended = true;
    if (current == connection) {
      current = null;
      closedSince = clock.instant();
      why = reason;
    }
  }

  private void failed(String reason) {
    synchronized (this) {
      why = reason;
    }
    if (!closed) {
      log.warn("slack socket not connected, will retry why=\"{}\"", reason);
    }
  }

  private void handle(WebSocket socket, SlackFrame.Envelope envelope) {
    Reply reply;
    try {
      reply = handler.apply(envelope.request());
    } catch (RuntimeException e) {
      log.error("slack envelope not processed envelope={}", envelope.id(), e);
      return;
    }
    var taken = reply.status() >= 200 && reply.status() < 300;
    if (taken && !socket.send(SlackFrame.ack(envelope.id(), reply))) {
      log.info(
          "slack socket closed before an ack, Slack will resend it envelope={}", envelope.id());
    }
  }

  /// Stops reading, acknowledges the envelopes already read, and closes the socket.
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    envelopes.shutdown();
    try {
      if (!envelopes.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("slack envelopes not acknowledged, Slack will resend them");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Connection last;
    synchronized (this) {
      last = current;
    }
    if (last != null) {
      last.closeAfter(Duration.ZERO);
    }
    http.dispatcher().executorService().shutdown();
    http.connectionPool().evictAll();
  }

  /// One socket, from opening to closing.
  private final class Connection extends WebSocketListener {
    private final CompletableFuture<Boolean> gotHello = new CompletableFuture<>();

    /// Completes with the reason when the next socket should be opened.
    private final CompletableFuture<String> replaced = new CompletableFuture<>();

    private boolean ended;
    private volatile @Nullable WebSocket socket;

    private void closeAfter(Duration time) {
      try {
        Thread.sleep(time);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      var open = socket;
      if (open != null) {
        open.close(NORMAL_CLOSURE, null);
      }
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      if (closed) {
        return;
      }
      switch (SlackFrame.read(text, clock.instant())) {
        case SlackFrame.Hello _ -> gotHello.complete(true);
        case SlackFrame.Disconnect(String reason) ->
            replaced.complete("Slack sent disconnect: " + reason);
        case SlackFrame.Envelope envelope -> {
          room.acquireUninterruptibly();
          envelopes.execute(
              SupervisedThread.supervised(
                  "slack-envelope", () -> handle(socket, envelope), _ -> room.release()));
        }
        case SlackFrame.Unknown _ -> log.debug("slack frame of an unknown type");
      }
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      socket.close(NORMAL_CLOSURE, null);
      end("Slack closed it with code " + code);
    }

    @Override
    public void onFailure(WebSocket socket, Throwable problem, @Nullable Response response) {
      end(
          response == null
              ? "connection failed: " + ProxyRefused.why(problem)
              : "Slack responded with status " + response.code());
    }

    private void end(String reason) {
      if (!closed && gotHello.isDone()) {
        log.info("slack socket closed why=\"{}\"", reason);
      }
      markClosed(this, reason);
      replaced.complete(reason);
    }
  }
}
