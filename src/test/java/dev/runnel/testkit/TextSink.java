package dev.runnel.testkit;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.isolation.OutputLine;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.isolation.RunShares;
import dev.runnel.service.isolation.RunningProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Receives the lines of a process as texts.
///
/// @param bytes the number of bytes that the process has written
public record TextSink(
    RunMemory memory, Consumer<String> outLines, Consumer<String> errLines, AtomicLong bytes)
    implements RunningProcess.Sink {
  private static final long HEAP = 256L * 1024 * 1024;

  public TextSink(Consumer<String> outLines, Consumer<String> errLines) {
    this(memoryOfARun(), outLines, errLines, new AtomicLong());
  }

  /// One that ignores the lines.
  public TextSink() {
    this(_ -> {}, _ -> {});
  }

  /// The memory of a run with a small heap.
  public static RunMemory memoryOfARun() {
    return new RunShares(MemoryBudget.of(HEAP), 1, 1).tryOpen(0).orElseThrow();
  }

  @Override
  public void received(int count) {
    bytes.addAndGet(count);
  }

  @Override
  public void out(OutputLine line) {
    pass(line, outLines);
  }

  @Override
  public void err(OutputLine line) {
    pass(line, errLines);
  }

  private static void pass(OutputLine line, Consumer<String> lines) {
    try (line) {
      lines.accept(line.text());
    }
  }

  /// The lines of a stream, as texts.
  public static List<String> lines(InputStream stream, int maxBytes)
      throws IOException, InterruptedException {
    var lines = new ArrayList<String>();
    var sink = new TextSink(lines::add, _ -> {});
    LineReader.read(stream, maxBytes, sink, sink::out);
    return lines;
  }

  /// Writes a line of standard output to a sink.
  public static void write(RunningProcess.Sink sink, String line) {
    var stream = new ByteArrayInputStream((line + "\n").getBytes(StandardCharsets.UTF_8));
    try {
      LineReader.read(stream, RunMemory.MAX_LINE, sink, sink::out);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
