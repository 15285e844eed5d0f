package dev.runnel.console;

import io.javalin.http.Context;
import io.javalin.http.sse.SseClient;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Open pages that are kept up to date: a bounded number, each in the thread of its request, which
/// looks, sends what is new, and waits. It ends when the page is closed, when its look says so, or
/// on [#close()]. The server should run requests on virtual threads.
final class Streams implements AutoCloseable {
  /// Sends what is new since the last time.
  interface LivePage {
    /// @return false when there will be nothing more
    boolean send(SseClient page);
  }

  private static final Logger log = LoggerFactory.getLogger(Streams.class);

  private final Duration pause;
  private final Duration silence;
  private final Semaphore free;
  private final int most;
  private final CountDownLatch closing = new CountDownLatch(1);

  /// @param pause between two looks
  /// @param silence the longest: a page that was closed is noticed when something is sent to it,
  ///     and proxies drop what says nothing
  Streams(int most, Duration pause, Duration silence) {
    this.most = most;
    this.pause = pause;
    this.silence = silence;
    this.free = new Semaphore(most);
  }

  /// Answers with a stream; with 503 when too many are open, with 406 when none was asked for.
  void open(Context ctx, LivePage livePage) {
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
    // In the request's own thread. Javalin's asynchronous streams hand the request back to the
    // server while somebody may still write to it, and break when the page was closed.
    run(new SseClient(ctx), livePage);
  }

  private void run(SseClient page, LivePage livePage) {
    try {
      var rounds = Math.max(1, silence.dividedBy(pause));
      for (long round = 1; !page.terminated() && livePage.send(page); round++) {
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
      log.warn("page stream broke, the page asks again", e);
    } finally {
      free.release();
      page.close();
    }
  }

  /// How many are open now.
  int open() {
    return most - free.availablePermits();
  }

  @Override
  public void close() {
    closing.countDown();
  }
}
