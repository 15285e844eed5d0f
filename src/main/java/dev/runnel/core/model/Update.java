package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.ListCopies;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A message to the people of a conversation. The surface decides how it is rendered.
public sealed interface Update {
  /// The question of a run that waits for a person and gives no reason.
  String NO_QUESTION = "The agent needs an answer before it can go on.";

  /// An update about a run.
  sealed interface OfRun extends Update {
    Run run();
  }

  /// The end of a run.
  sealed interface End extends OfRun {}

  /// An answer of Runnel itself to a person.
  sealed interface Reply extends Update {
    Actor to();
  }

  /// The status post: posted once per run, then edited in place.
  ///
  /// @param since when the run was requested, for the elapsed time
  /// @param stop a person's pending request to stop the run
  /// @param shown the state that the post shows until this is posted; set by the caller that posts
  ///   it. Empty if there is no post
  record Status(
      Run run,
      Actor requester,
      Request request,
      Instant since,
      Instant at,
      Optional<StopRequest> stop,
      Optional<RunState> shown)
      implements OfRun {
    public Status(
        Run run,
        Actor requester,
        Request request,
        Instant since,
        Instant at,
        Optional<StopRequest> stop) {
      this(run, requester, request, since, at, stop, Optional.empty());
    }

    public Status(Run run, Actor requester, Request request, Instant since, Instant at) {
      this(run, requester, request, since, at, Optional.empty());
    }

    /// A copy that names the state that the post shows until then.
    public Status withShown(Optional<RunState> now) {
      return new Status(run, requester, request, since, at, stop, now);
    }

    /// The part of the status whose changes are posted at once. Two statuses with the same state
    /// differ in progress only.
    public State state() {
      return new State(run.stateName(), stop.isPresent());
    }

    /// @param name the run's state, as the run service names it
    public record State(String name, boolean isStopping) {}
  }

  /// The run waits for a person. Sent as a new post, because only a new post notifies.
  record Blocked(Run run, Actor requester, String question) implements OfRun {}

  /// The run no longer waits for an answer to the question: the post that asked it loses its
  /// buttons.
  ///
  /// @param run as it was while it asked
  /// @param answer empty where it is unknown, or not for these people
  /// @param by who answered it; empty where nobody did through Runnel
  record QuestionClosed(Run run, String question, Optional<String> answer, Optional<Actor> by)
      implements OfRun {
    /// Whether it closes that question: the run may have asked another one meanwhile, even with the
    /// same words.
    public boolean closes(Blocked asked) {
      return asked.run().id().equals(run.id())
          && (run.updatedAt().isEmpty()
              || asked.run().updatedAt().filter(at -> at.isAfter(run.updatedAt().get())).isEmpty());
    }
  }

  record Succeeded(Run run, Actor requester, Instant since, Instant at) implements End {}

  record Failed(Run run, Actor requester, String why, boolean retryable) implements End {}

  /// @param stop who asked for the stop and when; empty where nobody asked through Runnel
  /// @param unread messages to the run that no agent has read, in order
  record Cancelled(Run run, Actor requester, Optional<StopRequest> stop, List<String> unread)
      implements End {
    public Cancelled {
      // Rows of an older version have none.
      unread = ListCopies.of(unread);
    }

    public Cancelled(Run run, Actor requester, Optional<StopRequest> stop) {
      this(run, requester, stop, List.of());
    }

    public Cancelled(Run run, Actor requester) {
      this(run, requester, Optional.empty());
    }
  }

  /// The agent handed over a file, which the surface uploads where it can.
  ///
  /// @param number 1 for the first file of the run
  record FileMade(Run run, Actor requester, RunFile file, int number) implements OfRun {}

  /// The run still waits for the same answer.
  ///
  /// @param number 1 for the first reminder
  /// @param asked when the question was posted
  record Reminder(Run run, Actor requester, String question, int number, Instant asked, Instant at)
      implements OfRun {}

  /// The unchanged status again, to refresh what the surface expires by itself.
  record Still(Status status) implements Update {}

  /// A text answer to a person: a refusal, a confirmation, a result.
  ///
  /// @param text plain text with the markup common to all surfaces: `code` in backticks, bare links
  record Message(Actor to, String text, boolean privately) implements Reply {}

  /// A list of runs.
  ///
  /// @param listing the scope of the list; empty where the person must choose one of the runs
  record Listed(Actor to, List<Binding> runs, Optional<Listing> listing) implements Reply {
    public Listed {
      runs = List.copyOf(runs);
    }

    public Listed(Actor to, List<Binding> runs) {
      this(to, runs, Optional.empty());
    }
  }

  /// The scope of a list, and what it leaves out.
  ///
  /// @param place where it was asked; runs elsewhere show their place
  /// @param filtered whether the person asked for some runs only
  /// @param more number of runs that did not fit
  /// @param next the command that shows them, or narrows the list
  /// @param elsewhere number of runs not shown because they are other people's, in other places
  record Listing(String place, boolean filtered, int more, String next, int elsewhere) {}

  /// An answer in rows.
  record Answered(Actor to, InfoCard sheet) implements Reply {}

  /// A page or form, for surfaces that show them.
  record Screened(Actor to, Screen screen) implements Reply {}

  /// The help text, rendered in the surface's own syntax.
  record Helped(Actor to) implements Reply {}

  /// A status reaction on the message itself, where the surface has reactions. A newer one replaces
  /// it.
  ///
  /// @param before reactions that may already be on the message; set by the caller that posts it
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

  /// The run it is about, if any.
  default Optional<Run> aboutRun() {
    return switch (this) {
      case OfRun update -> Optional.of(update.run());
      case Still(var status) -> Optional.of(status.run());
      case Reply _, Received _ -> Optional.empty();
    };
  }
}
