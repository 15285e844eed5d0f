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
  private final int maxBytes;
  private final Consumer<String> lines;
  private boolean isTruncated;
  // A carriage return followed the truncated part, so the next text overwrites the line.
  private boolean isOverwritten;

  private LineReader(int maxBytes, Consumer<String> lines) {
    this.maxBytes = maxBytes;
    this.lines = lines;
  }

  /// Reads all lines until the end of the stream.
  public static void read(InputStream stream, Consumer<String> lines) throws IOException {
    read(stream, MAX, lines);
  }

  /// Reads all lines until the end of the stream.
  ///
  /// @param maxBytes maximum number of bytes kept per line
  public static void read(InputStream stream, int maxBytes, Consumer<String> lines)
      throws IOException {
    var reader = new LineReader(maxBytes, lines);
    var buffer = new byte[8 * 1024];
    for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
      reader.accept(buffer, count);
    }
    if (reader.line.size() > 0) {
      reader.emit();
    }
  }

  private void accept(byte[] bytes, int count) {
    int start = 0;
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n') {
        append(bytes, start, i - start);
        emit();
        start = i + 1;
      } else if (isOverwritten) {
        line.reset();
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

  private void append(byte[] bytes, int start, int length) {
    var room = Math.min(length, maxBytes - line.size());
    line.write(bytes, start, room);
    isTruncated |= room < length;
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

  private void emit() {
    var text = line.toString(StandardCharsets.UTF_8);
    line.reset();
    isOverwritten = false;
    if (isTruncated) {
      isTruncated = false;
      lines.accept(text.substring(0, endWithoutLastToken(text)) + "…");
    } else {
      lines.accept(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
    }
  }
}
