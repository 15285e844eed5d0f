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
/// @param stop a person asked to stop the run, and it has not come to its end yet
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
    Optional<Stop> stop,
    long version) {
  public Binding(
      Conversation conversation,
      Run run,
      Actor requester,
      Request request,
      Origin origin,
      Optional<PostRef> status,
      Instant since,
      boolean reopened,
      long version) {
    this(
        conversation,
        run,
        requester,
        request,
        origin,
        status,
        since,
        reopened,
        Optional.empty(),
        version);
  }

  /// Whether the run may still change by itself.
  public boolean isActive() {
    return reopened || !run.state().isTerminal();
  }

  public Binding seen(Run now) {
    return with(now, false, now.state().isTerminal() ? Optional.empty() : stop);
  }

  public Binding reopenedAs(Run now) {
    return with(now, true, Optional.empty());
  }

  public Binding stopping(Optional<Stop> asked) {
    return with(run, reopened, asked);
  }

  private Binding with(Run now, boolean isReopened, Optional<Stop> asked) {
    return new Binding(
        conversation, now, requester, request, origin, status, since, isReopened, asked, version);
  }
}
