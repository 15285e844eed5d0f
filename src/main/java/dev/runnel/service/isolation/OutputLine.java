package dev.runnel.service.isolation;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/// A line of output without its line end. It waits as bytes, which take half of the memory of a
/// text or less, and belongs to one owner at a time, who closes it. Not thread-safe.
public final class OutputLine implements AutoCloseable {
  /// The end of a line that was too long.
  public static final String CUT = "…";

  /// What a short line takes in addition to its bytes: the objects, and its place in a queue.
  static final int OVERHEAD = 128;

  private static final int MAX_TOKEN = 300;

  private final byte[] bytes;
  private final int from;
  private final int to;
  private final boolean isCut;
  private final RunMemory memory;
  private int room;

  /// @param room the bytes of the memory that it returns when it is closed
  OutputLine(byte[] bytes, int from, int to, boolean isCut, RunMemory memory, int room) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.isCut = isCut;
    this.memory = memory;
    this.room = room;
  }

  /// Its size in bytes.
  public int size() {
    return to - from;
  }

  /// Whether it was longer.
  public boolean isCut() {
    return isCut;
  }

  /// Decodes it. Take the turn of [RunMemory#decoding] before.
  public String text() {
    if (isCut) {
      var text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
      return text.substring(0, endWithoutLastToken(text)) + CUT;
    }
    var end = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    return new String(bytes, from, end - from, StandardCharsets.UTF_8);
  }

  /// Its first bytes as ASCII text, at most as many as given.
  public String head(int most) {
    return new String(bytes, from, Math.min(most, size()), StandardCharsets.US_ASCII);
  }

  /// The position of the first of these bytes from a position on; -1 if they are not in it.
  public int indexOf(byte[] wanted, int start) {
    for (int at = from + start; at <= to - wanted.length; at++) {
      if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at - from;
      }
    }
    return -1;
  }

  /// A part of it up to its end, which takes over its memory. This line is closed.
  public OutputLine tail(int start) {
    return new OutputLine(bytes, from + start, to, isCut, memory, takeOver());
  }

  /// Splits it into its beginning, of at most `maxBytes`, and the part from a later position to its
  /// end. Both share its memory, and this line is closed.
  public Halves split(int endOfFirst, int startOfSecond, int maxBytes) {
    var all = takeOver();
    var length = Math.min(endOfFirst, maxBytes);
    // A copy, because the beginning may be kept for long, and would keep the whole line.
    var first =
        new OutputLine(
            Arrays.copyOfRange(bytes, from, from + length),
            0,
            length,
            length < endOfFirst,
            memory,
            Math.min(all, length));
    return new Halves(
        first, new OutputLine(bytes, from + startOfSecond, to, isCut, memory, all - first.room));
  }

  /// The two parts of a line.
  public record Halves(OutputLine first, OutputLine second) {}

  /// This line with another one behind it, cut to a length. Both are closed.
  public OutputLine with(OutputLine next, int maxBytes) {
    var length = Math.min(maxBytes, size() + next.size());
    var joined = Arrays.copyOfRange(bytes, from, from + length);
    var added = length - size();
    if (added > 0) {
      System.arraycopy(next.bytes, next.from, joined, size(), added);
    }
    var cut = isCut || next.isCut || length < size() + next.size();
    return new OutputLine(joined, 0, length, cut, memory, takeOver() + next.takeOver());
  }

  private int takeOver() {
    var all = room;
    room = 0;
    return all;
  }

  /// A checksum of the bytes from a position on.
  public long checksum(int start) {
    var sum = new CRC32C();
    sum.update(bytes, from + start, size() - start);
    return (sum.getValue() << Integer.SIZE) | (size() - start);
  }

  /// Drops the truncated character or token at the end, since a redactor could not recognize part
  /// of a secret.
  private static int endWithoutLastToken(String text) {
    var end = text.endsWith("\uFFFD") ? text.length() - 1 : text.length();
    var min = Math.max(0, end - MAX_TOKEN);
    while (end > min && text.charAt(end - 1) > ' ' && text.charAt(end - 1) < 0x7F) {
      end--;
    }
    return end;
  }

  /// Returns its memory. Has no effect the second time.
  @Override
  public void close() {
    memory.free(takeOver());
  }
}
