package dev.runnel.core.model;

import java.time.Duration;

/// How people talk in a place.
///
/// @param listening whose words in a thread are for the agent
/// @param gathering how long a message to a run waits for the next one of its sender: what comes
///     together is said to the run as one
public record ConversationPolicy(Listening listening, Duration gathering) {
  /// Everybody is listened to, and each message is a whole one.
  public static final ConversationPolicy PLAIN =
      new ConversationPolicy(Listening.EVERYONE, Duration.ZERO);

  /// Whose words in a thread are for the agent. A mention always is, and so is a stop.
  public enum Listening {
    EVERYONE,
    /// Those of the person who asked for the run.
    OWNER,
    /// Those that mention the agent.
    MENTION
  }
}
