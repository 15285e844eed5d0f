package dev.runnel.console;

import io.javalin.http.Context;
import io.javalin.http.sse.SseClient;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Server-sent event streams of open pages, limited in number. Each runs on its request's thread,
/// which polls, sends changes, and waits. A stream ends when the page is closed, when it has
/// nothing more to send, or on [#close()]. The server should run requests on virtual threads.
final class Streams implements AutoCloseable {
  /// Sends the changes since the last call.
  interface PageEvents {
    /// @return false if nothing more will follow
    boolean send(SseClient page);
  }

  private static final Logger log = LoggerFactory.getLogger(Streams.class);

  private final Duration pause;
  private final Duration silence;
  private final Semaphore free;
  private final int most;
  private final CountDownLatch closing = new CountDownLatch(1);

  /// @param pause the interval between two polls
  /// @param silence maximum time without data: a closed page is only detected by sending to it, and
  ///   proxies drop idle connections
  Streams(int most, Duration pause, Duration silence) {
    this.most = most;
    this.pause = pause;
    this.silence = silence;
    this.free = new Semaphore(most);
  }

  /// Responds with a stream; with 503 if too many are open, with 406 if the client does not accept
  /// one.
  void open(Context ctx, PageEvents events) {
    var accept = ctx.header("Accept");
    if (accept == null || !accept.contains("text/event-stream")) {
      ctx.status(406);
      return;
    }
    if (closing.getCount() == 0 || !free.tryAcquire()) {
      ctx.status(503).header("Retry-After", "10");
      return;
    }
    ctx.contentType("text/event-stream; charset=utf-8").header("X-Accel-Buffering", "no");
    // Runs on the request's own thread. Javalin's asynchronous streams return the request to the
    // server while it may still be written to, and fail when the page was closed.
    run(new SseClient(ctx), events);
  }

  private void run(SseClient page, PageEvents events) {
    try {
      var rounds = Math.max(1, silence.dividedBy(pause));
      for (long round = 1; !page.terminated() && events.send(page); round++) {
        if (round % rounds == 0) {
          page.sendComment("");
        }
        if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.warn("page stream failed, the page reconnects", e);
    } finally {
      free.release();
      page.close();
    }
  }

  int open() {
    return most - free.availablePermits();
  }

  @Override
  public void close() {
    closing.countDown();
  }
}
