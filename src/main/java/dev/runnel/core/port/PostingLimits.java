package dev.runnel.core.port;

import dev.runnel.core.model.conversation.Conversation;
import java.time.Duration;
import java.util.Optional;

/// How often a platform permits posts and edits.
public interface PostingLimits {
  /// The name of the rate limit for new posts in the conversation: when the platform asks for a
  /// pause, all posts with the same limit wait.
  String rateLimit(Conversation conversation);

  /// The name of the rate limit for edits of posts in the conversation; by default edits and new
  /// posts have the same one. Reactions have a limit of their own beside it.
  default String editLimit(Conversation conversation) {
    return rateLimit(conversation);
  }

  /// The budget that limits how often status posts in the conversation are edited to show progress;
  /// all conversations with the same budget share it. Empty if they are not limited.
  default Optional<EditBudget> editBudget(Conversation conversation) {
    return Optional.empty();
  }

  /// @param name identifies it
  /// @param perMinute the maximum number of edits in a minute
  record EditBudget(String name, int perMinute) {}

  /// The time after which the platform removes, by itself, something that the surface shows of a
  /// run in the conversation; empty if it removes nothing. Called after each status.
  default Optional<Duration> statusLifetime(Conversation conversation) {
    return Optional.empty();
  }
}
