package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.RunState;
import java.util.Optional;

/// The plan of an agent session: the steps of a run and their status. Pure.
///
/// @param ready the status of "get ready"
/// @param work the status of "work on it"
/// @param answer the status of "answer"
record LinearPlan(Step ready, Step work, Step answer) {
  private static final LinearPlan WAITING =
      new LinearPlan(Step.RUNNING, Step.PENDING, Step.PENDING);
  private static final LinearPlan WORKING = new LinearPlan(Step.DONE, Step.RUNNING, Step.PENDING);
  private static final LinearPlan ANSWERED = new LinearPlan(Step.DONE, Step.DONE, Step.DONE);
  private static final LinearPlan BROKEN_OFF =
      new LinearPlan(Step.DONE, Step.CANCELED, Step.CANCELED);

  enum Step {
    PENDING("pending"),
    RUNNING("inProgress"),
    DONE("completed"),
    CANCELED("canceled");

    private final String word;

    Step(String word) {
      this.word = word;
    }
  }

  /// @return empty for updates that do not concern the run's progress
  static Optional<LinearPlan> after(Update update) {
    return switch (update) {
      case Update.Status status -> during(status.run().state());
      case Update.Blocked _ -> Optional.of(WORKING);
      case Update.Succeeded _ -> Optional.of(ANSWERED);
      case Update.Failed _, Update.Cancelled _ -> Optional.of(BROKEN_OFF);
      case Update.QuestionClosed _, Update.Reminder _, Update.Message _, Update.Listed _ ->
          Optional.empty();
      case Update.Answered _, Update.Helped _ -> Optional.empty();
      case Update.Received _, Update.Still _, Update.Screened _, Update.FileMade _ ->
          Optional.empty();
    };
  }

  /// The end has an update of its own.
  private static Optional<LinearPlan> during(RunState state) {
    return switch (state) {
      case QUEUED -> Optional.of(WAITING);
      case RUNNING, BLOCKED -> Optional.of(WORKING);
      case SUCCEEDED, FAILED, CANCELLED, UNKNOWN -> Optional.empty();
    };
  }

  /// The plan in Linear's format, which replaces the one before.
  ArrayNode steps() {
    var steps = JsonNodeFactory.instance.arrayNode();
    steps.addObject().put("content", "Get ready").put("status", ready.word);
    steps.addObject().put("content", "Work on it").put("status", work.word);
    steps.addObject().put("content", "Answer").put("status", answer.word);
    return steps;
  }
}
