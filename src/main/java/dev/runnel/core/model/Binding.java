package dev.runnel.core.model;

import java.time.Instant;
import java.util.Optional;

/// A conversation's run, and what its people were told about it so far.
///
/// @param run the run as the conversation last learned it
/// @param request the words it was started with, for a retry and for titles
/// @param status where the status post is, once it is posted
/// @param since when this run was bound
/// @param reopened a follow-up was accepted after an end, and that end is told already
/// @param version counts the writes; who loses the compare plans again
public record Binding(
    Conversation conversation,
    Run run,
    Actor requester,
    Request request,
    Origin origin,
    Optional<PostRef> status,
    Instant since,
    boolean reopened,
    long version) {

  /// Whether the run may still change by itself.
  public boolean isActive() {
    return reopened || !run.state().isTerminal();
  }

  public Binding seen(Run now) {
    return new Binding(
        conversation, now, requester, request, origin, status, since, false, version);
  }

  public Binding reopenedAs(Run now) {
    return new Binding(conversation, now, requester, request, origin, status, since, true, version);
  }
}
