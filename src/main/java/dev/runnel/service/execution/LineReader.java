package dev.runnel.service.execution;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// Cuts a stream of bytes into lines of UTF-8 text. A line longer than a bound loses its rest, so
/// that output without line ends cannot fill the memory.
final class LineReader {
  /// The usual bound.
  static final int MAX = 64 * 1024;

  private static final int MAX_TOKEN = 300;

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final int longest;
  private final Consumer<String> lines;
  private boolean cut;
  // A carriage return came after the cut: what follows is written over the line.
  private boolean isOverwritten;

  private LineReader(int longest, Consumer<String> lines) {
    this.longest = longest;
    this.lines = lines;
  }

  /// Reads to the end.
  static void read(InputStream stream, Consumer<String> lines) throws IOException {
    read(stream, MAX, lines);
  }

  /// Reads to the end.
  ///
  /// @param longest bytes of a line that are kept
  static void read(InputStream stream, int longest, Consumer<String> lines) throws IOException {
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

  /// What the cut took a part of goes as a whole: a character's bytes, or a token, of which nobody
  /// could say any more what it was.
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
