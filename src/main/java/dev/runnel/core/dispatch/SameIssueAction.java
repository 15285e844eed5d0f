package dev.runnel.core.dispatch;

/// How to handle a request about an issue that a run of another conversation works on.
public enum SameIssueAction {
  /// People choose whether it goes to that run or starts another one.
  ASK,
  /// It goes to that run.
  JOIN,
  /// It starts another run.
  START
}
