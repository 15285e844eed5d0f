package dev.runnel.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Something the people of a conversation should learn. How it reads is the surface's affair.
public sealed interface Update {
  /// The status post: made once per run, then edited in place.
  ///
  /// @param since when the run was asked for, for the elapsed time
  /// @param stop where a person asked to stop it, and it is on its way
  record Status(
      Run run,
      Actor requester,
      Request request,
      Instant since,
      Instant at,
      Optional<StopRequest> stop)
      implements Update {
    public Status(Run run, Actor requester, Request request, Instant since, Instant at) {
      this(run, requester, request, since, at, Optional.empty());
    }
  }

  /// The run waits for a person. A new post, because only a new post notifies.
  record Blocked(Run run, Actor requester, String question) implements Update {}

  record Succeeded(Run run, Actor requester, Instant since, Instant at) implements Update {}

  record Failed(Run run, Actor requester, String why, boolean retryable) implements Update {}

  /// @param stop who asked for it when; empty where nobody asked us
  /// @param unread what was said to the run and no agent has read, in its order
  record Cancelled(Run run, Actor requester, Optional<StopRequest> stop, List<String> unread)
      implements Update {
    public Cancelled {
      // Rows of an older version have none.
      unread = Copies.of(unread);
    }

    public Cancelled(Run run, Actor requester, Optional<StopRequest> stop) {
      this(run, requester, stop, List.of());
    }

    public Cancelled(Run run, Actor requester) {
      this(run, requester, Optional.empty());
    }
  }

  /// The run still waits for the same answer.
  ///
  /// @param number 1 for the first reminder
  /// @param asked when the question was told
  record Reminder(Run run, Actor requester, String question, int number, Instant asked, Instant at)
      implements Update {}

  /// The status once more, though nothing changed: what a surface shows of a run's work may fade by
  /// itself, and is set again in time.
  record Still(Status status) implements Update {}

  /// An answer to a person: a refusal, a receipt, a reading.
  ///
  /// @param text plain words, with the surfaces' common marks only: `code` in backticks, links bare
  record Told(Actor to, String text, boolean privately) implements Update {}

  /// An answer to "which runs are there".
  ///
  /// @param listing what was asked for; empty where the runs are those to choose from
  record Listed(Actor to, List<Binding> runs, Optional<Listing> listing) implements Update {
    public Listed {
      runs = List.copyOf(runs);
    }

    public Listed(Actor to, List<Binding> runs) {
      this(to, runs, Optional.empty());
    }
  }

  /// What a list is of, and what it leaves out.
  ///
  /// @param place where it was asked; runs elsewhere say where they are
  /// @param filtered whether only some were asked for
  /// @param more how many did not fit
  /// @param next the command that shows them, or fewer of them
  /// @param elsewhere how many others there are that are not shown: other people's, in other places
  record Listing(String place, boolean filtered, int more, String next, int elsewhere) {}

  /// An answer in rows.
  record Answered(Actor to, InfoCard sheet) implements Update {}

  /// Something to look at or to fill in, asked for where a surface shows such things.
  record Screened(Actor to, Screen screen) implements Update {}

  /// What Runnel understands, in the words of the surface it is shown on.
  record Helped(Actor to) implements Update {}

  /// A sign on the message itself of what became of it, where the surface has one. A newer one
  /// takes its place.
  ///
  /// @param before what may stand there from before; the one who posts it knows
  record Received(PostRef message, MessageStatus receipt, Set<MessageStatus> before)
      implements Update {
    public Received {
      // Rows of an earlier version carry neither.
      receipt = receipt == null ? MessageStatus.TAKEN : receipt;
      before = before == null ? Set.of() : Set.copyOf(before);
    }

    public Received(PostRef message, MessageStatus receipt) {
      this(message, receipt, Set.of());
    }

    public Received(PostRef message) {
      this(message, MessageStatus.TAKEN);
    }
  }

  /// The run it is about, where it is about one.
  default Optional<RunId> about() {
    return switch (this) {
      case Status(Run run, _, _, _, _, _) -> Optional.of(run.id());
      case Blocked(Run run, _, _) -> Optional.of(run.id());
      case Succeeded(Run run, _, _, _) -> Optional.of(run.id());
      case Failed(Run run, _, _, _) -> Optional.of(run.id());
      case Cancelled(Run run, _, _, _) -> Optional.of(run.id());
      case Reminder(Run run, _, _, _, _, _) -> Optional.of(run.id());
      case Still(Status status) -> status.about();
      case Told _, Listed _, Answered _, Helped _, Received _ -> Optional.empty();
      case Screened _ -> Optional.empty();
    };
  }
}
