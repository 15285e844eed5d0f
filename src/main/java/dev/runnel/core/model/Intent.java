package dev.runnel.core.model;

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

  /// The runs of the place it was asked in.
  record ListRuns() implements Intent {}

  record Help() implements Intent {}

  /// The words of an earlier message changed, or it was deleted.
  ///
  /// @param message the semantic key of what was said first
  /// @param now what it says now; empty where it says nothing to us any more
  record Amend(String message, Optional<Intent> now) implements Intent {}

  /// Stop what was asked for in a message, or what a status post is about.
  record StopAt(PostRef post) implements Intent {}

  /// Not understood; the person is told what was wrong.
  record Unclear(String why) implements Intent {}

  /// The words for the agent, where it carries any.
  default Optional<Request> words() {
    return switch (this) {
      case Start(var request) -> Optional.of(request);
      case Say(var request) -> Optional.of(request);
      case Cancel _, Status _, Retry _, ListRuns _, Help _, Unclear _ -> Optional.empty();
      case Amend _, StopAt _ -> Optional.empty();
    };
  }

  /// Whether it must not wait behind work that is stuck: a stop, or a question that only reads.
  default boolean overtakes() {
    return switch (this) {
      case Cancel _, Status _, ListRuns _, Help _, Unclear _ -> true;
      case Amend _, StopAt _ -> true;
      case Start _, Say _, Retry _ -> false;
    };
  }
}
