package dev.runnel.service.output;

/// Collects the last paragraph of a sequence of lines; keeps at most 32 Ki characters of it.
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

  /// Empty if all lines were blank.
  String text() {
    return text.toString();
  }
}
