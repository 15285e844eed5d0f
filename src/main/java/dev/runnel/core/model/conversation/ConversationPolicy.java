package dev.runnel.core.model.conversation;

import java.time.Duration;

/// Which messages in a conversation go to the agent, and how long to batch them.
///
/// @param audience whose messages in a thread are for the agent
/// @param batchWindow how long a message to a run waits for the next one of the same sender;
///   messages that arrive within this time are sent to the run as one
/// @param answersPrivately whether an answer for one person disturbs nobody else
public record ConversationPolicy(
    Audience audience, Duration batchWindow, boolean answersPrivately) {
  /// For a platform where everyone reads every answer.
  public ConversationPolicy(Audience audience, Duration batchWindow) {
    this(audience, batchWindow, false);
  }

  /// Every message is for the agent, and is sent at once.
  public static final ConversationPolicy PLAIN =
      new ConversationPolicy(Audience.EVERYONE, Duration.ZERO);

  /// Whose messages in a thread are for the agent. Mentions and stops always are.
  public enum Audience {
    EVERYONE,
    /// Messages of the person who asked for the run.
    OWNER,
    /// Messages that mention the agent.
    MENTION
  }
}
