package dev.runnel.core.model.conversation;

import java.net.URI;
import java.util.Objects;
import java.util.Optional;

/// Where a delivery came from, for links and for answers that only its sender should see.
///
/// @param link the message or issue, for people to open
/// @param replyTo how its surface answers privately: opaque to everyone else, and a secret
/// @param message the message itself, to set its status reaction
/// @param opensThread whether a first post must open the thread and quote the request: the
///   conversation is only a place so far, or nobody there has seen the request
/// @param home the person's home page where it was requested, to be refreshed when it is done
/// @param card the first post of the thread that was opened for it, if the run's status is shown
///   there
/// @param awaitsRun whether the sender waits for the end of the run, and must learn if none starts
public record Origin(
    Optional<URI> link,
    Optional<String> replyTo,
    Optional<PostRef> message,
    boolean opensThread,
    Optional<Conversation> home,
    Optional<PostRef> card,
    boolean awaitsRun) {
  public Origin {
    // Rows of an older version have none.
    card = Objects.requireNonNullElse(card, Optional.empty());
  }

  public static final Origin NONE =
      new Origin(Optional.empty(), Optional.empty(), Optional.empty(), false);

  public Origin(
      Optional<URI> link,
      Optional<String> replyTo,
      Optional<PostRef> message,
      boolean opensThread) {
    this(link, replyTo, message, opensThread, Optional.empty());
  }

  public Origin(
      Optional<URI> link,
      Optional<String> replyTo,
      Optional<PostRef> message,
      boolean opensThread,
      Optional<Conversation> home) {
    this(link, replyTo, message, opensThread, home, Optional.empty(), false);
  }

  /// A copy for a sender who waits for the end of the run.
  public Origin awaiting() {
    return new Origin(link, replyTo, message, opensThread, home, card, true);
  }

  /// A copy for after the first post has quoted the request.
  ///
  /// @param first the first post, if it is to show the run's status
  public Origin opened(Optional<PostRef> first) {
    return new Origin(link, replyTo, message, false, home, first, awaitsRun);
  }
}
