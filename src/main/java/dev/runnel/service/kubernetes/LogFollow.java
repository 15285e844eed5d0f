package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.isolation.RunningProcess;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the log of a container from its beginning to its end, each line once, over as many
/// connections as it takes.
///
/// Lines carry the time at which they were written, with nanoseconds. A new connection asks for
/// lines from a whole second on, and what is known of that second is left out. A line of which the
/// connection brought only a part is not taken.
final class LogFollow {
  private static final Logger log = LoggerFactory.getLogger(LogFollow.class);
  private static final int MAX_LINE = 1024 * 1024;
  private static final Duration MAX_PAUSE = Duration.ofSeconds(30);
  private static final Duration OVERLAP = Duration.ofSeconds(2);

  /// Opens the log.
  @FunctionalInterface
  interface Source {
    /// @param since a time; empty for all of it
    InputStream open(Optional<String> since) throws IOException;
  }

  private record Line(Instant at, String text) {}

  private final Source source;
  private final String mark;
  private final RunningProcess.Sink sink;
  private final Duration firstPause;
  private final Semaphore wake = new Semaphore(0);
  private volatile boolean over;
  private volatile boolean givenUp;
  // Confined to the reading thread.
  private final Deque<Line> recent = new ArrayDeque<>();
  private final StringBuilder begun = new StringBuilder();

  /// @param mark what lines of standard error begin with
  /// @param firstPause before a second connection; later ones wait longer
  LogFollow(Source source, String mark, RunningProcess.Sink sink, Duration firstPause) {
    this.source = source;
    this.mark = mark;
    this.sink = sink;
    this.firstPause = firstPause;
  }

  /// The container has ended, so the next log that ends is complete.
  void containerEnded() {
    over = true;
    wake.release();
  }

  /// Nobody waits for the rest any more.
  void giveUp() {
    givenUp = true;
    wake.release();
  }

  /// Returns when all is read, or nobody waits for the rest.
  ///
  /// @return whether all was read
  boolean read() throws InterruptedException {
    var pause = firstPause;
    while (true) {
      var wasOver = over;
      var last = givenUp;
      var known = recent.peekLast();
      var isComplete = readOnce(wasOver);
      if ((wasOver && isComplete) || last) {
        flush();
        return wasOver && isComplete;
      }
      if (over && !wasOver) {
        continue;
      }
      pause = Objects.equals(known, recent.peekLast()) ? pause : firstPause;
      if (wake.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
        wake.drainPermits();
      }
      pause = Collections.min(List.of(pause.multipliedBy(2), MAX_PAUSE));
    }
  }

  /// @param isLast whether the container had ended before
  /// @return whether the log was read up to where it ends now
  private boolean readOnce(boolean isLast) {
    var since = Optional.ofNullable(recent.peekLast()).map(each -> each.at().minus(OVERLAP));
    var lines = new Lines(new HashSet<>(recent));
    try (var stream = new UntilEnd(source.open(since.map(Instant::toString)))) {
      LineReader.read(
          stream,
          MAX_LINE,
          raw -> {
            // At its end, what has no line end may be a part of a line.
            if (isLast || !stream.isAtEnd()) {
              lines.next(raw);
            }
          });
      return !lines.isForeign;
    } catch (IOException | KubernetesClientException | CompletionException e) {
      // The last one is how the client reports a refused connection here.
      log.debug("log interrupted, will follow again error={}", e.toString());
      return false;
    }
  }

  /// The lines of one connection.
  private final class Lines {
    private final Set<Line> known;
    private boolean isForeign;

    Lines(Set<Line> known) {
      this.known = known;
    }

    void next(String raw) {
      var space = raw.indexOf(' ');
      try {
        var line =
            new Line(
                Instant.parse(space < 0 ? raw : raw.substring(0, space)),
                space < 0 ? "" : raw.substring(space + 1));
        if (!known.remove(line)) {
          take(line);
        }
      } catch (DateTimeParseException _) {
        // What has no time is no log, but what a server says of one.
        isForeign = true;
      }
    }
  }

  private void take(Line line) {
    recent.addLast(line);
    // A second more than a new connection asks for, since it may ask for whole seconds only.
    var known = line.at().minus(OVERLAP).minusSeconds(1);
    while (recent.size() > 1 && recent.getFirst().at().isBefore(known)) {
      recent.removeFirst();
    }
    var text = line.text();
    var marked = text.indexOf(mark);
    if (marked >= 0) {
      // A long line is written in parts, between which a line of standard error may come.
      begun.append(text, 0, marked);
      sink.err(text.substring(marked + mark.length()));
      return;
    }
    begun.append(text);
    flushLine();
  }

  private void flush() {
    if (!begun.isEmpty()) {
      flushLine();
    }
  }

  private void flushLine() {
    var text = begun.toString();
    begun.setLength(0);
    sink.out(text);
  }

  private static final class UntilEnd extends FilterInputStream {
    private boolean isAtEnd;

    UntilEnd(InputStream stream) {
      super(stream);
    }

    boolean isAtEnd() {
      return isAtEnd;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
      var read = super.read(buffer, from, length);
      isAtEnd = read < 0;
      return read;
    }
  }
}
