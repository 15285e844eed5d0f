package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.isolation.OutputLine;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunningProcess;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
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

/// Reads the log of a container from beginning to end, each line exactly once, over as many
/// connections as needed.
///
/// Each line has a timestamp with nanoseconds. A new connection requests the lines since shortly
/// before the last one, and known lines are skipped. A line that arrived only in part, because the
/// connection was lost, is ignored. Of a log that grows very fast, only the last lines are known;
/// what a new connection sends from before them is skipped, too.
final class LogFollow {
  private static final Logger log = LoggerFactory.getLogger(LogFollow.class);

  /// Lines longer than this that lines of standard error interrupt are cut.
  private static final int MAX_INTERRUPTED_LINE = 128 * 1024;

  /// Longer than a timestamp.
  private static final int TIME = 64;

  /// How many lines are recognized when they come again.
  private static final int MAX_RECENT = 4096;

  private static final Duration MAX_DELAY = Duration.ofSeconds(30);
  private static final Duration OVERLAP = Duration.ofSeconds(2);

  /// Opens the log.
  @FunctionalInterface
  interface Source {
    /// @param since a time; empty for all of it
    InputStream open(Optional<String> since) throws IOException;
  }

  /// A line as it is recognized.
  private record Known(Instant at, long checksum) {}

  private final Source source;
  private final byte[] errorPrefix;
  private final RunningProcess.Sink sink;
  private final Duration firstDelay;
  private final Semaphore wake = new Semaphore(0);
  private volatile boolean hasContainerEnded;
  private volatile boolean isAbandoned;
  // Confined to the reading thread.
  private final Deque<Known> recent = new ArrayDeque<>();
  private Instant skippedUntil = Instant.MIN;
  private Optional<OutputLine> partialLine = Optional.empty();

  /// @param errorPrefix the prefix of standard error lines in the log
  /// @param firstDelay delay before the second connection; it doubles for later ones
  LogFollow(Source source, String errorPrefix, RunningProcess.Sink sink, Duration firstDelay) {
    this.source = source;
    this.errorPrefix = errorPrefix.getBytes(StandardCharsets.UTF_8);
    this.sink = sink;
    this.firstDelay = firstDelay;
  }

  /// Notes that the container has ended, so that a log that is then read to its end is complete.
  void containerEnded() {
    hasContainerEnded = true;
    wake.release();
  }

  /// Stops reading, because nobody waits for the rest.
  void abandon() {
    isAbandoned = true;
    wake.release();
  }

  /// Returns when the whole log is read, or after [#abandon].
  ///
  /// @return whether all was read
  boolean read() throws InterruptedException {
    var delay = firstDelay;
    while (true) {
      var wasOver = hasContainerEnded;
      var last = isAbandoned;
      var known = recent.peekLast();
      var isComplete = readOnce(wasOver);
      if ((wasOver && isComplete) || last) {
        flush();
        return wasOver && isComplete;
      }
      if (hasContainerEnded && !wasOver) {
        continue;
      }
      delay = Objects.equals(known, recent.peekLast()) ? delay : firstDelay;
      if (wake.tryAcquire(delay.toNanos(), TimeUnit.NANOSECONDS)) {
        wake.drainPermits();
      }
      delay = Collections.min(List.of(delay.multipliedBy(2), MAX_DELAY));
    }
  }

  /// @param isLast whether the container had already ended
  /// @return whether the log was read to its current end
  private boolean readOnce(boolean isLast) throws InterruptedException {
    var since = Optional.ofNullable(recent.peekLast()).map(each -> each.at().minus(OVERLAP));
    var lines = new Lines(new HashSet<>(recent));
    try (var stream = new EndTrackingStream(source.open(since.map(Instant::toString)))) {
      LineReader.read(
          stream,
          RunMemory.MAX_LINE,
          sink,
          raw -> {
            // At the end of the stream, text without a line end may be part of a line.
            if (isLast || !stream.isAtEnd()) {
              lines.next(raw);
            } else {
              raw.close();
            }
          });
      return !lines.hasOtherContent;
    } catch (IOException | KubernetesClientException | CompletionException e) {
      // A `CompletionException` is how the client reports a refused connection here.
      log.debug("log interrupted, will follow again error={}", e.toString());
      return false;
    }
  }

  /// The lines of one connection.
  private final class Lines {
    private final Set<Known> known;
    private final Instant from = skippedUntil;
    private boolean hasOtherContent;

    Lines(Set<Known> known) {
      this.known = known;
    }

    void next(OutputLine raw) {
      var head = raw.head(TIME);
      var space = head.indexOf(' ');
      try {
        var at = Instant.parse(space < 0 ? head : head.substring(0, space));
        var textStart = space < 0 ? raw.size() : space + 1;
        var line = new Known(at, raw.checksum(textStart));
        if (known.remove(line) || !at.isAfter(from)) {
          sink.received(-raw.size() - 1);
          raw.close();
        } else {
          sink.received(-textStart);
          remember(line);
          accept(raw.tail(textStart));
        }
      } catch (DateTimeParseException _) {
        // A line without a timestamp is not from the log, but a message of the server.
        hasOtherContent = true;
        raw.close();
      }
    }
  }

  private void remember(Known line) {
    recent.addLast(line);
    // One second more than a new connection requests, since the server may round to whole seconds.
    var oldest = line.at().minus(OVERLAP).minusSeconds(1);
    while (recent.size() > 1 && recent.getFirst().at().isBefore(oldest)) {
      recent.removeFirst();
    }
    if (recent.size() > MAX_RECENT) {
      skippedUntil = recent.removeFirst().at();
    }
  }

  private void accept(OutputLine line) {
    var marked = line.indexOf(errorPrefix, 0);
    if (marked >= 0) {
      sink.received(-errorPrefix.length);
      // A long line is written in parts, and a line of standard error may come in between.
      var halves = line.split(marked, marked + errorPrefix.length, MAX_INTERRUPTED_LINE);
      if (marked > 0) {
        partialLine = Optional.of(joined(halves.first(), MAX_INTERRUPTED_LINE));
      } else {
        halves.first().close();
      }
      sink.err(halves.second());
      return;
    }
    var whole = joined(line, RunMemory.MAX_LINE);
    partialLine = Optional.empty();
    sink.out(whole);
  }

  private OutputLine joined(OutputLine next, int maxBytes) {
    return partialLine.map(partial -> partial.with(next, maxBytes)).orElse(next);
  }

  private void flush() {
    partialLine.ifPresent(sink::out);
    partialLine = Optional.empty();
  }

  private static final class EndTrackingStream extends FilterInputStream {
    private boolean isAtEnd;

    EndTrackingStream(InputStream stream) {
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
