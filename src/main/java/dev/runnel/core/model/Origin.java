package dev.runnel.core.model;

import java.net.URI;
import java.util.Optional;

/// Where a delivery came from, for links and for answers that only its sender should see.
///
/// @param link the message or issue, for people to open
/// @param replyTo how its surface answers privately: opaque to everyone else, and a secret
/// @param message the message itself, to set its status reaction
/// @param opensThread whether a first post must open the thread and quote the request: the
///   conversation is only a place so far, or nobody there has seen the request
/// @param home the person's home page where it was requested, to be refreshed when it is done
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

  /// A copy for after the first post has quoted the request.
  public Origin opened() {
    return new Origin(link, replyTo, message, false, home);
  }
}
