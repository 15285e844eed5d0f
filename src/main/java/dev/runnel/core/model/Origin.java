package dev.runnel.core.model;

import java.net.URI;
import java.util.Optional;

/// Where a delivery came from, for links and for answers that only its sender should see.
///
/// @param link the message or issue, for people
/// @param replyTo how its surface answers privately: opaque to everybody else, and a secret
/// @param message the message itself, for a sign of receipt on it
/// @param opensThread whether a first post must show what was said: the conversation is only a
///     place so far, or nobody there saw the words
/// @param home the page of the person's runs that it was asked for on, to be made anew when it is
///     done
public record Origin(
    Optional<URI> link,
    Optional<String> replyTo,
    Optional<PostRef> message,
    boolean opensThread,
    Optional<Conversation> home) {
  public static final Origin NONE =
      new Origin(Optional.empty(), Optional.empty(), Optional.empty(), false);

  public Origin(
      Optional<URI> link,
      Optional<String> replyTo,
      Optional<PostRef> message,
      boolean opensThread) {
    this(link, replyTo, message, opensThread, Optional.empty());
  }

  /// The same, when the words are shown.
  public Origin opened() {
    return new Origin(link, replyTo, message, false, home);
  }
}
