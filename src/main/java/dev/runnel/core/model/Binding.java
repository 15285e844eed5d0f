package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ListCopies;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// A conversation's run, and what was posted about it so far.
///
/// @param run the run's last state that was posted to the conversation
/// @param request the request it was started with, for a retry and for titles
/// @param status the status post, once it is posted
/// @param since when this run was bound
/// @param reopened whether a follow-up was accepted after an end that was already announced
/// @param stop a person's request to stop the run, while the run has not ended
/// @param pending messages sent to the run that its agent has not received yet, in order
/// @param askedAt when the latest request to the run was sent, by the clock of its platform; empty
///   if unknown
/// @param version optimistic lock: incremented by each write; a writer that loses the compare plans
///   again
@RecordBuilder
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
    Optional<Instant> askedAt,
    long version)
    implements BindingBuilder.With {
  public Binding {
    // Rows of an older version have none.
    pending = ListCopies.of(pending);
    askedAt = Objects.requireNonNullElse(askedAt, Optional.empty());
  }

  /// Whether the run may still change by itself.
  public boolean isActive() {
    return reopened || !run.state().isTerminal();
  }

  /// The conversation that asked for the run, or that the run was linked to; empty if there is
  /// none, and the run is bound only because somebody in the console wrote to it.
  public Optional<Conversation> place() {
    return isOfApi() ? Optional.empty() : Optional.of(conversation);
  }

  /// Whether the request is the whole one, with its options. Of a run that was started through the
  /// API only the title is known.
  public boolean isRequestKnown() {
    return !isOfApi();
  }

  private boolean isOfApi() {
    return conversation.surface().equals(ApiRuns.SURFACE);
  }

  /// Whether a message to the run answers its question.
  public boolean awaitsAnswer() {
    return run.state().needsPerson();
  }

  public Binding seen(Run now) {
    return with(
        it ->
            it.run(now)
                .reopened(false)
                .stop(now.state().isTerminal() ? Optional.empty() : stop)
                .pending(repliesAt(now).waiting()));
  }

  public Binding reopenedAs(Run now) {
    return with(it -> it.run(now).reopened(true).stop(Optional.empty()));
  }

  /// Records that a request was sent to the run.
  ///
  /// @param at by the clock of its platform
  public Binding requested(Instant at) {
    return askedAt.filter(latest -> !latest.isBefore(at)).isPresent()
        ? this
        : withAskedAt(Optional.of(at));
  }

  /// Whether its latest request was sent after that time, in whole seconds: some platforms tell no
  /// more.
  public boolean isAskedAfter(Instant at) {
    return askedAt
        .filter(
            latest ->
                latest.truncatedTo(ChronoUnit.SECONDS).isAfter(at.truncatedTo(ChronoUnit.SECONDS)))
        .isPresent();
  }

  /// Adds a reply that waits for the agent.
  public Binding withPendingReply(PendingReply reply) {
    return withPending(Stream.concat(pending.stream(), Stream.of(reply)).toList());
  }

  /// The pending replies, grouped by whether the agent received them.
  ///
  /// @param waiting they still wait
  /// @param read the agent received them
  /// @param unread the agent never received them: the run was stopped, or ended before the agent
  ///   began
  public record Replied(
      List<PendingReply> waiting, List<PendingReply> read, List<PendingReply> unread) {}

  /// Groups the pending replies by the run's current state. Replies that the service handed back
  /// count as waiting until the run has ended, so that the post about its end can list them.
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
            // A service that does not report replies delivers them before the run's state changes.
            .orElseGet(() -> now.stateName().equals(run.stateName()));
  }

  private static boolean isUnread(PendingReply reply, Run now) {
    return now.replies()
        .map(replies -> replies.unread().contains(reply.id()))
        .orElseGet(() -> now.state() == RunState.CANCELLED);
  }
}
