package dev.runnel.console;

import java.nio.charset.StandardCharsets;

/// Collects events for an open page, in the format of server-sent events. Not thread-safe.
final class EventBuffer {
  private final StringBuilder text = new StringBuilder();

  void add(String event, String data) {
    text.append("event: ").append(event).append('\n');
    data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
    text.append('\n');
  }

  /// @param id what the page sends as `Last-Event-ID` when it reconnects
  void add(String event, String data, String id) {
    text.append("id: ").append(id).append('\n');
    add(event, data);
  }

  /// Keeps the connection open.
  void addComment() {
    text.append(":\n\n");
  }

  boolean isEmpty() {
    return text.isEmpty();
  }

  byte[] bytes() {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
