package dev.runnel.core.model;

import java.util.Optional;

/// What became of a message, as a sign on it says at a glance.
public enum MessageStatus {
  /// Seen, and being worked on.
  TAKEN,
  /// It waits: for the run service, or with its run.
  QUEUED,
  RUNNING,
  BLOCKED,
  SUCCEEDED,
  FAILED,
  CANCELLED,
  /// The agent has it.
  DELIVERED,
  /// The run service will not have it.
  REFUSED;

  /// The sign on the message that asked for a run; none for a state without a name.
  public static Optional<MessageStatus> of(RunState state) {
    return switch (state) {
      case QUEUED -> Optional.of(QUEUED);
      case RUNNING -> Optional.of(RUNNING);
      case BLOCKED -> Optional.of(BLOCKED);
      case SUCCEEDED -> Optional.of(SUCCEEDED);
      case FAILED -> Optional.of(FAILED);
      case CANCELLED -> Optional.of(CANCELLED);
      case UNKNOWN -> Optional.empty();
    };
  }
}
