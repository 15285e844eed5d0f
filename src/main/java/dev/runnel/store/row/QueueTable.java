package dev.runnel.store.row;

/// A table of queued rows, processed by conversation.
public enum QueueTable {
  INBOX("inbox", "dispatch"),
  OUTBOX("outbox", "post");

  private final String table;
  private final String task;

  QueueTable(String table, String task) {
    this.table = table;
    this.task = task;
  }

  public String table() {
    return table;
  }

  /// The name of the scheduler's task that processes it.
  public String task() {
    return task;
  }
}
