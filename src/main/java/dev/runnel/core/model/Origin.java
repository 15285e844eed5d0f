package dev.runnel.core.model;

import java.net.URI;
import java.util.Optional;

/// Where a delivery came from, for links and for answers that only its sender should see.
///
/// @param link the message or issue, for people
/// @param replyTo how its surface answers privately: opaque to everybody else, and a secret
/// @param message the message itself, for a sign of receipt on it
/// @param opensThread whether the conversation is only a place so far, and a first post must open
///     the thread
public record Origin(
    Optional<URI> link, Optional<String> replyTo, Optional<PostRef> message, boolean opensThread) {
  public static final Origin NONE =
      new Origin(Optional.empty(), Optional.empty(), Optional.empty(), false);
}
