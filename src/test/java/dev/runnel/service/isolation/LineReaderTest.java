package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemoryBudget.Kind;
import dev.runnel.testkit.TextSink;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LineReaderTest {
  private static final int MIB = 1024 * 1024;
  private static final long HEAP = 256L * MIB;

  /// Lines that nobody has read yet.
  private record WaitingLines(
      RunMemory memory, BlockingQueue<OutputLine> lines, AtomicLong received)
      implements RunningProcess.Sink {
    WaitingLines(RunMemory memory) {
      this(memory, new LinkedBlockingQueue<>(), new AtomicLong());
    }

    @Override
    public void received(int bytes) {
      received.addAndGet(bytes);
    }

    @Override
    public void out(OutputLine line) {
      lines.add(line);
    }

    @Override
    public void err(OutputLine line) {
      lines.add(line);
    }

    /// Reads in another thread.
    FutureTask<Void> read(InputStream stream) {
      return inThread(
          () -> {
            LineReader.read(stream, RunMemory.MAX_LINE, this, this::out);
            return null;
          });
    }

    int readNext() throws InterruptedException {
      try (var line = lines.take()) {
        return line.size();
      }
    }
  }

  private static <T> FutureTask<T> inThread(Callable<T> work) {
    var task = new FutureTask<>(work);
    Thread.ofVirtual().start(task);
    return task;
  }

  private static InputStream repeated(String text, int times) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    return new SequenceInputStream(
        Collections.enumeration(
            Collections.<InputStream>nCopies(times, null).stream()
                .map(_ -> (InputStream) new ByteArrayInputStream(bytes))
                .toList()));
  }

  private static void awaitWait(RunMemory memory) {
    while (!memory.isAwaited()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void lineWithoutEndIsCutWithAMarkAndAllItsBytesAreCounted() throws Exception {
    var lines = new ArrayList<String>();
    var sink = new TextSink(lines::add, _ -> {});

    LineReader.read(repeated("word ".repeat(200_000), 300), RunMemory.MAX_LINE, sink, sink::out);

    assertThat(sink.bytes()).hasValue(300_000_000);
    assertThat(lines).hasSize(1);
    assertThat(lines.getFirst()).hasSizeBetween(MIB - 300, MIB).endsWith("word …");
  }

  @Test
  void minifiedFileIsCutAtOneMebibyte() throws Exception {
    var lines = TextSink.lines(repeated("(x)=>{};".repeat(MIB / 4) + "\n", 2), RunMemory.MAX_LINE);

    assertThat(lines).hasSize(2).allMatch(line -> line.endsWith("…"));
    assertThat(lines).allMatch(line -> line.length() > MIB - 400);
  }

  @Test
  void lineThatArrivesByteByByteTakesNoMoreMemoryThanItsBytes() throws Exception {
    var memory = TextSink.memoryOfARun();
    var waiting = new WaitingLines(memory);
    var bytes = new byte[MIB];
    Arrays.fill(bytes, (byte) 'x');
    var slow =
        new ByteArrayInputStream(bytes) {
          @Override
          public synchronized int read(byte[] target, int from, int length) {
            return super.read(target, from, Math.min(1, length));
          }
        };

    waiting.read(slow).get();

    assertThat(waiting.readNext()).isEqualTo(MIB);
    assertThat(memory.isAwaited()).isFalse();
  }

  @Test
  void outputIsNotReadWhileTheMemoryIsSpentAndNothingIsLost() throws Exception {
    var budget = MemoryBudget.of(HEAP);
    var share = budget.share(Kind.RUNS);
    var shares = new RunShares(budget, 14, 4);
    var before = share.taken();
    var line = "x".repeat(MIB - 1) + "\n";
    var runs = new ArrayList<WaitingLines>();
    var readers = new ArrayList<FutureTask<Void>>();
    for (int i = 0; i < 3; i++) {
      var run = new WaitingLines(shares.tryOpen(0).orElseThrow());
      runs.add(run);
      readers.add(run.read(repeated(line, 64)));
    }

    runs.forEach(run -> awaitWait(run.memory()));

    assertThat(share.taken()).isLessThanOrEqualTo(share.size());
    assertThat(runs).allMatch(run -> run.received().get() < 14L * MIB);
    for (var run : runs) {
      for (int i = 0; i < 64; i++) {
        assertThat(run.readNext()).isEqualTo(MIB - 1);
      }
    }
    for (var reader : readers) {
      reader.get();
    }
    assertThat(runs.getFirst().memory().waited()).isPositive();
    runs.forEach(run -> run.memory().close());
    assertThat(share.taken()).isEqualTo(before);
  }

  @Test
  void emptyLinesCountTooSoThatTheyCannotFillTheMemory() throws Exception {
    var memory = TextSink.memoryOfARun();
    var run = new WaitingLines(memory);
    var reader = run.read(repeated("\n".repeat(MIB), 1));

    awaitWait(memory);

    assertThat(run.lines()).hasSizeLessThan(200_000);
    memory.close();
    assertThatThrownBy(reader::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RunMemory.ClosedException.class);
  }

  @Test
  void bothStreamsCanBeReadToTheEndOfALineWithoutBorrowing() throws Exception {
    var budget = MemoryBudget.of(HEAP);
    var share = budget.share(Kind.RUNS);
    var memory = new RunShares(budget, 1, 1).tryOpen(0).orElseThrow();
    var _ = share.tryTake(share.size() - share.taken()).orElseThrow();
    var out = new WaitingLines(memory);
    var err = new WaitingLines(memory);

    out.read(repeated("x".repeat(2 * MIB) + "\n", 1)).get();
    LineReader.read(repeated("x".repeat(MIB) + "\n", 1), LineReader.MAX, err, err::err);

    assertThat(List.of(out.readNext(), err.readNext())).containsExactly(MIB, LineReader.MAX);
  }

  @Test
  void oneLongLineAtATimeIsDecodedInAllRuns() throws Exception {
    var shares = new RunShares(MemoryBudget.of(HEAP), 2, 1);
    var first = shares.tryOpen(0).orElseThrow();
    var second = shares.tryOpen(0).orElseThrow();
    var turn = first.decoding(MIB);

    var next = inThread(() -> second.decoding(MIB));
    second.decoding(100).close();
    assertThat(next.isDone()).isFalse();

    turn.close();
    next.get().close();
  }

  @Test
  void startNamesTheHeapThatSoManyRunsNeed() {
    assertThat(RunShares.problem(MemoryBudget.of(HEAP), 14, 4)).isEmpty();
    assertThat(RunShares.problem(MemoryBudget.of(HEAP), 97, 4).orElseThrow())
        .startsWith(
            "The heap of 256 MiB is too small for the output of 97 agents at the same time.")
        .containsPattern("Set RUNNEL_HEAP to [6-9][0-9][0-9]m, or set fewer agents\\.slots\\.");
  }

  @Test
  void runsBelowOthersTakeWhatIsFreeAndAtLeastOnePartOfTheirLevel() {
    var budget = MemoryBudget.of(HEAP);
    var shares = new RunShares(budget, 2, 3);
    var second = new ArrayList<RunMemory>();
    for (var next = shares.tryOpen(1); next.isPresent(); next = shares.tryOpen(1)) {
      second.add(next.get());
    }

    assertThat(second).hasSizeGreaterThan(10);
    assertThat(shares.tryOpen(0)).isPresent();
    assertThat(shares.tryOpen(0)).isPresent();
    assertThat(shares.tryOpen(2)).isPresent();
    assertThat(shares.tryOpen(2)).isEmpty();

    second.getLast().close();
    assertThat(shares.tryOpen(2)).isPresent();
  }

  @Test
  void inputBeyondTwoMebibytesIsRefused() {
    var memory = TextSink.memoryOfARun();

    assertThat(memory.tryTakeInput(2 * MIB)).isTrue();
    assertThat(memory.tryTakeInput(1)).isFalse();

    memory.freeInput(2 * MIB);
    assertThat(memory.tryTakeInput(1)).isTrue();
  }
}
