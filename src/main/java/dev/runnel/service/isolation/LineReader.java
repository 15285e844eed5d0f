package dev.runnel.service.isolation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// Splits a byte stream into lines of UTF-8 text. A line longer than a limit is truncated, so that
/// output without line ends cannot fill the memory.
public final class LineReader {
  /// Default limit in bytes.
  public static final int MAX = 64 * 1024;

  private static final int MAX_TOKEN = 300;

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final int longest;
  private final Consumer<String> lines;
  private boolean cut;
  // A carriage return followed the truncated part: the next text overwrites the line.
  private boolean isOverwritten;

  private LineReader(int longest, Consumer<String> lines) {
    this.longest = longest;
    this.lines = lines;
  }

  /// Reads all lines until the end of the stream.
  public static void read(InputStream stream, Consumer<String> lines) throws IOException {
    read(stream, MAX, lines);
  }

  /// Reads all lines until the end of the stream.
  ///
  /// @param longest maximum number of bytes kept per line
  public static void read(InputStream stream, int longest, Consumer<String> lines)
      throws IOException {
    var reader = new LineReader(longest, lines);
    var buffer = new byte[8 * 1024];
    for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
      reader.take(buffer, count);
    }
    if (reader.line.size() > 0) {
      reader.say();
    }
  }

  private void take(byte[] bytes, int count) {
    int start = 0;
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n') {
        keep(bytes, start, i - start);
        say();
        start = i + 1;
      } else if (isOverwritten) {
        line.reset();
        cut = false;
        isOverwritten = false;
      } else if (bytes[i] == '\r') {
        keep(bytes, start, i + 1 - start);
        isOverwritten = cut;
        start = i + 1;
      }
    }
    keep(bytes, start, count - start);
  }

  private void keep(byte[] bytes, int start, int length) {
    var room = Math.min(length, longest - line.size());
    line.write(bytes, start, room);
    cut |= room < length;
  }

  /// Drops the truncated character or token at the end, since a redactor could not recognize part
  /// of a secret.
  private static int endOfWhole(String text) {
    var end = text.endsWith("\uFFFD") ? text.length() - 1 : text.length();
    var least = Math.max(0, end - MAX_TOKEN);
    while (end > least && text.charAt(end - 1) > ' ' && text.charAt(end - 1) < 0x7F) {
      end--;
    }
    return end;
  }

  private void say() {
    var text = line.toString(StandardCharsets.UTF_8);
    line.reset();
    isOverwritten = false;
    if (cut) {
      cut = false;
      lines.accept(text.substring(0, endOfWhole(text)) + "…");
    } else {
      lines.accept(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
    }
  }
}
