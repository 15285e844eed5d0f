package dev.runnel.core.model.run;

import java.util.Optional;

/// The processing status of a message, shown as a reaction on it.
public enum MessageStatus {
  /// Seen, and being worked on.
  TAKEN,
  /// It waits for the run service, or is queued there.
  QUEUED,
  RUNNING,
  BLOCKED,
  SUCCEEDED,
  FAILED,
  CANCELLED,
  /// The agent received it.
  DELIVERED,
  /// It was rejected or could not be processed.
  REFUSED;

  /// The status of a message that asked for a run; empty for an unknown run state.
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
