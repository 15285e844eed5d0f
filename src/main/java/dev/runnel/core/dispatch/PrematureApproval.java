package dev.runnel.core.dispatch;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Store.Outbox.Asked;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.text.PlanReply;
import dev.runnel.text.ToolReply;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Prevents a yes from approving a plan, or permitting a tool, that its sender cannot have seen,
/// because it was sent before the question was posted. A button identifies its question, so it
/// needs no such check.
final class PrematureApproval {
  private static final String ASK_ABOUT_TOOL_AGAIN =
      "This was sent before the agent's request was posted here, so I did not take it as"
          + " permission. To allow it, please write `allow once`.";

  private static final String NOT_SHOWN =
      "The agent's request was not shown here, so I did not take this as permission. Answer it"
          + " where it was asked.";

  private static final String ASK_AGAIN =
      "This was sent before the plan was posted here, so I did not take it as approval. If you"
          + " agree with the plan, please write `approve`.";

  private static final String NO_APPROVAL =
      "\n\n(This was said before there was a plan, so it approves none.)";

  private static final String NO_PERMISSION =
      "\n\n(This was said while nothing was asked, so it permits nothing.)";

  private PrematureApproval() {}

  /// The answer to a message that would approve a plan or a tool that its sender may not have seen;
  /// empty if the message may be sent.
  ///
  /// @param run as read before the message is sent
  static Optional<String> refusal(Work work, DeliveryAttempt attempt, Run run) {
    if (run.state() != RunState.BLOCKED
        || attempt.delivery().intent().answeredQuestion().isPresent()) {
      return Optional.empty();
    }
    var choices = AnswerChoices.of(run.message().orElse(Update.NO_QUESTION));
    var asked = work.outbox().asked(run);
    var isPermission = choices.isAboutTool() && ToolReply.of(attempt.words()).isAllowed();
    if (isPermission
        && !asked.isEmpty()
        && asked.stream().noneMatch(it -> it.conversation().equals(attempt.conversation()))) {
      return Optional.of(NOT_SHOWN);
    }
    var again =
        choices.isAboutPlan() && isYes(attempt)
            ? Optional.of(ASK_AGAIN)
            : Optional.of(ASK_ABOUT_TOOL_AGAIN).filter(_ -> isPermission);
    return again.filter(
        _ -> shownAt(asked, attempt, run).filter(attempt.delivery().saidAt()::isAfter).isEmpty());
  }

  /// The message with a remark that it approves no plan, if it is a yes and the agent is still
  /// planning: the plan could be ready before the service gets the message.
  static Optional<DeliveryAttempt> withoutApproval(
      DeliveryAttempt attempt, Binding binding, Run run) {
    return binding.request().options().plan()
            && !run.state().isTerminal()
            && !run.state().needsPerson()
            && isYes(attempt)
        ? Optional.of(attempt.withText(attempt.words() + NO_APPROVAL))
        : Optional.empty();
  }

  /// The message with a remark that it permits nothing, if it permits a tool and the run does not
  /// ask for a permission: the run could ask before the service gets the message.
  static Optional<String> withoutPermission(DeliveryAttempt attempt, Run run) {
    return run.state() != RunState.BLOCKED && ToolReply.of(attempt.words()).isAllowed()
        ? Optional.of(attempt.words() + NO_PERMISSION)
        : Optional.empty();
  }

  private static boolean isYes(DeliveryAttempt attempt) {
    return attempt.delivery().intent().answeredQuestion().isEmpty()
        && PlanReply.of(attempt.words()) == PlanReply.APPROVED;
  }

  /// When the question was first posted in the conversation, or anywhere if it is not posted there;
  /// empty if it is not posted yet. Old rows are deleted: then, the time of the run's last change.
  private static Optional<Instant> shownAt(List<Asked> asked, DeliveryAttempt attempt, Run run) {
    if (asked.isEmpty()) {
      return run.updatedAt();
    }
    var here =
        asked.stream().filter(each -> each.conversation().equals(attempt.conversation())).toList();
    return (here.isEmpty() ? asked : here)
        .stream().flatMap(each -> each.postedAt().stream()).min(Instant::compareTo);
  }
}
