package dev.runnel.core.model;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// What the person said, before anybody looks at what is going on in the conversation.
public sealed interface Intent {
  /// Start a run: a slash command, a label. Where a run is unfinished, that run stays the only one.
  record Start(Request request) implements Intent {}

  /// Said in the conversation: it steers the run there is, or starts one.
  record Say(Request request) implements Intent {}

  /// Stop the run.
  ///
  /// @param run the run meant; the conversation's own where it is empty
  /// @param why said in the thread when it was not a person's word: "the label was removed"
  record Cancel(Optional<RunId> run, Optional<String> why) implements Intent {}

  record Status(Optional<RunId> run) implements Intent {}

  /// Start again with the words of the run that ended.
  record Retry(Optional<RunId> run) implements Intent {}

  /// Which runs there are.
  ///
  /// @param scope those of the place it was asked in where it is empty
  /// @param states only runs in one of these; all where there are none
  record ListRuns(Optional<Scope> scope, List<RunState> states) implements Intent {
    public enum Scope {
      MINE,
      CHANNEL,
      ALL
    }

    public ListRuns {
      // Rows of an older version have no states.
      states = Copies.of(states);
    }

    public ListRuns() {
      this(Optional.empty(), List.of());
    }
  }

  /// @param verb the one it is about; all where it is empty
  record Help(Optional<String> verb) implements Intent {
    public Help() {
      this(Optional.empty());
    }
  }

  /// A second run in the thread, which becomes the thread's current one.
  record New(Request request) implements Intent {}

  /// Said to a run from elsewhere.
  record SayTo(RunId run, Request request) implements Intent {}

  /// From now on the run is told about here.
  record Link(RunId run) implements Intent {}

  /// A command about what a link shows: a message, an issue, a session.
  ///
  /// @param intent it, without a run
  record Linked(URI link, Intent intent) implements Intent {}

  /// Stop all runs of the person who asks.
  record CancelMine() implements Intent {}

  /// Something that Runnel itself answers.
  record Ask(Question question) implements Intent {}

  /// The words of an earlier message changed, or it was deleted.
  ///
  /// @param message the semantic key of what was said first
  /// @param now what it says now; empty where it says nothing to us any more
  record Amend(String message, Optional<Intent> now) implements Intent {}

  /// Stop what was asked for in a message, or what a status post is about.
  record StopAt(PostRef post) implements Intent {}

  /// Not understood; the person is told what was wrong.
  ///
  /// @param work the words, where a run may be meant with them all the same: in a thread with a run
  ///     they are for its agent, elsewhere they start one only when the person says so
  record Unclear(String why, Optional<Request> work) implements Intent {
    public Unclear {
      // Rows of an older version have none.
      work = Objects.requireNonNullElse(work, Optional.empty());
    }

    public Unclear(String why) {
      this(why, Optional.empty());
    }
  }

  /// The words for the agent, where it carries any.
  default Optional<Request> words() {
    return switch (this) {
      case Start(var request) -> Optional.of(request);
      case Say(var request) -> Optional.of(request);
      case New(var request) -> Optional.of(request);
      case SayTo(_, var request) -> Optional.of(request);
      case Cancel _, Status _, Retry _, ListRuns _, Help _, Unclear _ -> Optional.empty();
      case Amend _, StopAt _ -> Optional.empty();
      case Link _, Linked _, CancelMine _, Ask _ -> Optional.empty();
    };
  }

  /// Whether it must not wait behind work that is stuck: a stop, or a question that only reads.
  default boolean overtakes() {
    return switch (this) {
      case Cancel _, Status _, ListRuns _, Help _ -> true;
      // What may be for the agent keeps its place among what is.
      case Unclear(_, var work) -> work.isEmpty();
      case Amend _, StopAt _ -> true;
      case CancelMine _, Ask _ -> true;
      case Linked(_, var intent) -> intent.overtakes();
      case Start _, Say _, Retry _, New _, SayTo _, Link _ -> false;
    };
  }
}
