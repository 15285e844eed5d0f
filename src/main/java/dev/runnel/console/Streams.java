package dev.runnel.console;

import dev.runnel.memory.Lease;
import dev.runnel.memory.Share;
import io.javalin.http.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Server-sent event streams of open pages, limited in number and memory. Each runs on its
/// request's thread, which polls, sends changes, and waits. A stream ends when the page is closed,
/// when it has nothing more to send, or on [#close()]. The server should run requests on virtual
/// threads.
///
/// When all places are taken, a reader who has fewer streams than another takes the place of the
/// newest stream of the reader with most, so nobody can take the updates of others. The page whose
/// stream was ended reconnects later.
final class Streams implements AutoCloseable {
  /// Collects the changes since the last call.
  interface PageEvents {
    /// @return false if nothing more will follow
    boolean collect(EventBuffer page);
  }

  /// What a stream remembers of its page.
  static final int BYTES = 32 * 1024;

  /// What a stream needs to collect changes, before it sends them.
  private static final int BYTES_TO_COLLECT = 1024 * 1024;

  /// Of the memory of readers: what streams collect and send at the same time. The rest is for the
  /// pages, and for the answers of the API from which changes are collected.
  private static final int PART_OF_CHANGES = 4;

  private static final Logger log = LoggerFactory.getLogger(Streams.class);

  private final Duration pause;
  private final Duration silence;
  private final int mostOfOne;
  private final Share changes;
  private final Share places;
  // What follows is guarded by this.
  private final Map<String, Deque<Stream>> ofReaders = new HashMap<>();
  private boolean isClosed;

  /// @param most maximum number of streams
  /// @param mostOfOne maximum number of streams of one reader
  /// @param pause the interval between two polls
  /// @param silence maximum time without data: a closed page is only detected by sending to it, and
  ///   proxies drop idle connections
  Streams(int most, int mostOfOne, Duration pause, Duration silence, Share memory) {
    this.pause = pause;
    this.silence = silence;
    this.mostOfOne = mostOfOne;
    this.changes = memory.part("changes", 0, memory.size() / PART_OF_CHANGES);
    this.places = memory.part("live updates", 0, (long) most * BYTES);
  }

  private record Stream(String reader, Lease place, CountDownLatch ended) {}

  /// Responds with a stream; with 503 if too many are open, with 406 if the client does not accept
  /// one.
  ///
  /// @param reader whose streams count together
  void open(Context ctx, String reader, PageEvents events) throws IOException {
    var accept = ctx.header("Accept");
    if (accept == null || !accept.contains("text/event-stream")) {
      ctx.status(406);
      return;
    }
    var stream = admit(reader);
    if (stream.isEmpty()) {
      ctx.status(503).header("Retry-After", "10");
      return;
    }
    try {
      ctx.contentType("text/event-stream; charset=utf-8").header("X-Accel-Buffering", "no");
      // Runs on the request's own thread. Javalin's asynchronous streams return the request to the
      // server while it may still be written to, and fail when the page was closed.
      run(ctx, stream.get(), events);
    } finally {
      remove(stream.get());
    }
  }

  private synchronized Optional<Stream> admit(String reader) {
    var own = ofReaders.getOrDefault(reader, new ArrayDeque<>()).size();
    if (isClosed || own >= mostOfOne) {
      return Optional.empty();
    }
    var stream =
        places
            .tryTake(BYTES)
            .or(() -> placeOfReaderWithMoreThan(own + 1))
            .map(place -> new Stream(reader, place, new CountDownLatch(1)));
    stream.ifPresent(it -> ofReaders.computeIfAbsent(reader, _ -> new ArrayDeque<>()).addLast(it));
    return stream;
  }

  /// Ends a stream, and hands on its place. Guarded by this.
  private Optional<Lease> placeOfReaderWithMoreThan(int number) {
    return ofReaders.values().stream()
        .max(Comparator.comparingInt(Deque::size))
        .filter(most -> most.size() > number)
        .map(
            most -> {
              var newest = most.removeLast();
              newest.ended().countDown();
              return newest.place();
            });
  }

  private synchronized void remove(Stream stream) {
    var others = ofReaders.get(stream.reader());
    // Otherwise another stream has its place.
    if (others != null && others.remove(stream)) {
      stream.place().close();
      if (others.isEmpty()) {
        ofReaders.remove(stream.reader());
      }
    }
  }

  private void run(Context ctx, Stream stream, PageEvents events) {
    var isFollowed = true;
    try {
      ctx.res().flushBuffer();
      var rounds = Math.max(1, silence.dividedBy(pause));
      for (long round = 1; isFollowed; round++) {
        isFollowed = send(ctx, events, round % rounds == 0);
        if (stream.ended().await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException closedPage) {
      log.debug("page closed path={}", ctx.path());
    } catch (Throwable e) {
      log.warn("page stream failed, the page reconnects path={}", ctx.path(), e);
    }
  }

  /// Without free memory, the changes wait for the next round.
  ///
  /// @return false if nothing more will follow
  private boolean send(Context ctx, PageEvents events, boolean isSilent) throws IOException {
    var free = changes.tryTake(BYTES_TO_COLLECT);
    if (free.isEmpty()) {
      return true;
    }
    try (var lease = free.get()) {
      var buffer = new EventBuffer();
      var isFollowed = events.collect(buffer);
      if (isSilent) {
        buffer.addComment();
      }
      if (!buffer.isEmpty()) {
        var bytes = buffer.bytes();
        // A slow page holds what it is sent, and no more.
        lease.shrink(Math.max(0, BYTES_TO_COLLECT - bytes.length));
        var output = ctx.res().getOutputStream();
        output.write(bytes);
        output.flush();
      }
      return isFollowed;
    }
  }

  synchronized int open() {
    return ofReaders.values().stream().mapToInt(Deque::size).sum();
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    ofReaders.values().forEach(all -> all.forEach(it -> it.ended().countDown()));
  }
}
