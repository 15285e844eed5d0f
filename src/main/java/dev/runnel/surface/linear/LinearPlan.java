package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.RunState;
import java.util.Optional;

/// The plan of an agent session: the steps of a run and their status. Pure.
///
/// @param ready the status of the step "Get ready"
/// @param work the status of the step "Work on it"
/// @param answer the status of the step "Answer"
record LinearPlan(Step ready, Step work, Step answer) {
  private static final LinearPlan QUEUED = new LinearPlan(Step.RUNNING, Step.PENDING, Step.PENDING);
  private static final LinearPlan RUNNING = new LinearPlan(Step.DONE, Step.RUNNING, Step.PENDING);
  private static final LinearPlan SUCCEEDED = new LinearPlan(Step.DONE, Step.DONE, Step.DONE);
  private static final LinearPlan STOPPED = new LinearPlan(Step.DONE, Step.CANCELED, Step.CANCELED);

  enum Step {
    PENDING("pending"),
    RUNNING("inProgress"),
    DONE("completed"),
    CANCELED("canceled");

    private final String apiName;

    Step(String apiName) {
      this.apiName = apiName;
    }
  }

  /// @return empty for updates that do not concern the run's progress
  static Optional<LinearPlan> after(Update update) {
    return switch (update) {
      case Update.Status status -> during(status.run().state());
      case Update.Blocked _ -> Optional.of(RUNNING);
      case Update.Succeeded _ -> Optional.of(SUCCEEDED);
      case Update.Failed _, Update.Cancelled _ -> Optional.of(STOPPED);
      case Update.QuestionClosed _, Update.Reminder _, Update.Message _, Update.Listed _ ->
          Optional.empty();
      case Update.Answered _, Update.Helped _ -> Optional.empty();
      case Update.Received _, Update.Still _, Update.Screened _, Update.FileMade _ ->
          Optional.empty();
    };
  }

  /// Empty for terminal states: the end of a run has an update of its own.
  private static Optional<LinearPlan> during(RunState state) {
    return switch (state) {
      case QUEUED -> Optional.of(QUEUED);
      case RUNNING, BLOCKED -> Optional.of(RUNNING);
      case SUCCEEDED, FAILED, CANCELLED, UNKNOWN -> Optional.empty();
    };
  }

  /// The plan in Linear's format, which replaces the one before.
  ArrayNode steps() {
    var steps = JsonNodeFactory.instance.arrayNode();
    steps.addObject().put("content", "Get ready").put("status", ready.apiName);
    steps.addObject().put("content", "Work on it").put("status", work.apiName);
    steps.addObject().put("content", "Answer").put("status", answer.apiName);
    return steps;
  }
}
