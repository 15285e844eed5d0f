package dev.runnel.service.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.TextSink;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LogFollowTest {
  private static final String MARK = "mark-1 ";

  private final List<String> heard = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final Deque<InputStream> logs = new ArrayDeque<>();
  private final Deque<RuntimeException> failures = new ArrayDeque<>();
  private final TextSink sink =
      new TextSink(line -> heard.add("out " + line), line -> heard.add("err " + line));
  private final LogFollow follow =
      new LogFollow(
          since -> {
            asked.add(since.orElse("all"));
            if (!failures.isEmpty()) {
              throw failures.removeFirst();
            }
            return logs.removeFirst();
          },
          MARK,
          sink,
          Duration.ofMillis(1));

  private static String line(int nanos, String text) {
    return "2026-11-23T08:00:01.%09dZ %s\n".formatted(nanos, text);
  }

  private static InputStream log(String... lines) {
    return new ByteArrayInputStream(String.join("", lines).getBytes(StandardCharsets.UTF_8));
  }

  private static InputStream broken(String... lines) {
    return new SequenceInputStream(
        log(lines),
        end(
            () -> {
              throw new IOException("Connection reset");
            }));
  }

  @FunctionalInterface
  private interface Action {
    void run() throws IOException;
  }

  /// Does something when it is read, and ends.
  private static InputStream end(Action action) {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        action.run();
        return -1;
      }

      @Override
      public int read(byte[] buffer, int from, int length) throws IOException {
        return read();
      }
    };
  }

  @Test
  void aRefusedConnectionIsTriedAgain() throws Exception {
    failures.add(new CompletionException(new ConnectException()));
    logs.add(log(line(1, "one")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out one");
  }

  @Test
  void standardOutputAndStandardErrorAreDistinguished() throws Exception {
    logs.add(log(line(1, "one"), line(2, MARK + "why"), line(3, ""), line(4, "two")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out one", "err why", "out ", "out two");
  }

  @Test
  void standardErrorLineDoesNotSplitALongOutputLine() throws Exception {
    logs.add(log(line(1, "begin" + MARK + "why"), line(2, "end")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("err why", "out beginend");
  }

  @Test
  void onlyWhatTheProgramWroteIsCounted() throws Exception {
    logs.add(broken(line(1, "one"), line(2, MARK + "why")));
    logs.add(log(line(1, "one"), line(2, MARK + "why"), line(3, "two")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(sink.bytes()).hasValue("one\nwhy\ntwo\n".length());
  }

  @Test
  void longLineThatStandardErrorInterruptsIsCutWithAMark() throws Exception {
    logs.add(log(line(1, "word ".repeat(60_000) + MARK + "why"), line(2, "end")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).hasSize(2).startsWith("err why");
    assertThat(heard.getLast()).hasSizeLessThan(129 * 1024).endsWith("…");
  }

  @Test
  void linesOfOneMebibyteAreReadWithoutCuttingThem() throws Exception {
    var text = "x".repeat(1024 * 1024 - 64);
    logs.add(log(line(1, text), line(2, text), line(3, text)));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out " + text, "out " + text, "out " + text);
  }

  @Test
  void brokenConnectionOfAVeryFastLogNeitherLosesNorRepeatsLines() throws Exception {
    var lines = IntStream.range(0, 20_000).mapToObj(i -> line(i, "line " + i)).toList();
    var half = lines.subList(0, 10_000);
    logs.add(broken(half.toArray(String[]::new)));
    logs.add(log(lines.toArray(String[]::new)));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard)
        .containsExactlyElementsOf(
            IntStream.range(0, 20_000).mapToObj(i -> "out line " + i).toList());
  }

  @Test
  void brokenLogConnectionNeitherLosesNorRepeatsNorSplitsLines() throws Exception {
    logs.add(broken(line(1, "same"), line(2, "same"), line(3, "cut").substring(0, 33)));
    logs.add(log(line(1, "same"), line(2, "same"), line(3, "cut in the middle"), line(3, "last")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out same", "out same", "out cut in the middle", "out last");
    assertThat(asked).containsExactly("all", "2026-11-23T07:59:59.000000002Z");
  }

  @Test
  void aLineWhoseTimeIsEarlierThanTheLastOneIsNotLost() throws Exception {
    logs.add(broken(line(5, "five"), line(6, "six")));
    logs.add(log(line(5, "five"), line(4, "four"), line(6, "six")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out five", "out six", "out four");
  }

  @Test
  void serverErrorInPlaceOfALogIsNotOutput() throws Exception {
    logs.add(log("{\"kind\":\"Status\",\"code\":500}"));
    logs.add(log("failed to try resolving symlinks in path\n"));
    logs.add(log(line(1, "output")));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out output");
  }

  @Test
  void aLogThatEndsBeforeItsContainerIsFollowedAgain() throws Exception {
    logs.add(log(line(1, "one")));
    logs.add(
        new SequenceInputStream(log(line(1, "one"), line(2, "two")), end(follow::containerEnded)));
    logs.add(log(line(1, "one"), line(2, "two"), line(3, "three")));

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out one", "out two", "out three");
  }

  @Test
  void lastLineNeedsNoNewline() throws Exception {
    logs.add(log(line(1, "one"), line(2, "two").strip()));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
    assertThat(heard).containsExactly("out one", "out two");
  }

  @Test
  void abandonedLogReadReturnsTheAvailableLines() throws Exception {
    logs.add(broken(line(1, "one"), line(2, "two")));
    follow.abandon();

    assertThat(follow.read()).isFalse();
    assertThat(heard).containsExactly("out one", "out two");
  }

  @Test
  void lineIsProcessedAsSoonAsItIsComplete() throws Exception {
    logs.add(
        new SequenceInputStream(
            log(line(1, "now")), end(() -> assertThat(heard).containsExactly("out now"))));
    follow.containerEnded();

    assertThat(follow.read()).isTrue();
  }
}
