package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.surface.slack.api.SlackResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

/// Keeps a socket to Slack open (Socket Mode), and passes its requests to a handler.
///
/// One thread opens sockets, one after the other, until this is closed. When Slack announces that
/// it will close a socket, the next one is opened first, and the old one stays in use until Slack
/// closes it. An envelope is acknowledged after a 2xx reply, on the socket it arrived on; otherwise
/// Slack resends it, and the delivery's keys make that harmless.
///
/// @implSpec Thread-safe. Only the socket's own thread waits for Slack.
public final class SlackSocket implements AutoCloseable {
  /// Timeouts and delays.
  ///
  /// @param greeting the timeout from opening a socket to Slack's hello
  /// @param ping the ping interval; two missing replies close the socket
  /// @param first the delay after the first failure; it doubles with each further one
  /// @param longest the maximum delay
  /// @param steady a socket that lived this long does not count as a failure
  /// @param farewell how long an old socket may stay open beside the new one
  /// @param grace how long no socket may be open before it counts as a problem
  public record Pace(
      Duration greeting,
      Duration ping,
      Duration first,
      Duration longest,
      Duration steady,
      Duration farewell,
      Duration grace) {
    public static final Pace USUAL =
        new Pace(
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(15),
            Duration.ofSeconds(5));
  }

  private static final Logger log = LoggerFactory.getLogger(SlackSocket.class);
  private static final int NORMAL = 1000;
  private static final Duration LAST_ACKS = Duration.ofSeconds(5);

  private final Supplier<SlackResponse<String>> address;
  private final Function<RawRequest, Reply> handler;
  private final InstantSource clock;
  private final RandomGenerator chance;
  private final Pace pace;
  private final OkHttpClient http;
  private final ExecutorService envelopes = Executors.newVirtualThreadPerTaskExecutor();
  private final Thread keeper = Thread.ofVirtual().name("slack-socket").unstarted(this::keep);
  private volatile boolean closed;

  private @Nullable Link current;
  private boolean wasUp;
  private Instant downSince;
  private String why = "connecting";

  /// @param address requests a new socket's URL from Slack; it contains a ticket: keep it secret
  /// @param handler handles a request; a 2xx reply acknowledges it
  public SlackSocket(
      Supplier<SlackResponse<String>> address,
      Function<RawRequest, Reply> handler,
      InstantSource clock,
      RandomGenerator chance,
      Pace pace) {
    this.address = address;
    this.handler = handler;
    this.clock = clock;
    this.chance = chance;
    this.pace = pace;
    downSince = clock.instant();
    http =
        new OkHttpClient.Builder()
            .dispatcher(new Dispatcher(Executors.newVirtualThreadPerTaskExecutor()))
            .connectTimeout(pace.greeting())
            .readTimeout(pace.greeting())
            .pingInterval(pace.ping())
            .build();
  }

  /// Starts in the background.
  public void start() {
    keeper.start();
  }

  /// Why no request can arrive; empty while a socket is open, and during a short reconnect.
  public synchronized Optional<String> problem() {
    if (current != null || (wasUp && clock.instant().isBefore(downSince.plus(pace.grace())))) {
      return Optional.empty();
    }
    return Optional.of(
        "Slack's socket is not connected (since %s: %s)"
            .formatted(downSince.truncatedTo(ChronoUnit.SECONDS), why));
  }

  private void keep() {
    var failures = 0;
    Optional<Duration> asked = Optional.empty();
    try {
      while (!closed) {
        Thread.sleep(pause(failures, asked));
        asked = Optional.empty();
        var begin = clock.instant();
        switch (address.get()) {
          case SlackResponse.Ok<String>(String url) -> {
            hold(url);
            var steady = !clock.instant().isBefore(begin.plus(pace.steady()));
            failures = steady ? 0 : failures + 1;
          }
          case SlackResponse.Wait<String>(Optional<Duration> after, String reason) -> {
            failures++;
            asked = after;
            failed(reason);
          }
          case SlackResponse.No<String>(String error) -> {
            failures++;
            asked = Optional.of(pace.longest());
            failed("Slack refuses SLACK_APP_TOKEN: " + error);
          }
        }
      }
    } catch (InterruptedException e) {
      // close() interrupts this thread.
      Thread.currentThread().interrupt();
    }
  }

  private Duration pause(int failures, Optional<Duration> asked) {
    if (failures == 0) {
      return Duration.ZERO;
    }
    var doubled = pace.first().multipliedBy(1L << Math.min(failures - 1, 20));
    var bounded = doubled.compareTo(pace.longest()) > 0 ? pace.longest() : doubled;
    var backoff = Duration.ofMillis((long) (bounded.toMillis() * (0.5 + chance.nextDouble() / 2)));
    return asked.filter(it -> it.compareTo(backoff) > 0).orElse(backoff);
  }

  /// Opens a socket; returns when the next one should be opened.
  private void hold(String url) throws InterruptedException {
    var link = new Link();
    WebSocket socket;
    try {
      socket = http.newWebSocket(new Request.Builder().url(url).build(), link);
    } catch (IllegalArgumentException e) {
      failed("Slack gave an address that is none");
      return;
    }
    try {
      CompletableFuture.anyOf(link.greeted, link.leaving)
          .get(pace.greeting().toMillis(), TimeUnit.MILLISECONDS);
      if (link.greeted.isDone()) {
        up(link, socket);
        link.leaving.get();
        return;
      }
      failed(link.leaving.get());
    } catch (TimeoutException e) {
      failed("Slack said no hello");
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("Nothing completes a link with an error", impossible);
    } finally {
      if (!link.greeted.isDone()) {
        socket.cancel();
      }
    }
  }

  private void up(Link link, WebSocket socket) {
    Link old;
    link.socket = socket;
    synchronized (this) {
      if (link.ended) {
        return;
      }
      old = current;
      current = link;
      wasUp = true;
    }
    log.info("slack socket open");
    if (old != null) {
      Thread.ofVirtual().start(() -> old.closeAfter(pace.farewell()));
    }
  }

  private synchronized void down(Link link, String reason) {
    link.ended = true;
    if (current == link) {
      current = null;
      downSince = clock.instant();
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

  private void take(WebSocket socket, SlackFrame.Envelope envelope) {
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
    keeper.interrupt();
    envelopes.shutdown();
    try {
      if (!envelopes.awaitTermination(LAST_ACKS.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("slack envelopes not acknowledged, Slack will resend them");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Link last;
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
  private final class Link extends WebSocketListener {
    private final CompletableFuture<Boolean> greeted = new CompletableFuture<>();

    /// Completes when the next socket should be opened, with the reason.
    private final CompletableFuture<String> leaving = new CompletableFuture<>();

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
        open.close(NORMAL, null);
      }
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      if (closed) {
        return;
      }
      switch (SlackFrame.read(text, clock.instant())) {
        case SlackFrame.Hello _ -> greeted.complete(true);
        case SlackFrame.Disconnect(String reason) -> leaving.complete("Slack said " + reason);
        case SlackFrame.Envelope envelope -> envelopes.execute(() -> take(socket, envelope));
        case SlackFrame.Unknown _ -> log.debug("slack frame of an unknown type");
      }
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      socket.close(NORMAL, null);
      end("Slack closed it with " + code);
    }

    @Override
    public void onFailure(WebSocket socket, Throwable problem, @Nullable Response response) {
      end(
          response == null
              ? "lost by " + problem.getClass().getSimpleName()
              : "answered with " + response.code());
    }

    private void end(String reason) {
      if (!closed && greeted.isDone()) {
        log.info("slack socket closed why=\"{}\"", reason);
      }
      down(this, reason);
      leaving.complete(reason);
    }
  }
}
