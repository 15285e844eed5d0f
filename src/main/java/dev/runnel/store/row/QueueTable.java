package dev.runnel.store.row;

/// A table of queued rows, processed by conversation.
public enum QueueTable {
  INBOX("inbox", "dispatch", "overtakes", "overtakes DESC, seq"),
  OUTBOX("outbox", "post", "aside", "aside, seq");

  private final String table;
  private final String task;
  private final String unordered;
  private final String order;

  /// @param unordered the column that marks rows that do not wait for other rows
  QueueTable(String table, String task, String unordered, String order) {
    this.table = table;
    this.task = task;
    this.unordered = unordered;
    this.order = order;
  }

  public String table() {
    return table;
  }

  /// The name of the scheduler's task that processes it.
  public String task() {
    return task;
  }

  /// The query for the conversations with rows that may be processed at a time, its first
  /// parameter. The others are the id after which it begins, and the number of conversations.
  public String nextTurns() {
    return "SELECT conversation, min(due_at) AS due_at, min(coalesce(urgency, 1)) AS urgency, min(person) AS person FROM %s AS head WHERE state = 0 AND due_at <= ? AND conversation > ? AND (%s = 1 OR seq = (SELECT min(seq) FROM %s WHERE conversation = head.conversation AND state = 0 AND %s = 0)) GROUP BY conversation ORDER BY conversation LIMIT ?"
        .formatted(table, unordered, table, unordered);
  }

  /// The query for a conversation's rows that may be processed next: those that do not wait for
  /// other rows, and the oldest of the others. It takes the conversation as parameter twice.
  public String heads(String columns) {
    return "SELECT %s FROM %s WHERE conversation = ? AND state = 0 AND (%s = 1 OR seq = (SELECT min(seq) FROM %s WHERE conversation = ? AND state = 0 AND %s = 0)) ORDER BY %s"
        .formatted(columns, table, unordered, table, unordered, order);
  }
}
