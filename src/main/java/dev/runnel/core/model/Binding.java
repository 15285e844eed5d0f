package dev.runnel.core.model;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A conversation's run, and what its people were told about it so far.
///
/// @param run the run as the conversation last learned it
/// @param request the words it was started with, for a retry and for titles
/// @param status where the status post is, once it is posted
/// @param since when this run was bound
/// @param reopened a follow-up was accepted after an end, and that end is told already
/// @param stop a person asked to stop the run, and it has not come to its end yet
/// @param pending what was said to the run and its agent does not have yet, in its order
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
    Optional<StopRequest> stop,
    List<PendingReply> pending,
    long version) {
  public Binding {
    // Rows of an older version have none.
    pending = Copies.of(pending);
  }

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
        List.of(),
        version);
  }

  public Binding(
      Conversation conversation,
      Run run,
      Actor requester,
      Request request,
      Origin origin,
      Optional<PostRef> status,
      Instant since,
      boolean reopened,
      Optional<StopRequest> stop,
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
        stop,
        List.of(),
        version);
  }

  /// Whether the run may still change by itself.
  public boolean isActive() {
    return reopened || !run.state().isTerminal();
  }

  public Binding seen(Run now) {
    return with(
        now, false, now.state().isTerminal() ? Optional.empty() : stop, repliesAt(now).waiting());
  }

  public Binding reopenedAs(Run now) {
    return with(now, true, Optional.empty(), pending);
  }

  public Binding stopping(Optional<StopRequest> asked) {
    return with(run, reopened, asked, pending);
  }

  /// Something more waits for the agent.
  public Binding keeping(PendingReply reply) {
    return with(run, reopened, stop, Stream.concat(pending.stream(), Stream.of(reply)).toList());
  }

  /// What became of the replies that waited.
  ///
  /// @param waiting they wait on
  /// @param read the agent has them
  /// @param unread a stop came first, or an end before the agent began
  public record Replied(
      List<PendingReply> waiting, List<PendingReply> read, List<PendingReply> unread) {}

  /// What became of the replies that waited, by how the run is now. What was handed back waits
  /// until the run has ended, so that its end can say so.
  public Replied repliesAt(Run now) {
    var waiting = new ArrayList<PendingReply>();
    var read = new ArrayList<PendingReply>();
    var unread = new ArrayList<PendingReply>();
    for (var reply : pending) {
      if (waits(reply, now)) {
        waiting.add(reply);
      } else if (isUnread(reply, now)) {
        unread.add(reply);
      } else {
        read.add(reply);
      }
    }
    return new Replied(waiting, read, unread);
  }

  private boolean waits(PendingReply reply, Run now) {
    var isOlder =
        reply.keptAt().isPresent()
            && now.updatedAt().isPresent()
            && now.updatedAt().get().isBefore(reply.keptAt().get());
    return isOlder
        || now.replies()
            .map(
                replies ->
                    replies.waiting().contains(reply.id())
                        || (replies.unread().contains(reply.id()) && !now.state().isTerminal()))
            // A service that does not tell has said them before the run's next step.
            .orElseGet(() -> now.stateName().equals(run.stateName()));
  }

  private static boolean isUnread(PendingReply reply, Run now) {
    return now.replies()
        .map(replies -> replies.unread().contains(reply.id()))
        .orElseGet(() -> now.state() == RunState.CANCELLED);
  }

  private Binding with(
      Run now, boolean isReopened, Optional<StopRequest> asked, List<PendingReply> kept) {
    return new Binding(
        conversation,
        now,
        requester,
        request,
        origin,
        status,
        since,
        isReopened,
        asked,
        kept,
        version);
  }
}
