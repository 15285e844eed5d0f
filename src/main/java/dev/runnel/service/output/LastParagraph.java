package dev.runnel.service.output;

/// Collects the last paragraph of a sequence of lines; keeps at most 32 Ki characters of it.
final class LastParagraph {
  private static final int MAX_CHARS = 32 * 1024;

  private final StringBuilder text = new StringBuilder();
  private boolean isOpen;

  void add(String line) {
    if (line.isBlank()) {
      isOpen = false;
      return;
    }
    if (!isOpen) {
      text.setLength(0);
      isOpen = true;
    } else if (text.length() < MAX_CHARS) {
      text.append('\n');
    }
    var room = MAX_CHARS - text.length();
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
