package dev.runnel.store;

/// A table of queued rows, processed by conversation.
enum QueueTable {
  INBOX("inbox", "dispatch"),
  OUTBOX("outbox", "post");

  private final String table;
  private final String task;

  QueueTable(String table, String task) {
    this.table = table;
    this.task = task;
  }

  String table() {
    return table;
  }

  /// The name of the scheduler's task that processes it.
  String task() {
    return task;
  }
}
