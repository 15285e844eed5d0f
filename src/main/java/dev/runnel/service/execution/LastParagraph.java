package dev.runnel.service.execution;

/// The last paragraph of lines that come one by one; keeps at most 32 KiB of it.
final class LastParagraph {
  private static final int MAX = 32 * 1024;

  private final StringBuilder text = new StringBuilder();
  private boolean open;

  void add(String line) {
    if (line.isBlank()) {
      open = false;
      return;
    }
    if (!open) {
      text.setLength(0);
      open = true;
    } else if (text.length() < MAX) {
      text.append('\n');
    }
    var room = MAX - text.length();
    if (line.length() <= room) {
      text.append(line);
    } else if (room > 0) {
      text.append(line, 0, room).append('…');
    }
  }

  /// Empty when nothing but blank lines came.
  String text() {
    return text.toString();
  }
}
