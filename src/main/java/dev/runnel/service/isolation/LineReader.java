package dev.runnel.service.isolation;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.function.Consumer;

/// Splits a byte stream into lines. A line longer than a limit is cut, so that output without line
/// ends cannot fill the memory. If the memory of the run is spent, the stream is not read until
/// earlier lines are recorded.
public final class LineReader {
  /// Default limit in bytes.
  public static final int MAX = 64 * 1024;

  private static final int BUFFER = 8 * 1024;
  private static final byte[] EMPTY = {};

  private final int maxBytes;
  private final RunMemory memory;
  private final Consumer<OutputLine> lines;

  /// The beginning of a line whose end is not read yet. Its length is taken from the memory.
  private byte[] line = EMPTY;

  private int length;
  private boolean isTruncated;
  // A carriage return followed the truncated part, so the next text overwrites the line.
  private boolean isOverwritten;

  private LineReader(int maxBytes, RunMemory memory, Consumer<OutputLine> lines) {
    this.maxBytes = maxBytes;
    this.memory = memory;
    this.lines = lines;
  }

  /// Reads all lines until the end of the stream.
  ///
  /// @param maxBytes maximum number of bytes kept per line
  /// @param sink is told the number of all bytes, also of those that are cut
  /// @param lines receives the lines and owns them
  /// @throws RunMemory.ClosedException if nobody waits for the lines any more
  public static void read(
      InputStream stream, int maxBytes, RunningProcess.Sink sink, Consumer<OutputLine> lines)
      throws IOException, InterruptedException {
    var reader = new LineReader(maxBytes, sink.memory(), lines);
    try {
      var buffer = new byte[BUFFER];
      for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
        sink.received(count);
        reader.accept(buffer, count);
      }
      if (reader.length > 0) {
        reader.emit();
      }
    } finally {
      reader.memory.free(reader.line.length);
    }
  }

  private void accept(byte[] bytes, int count) throws InterruptedException {
    int start = 0;
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n') {
        if (length == 0 && !isTruncated && i - start <= maxBytes) {
          emit(bytes, start, i);
        } else {
          append(bytes, start, i - start);
          emit();
        }
        start = i + 1;
      } else if (isOverwritten) {
        length = 0;
        isTruncated = false;
        isOverwritten = false;
      } else if (bytes[i] == '\r') {
        append(bytes, start, i + 1 - start);
        isOverwritten = isTruncated;
        start = i + 1;
      }
    }
    append(bytes, start, count - start);
  }

  private void append(byte[] bytes, int start, int added) throws InterruptedException {
    var room = Math.min(added, maxBytes - length);
    if (length + room > line.length) {
      var capacity = Math.min(maxBytes, Math.max(2 * line.length, length + room));
      memory.take(capacity - line.length);
      line = Arrays.copyOf(line, capacity);
    }
    System.arraycopy(bytes, start, line, length, room);
    length += room;
    isTruncated |= room < added;
  }

  /// Emits a line that the buffer holds as a whole.
  private void emit(byte[] bytes, int start, int end) throws InterruptedException {
    var taken = end - start + OutputLine.OVERHEAD;
    memory.take(taken);
    lines.accept(
        new OutputLine(
            Arrays.copyOfRange(bytes, start, end), 0, end - start, false, memory, taken));
    isOverwritten = false;
  }

  private void emit() throws InterruptedException {
    memory.take(OutputLine.OVERHEAD);
    var whole = line;
    var emitted =
        new OutputLine(whole, 0, length, isTruncated, memory, whole.length + OutputLine.OVERHEAD);
    line = EMPTY;
    length = 0;
    isTruncated = false;
    isOverwritten = false;
    lines.accept(emitted);
  }
}
