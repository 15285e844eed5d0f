package dev.runnel.service.agent;

import dev.runnel.text.Truncation;

/// The text of the agent's last message, which may arrive in pieces with the same id. Keeps at most
/// 64 Ki characters of it.
final class LastMessage {
  private static final int MAX = 64 * 1024;

  private final String separator;
  private final StringBuilder text = new StringBuilder();
  private String id = "";

  /// @param separator between two pieces
  LastMessage(String separator) {
    this.separator = separator;
  }

  /// @param messageId empty if the agent does not report it; then each piece is a message
  void add(String messageId, String piece) {
    if (messageId.isEmpty() || !messageId.equals(id)) {
      clear();
      id = JsonLines.isId(messageId) ? messageId : "";
    }
    var more = text.isEmpty() ? piece : separator + piece;
    text.append(Truncation.head(more, MAX - text.length()));
  }

  void clear() {
    id = "";
    text.setLength(0);
  }

  /// Empty if there is no message.
  String text() {
    return text.toString();
  }
}
