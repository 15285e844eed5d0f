package dev.runnel.core.dispatch;

import dev.runnel.core.command.CommandParser;
import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.prompt.Prompts;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.text.ToolReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/// Determines the text of a follow-up before it is sent: the content of its links, the queued
/// messages that are sent with it, and the choice that it means.
record FollowUpText(
    AttemptResults results,
    FollowUpBatcher followUpBatcher,
    LinkedConversations linkedConversations,
    PublicWork publicWork,
    RandomGenerator chance) {
  /// Maximum length of a tool permission request in the audit log.
  private static final int MAX_REQUEST = 200;

  /// Reads the content of the message's links and files before the first attempt to send it.
  ///
  /// @return the attempt with that content; empty if it is retried later, because the platform
  ///   cannot be read now
  Optional<DeliveryAttempt> withLinked(DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
    if (!linkedConversations.appearIn(attempt.delivery())
        || results.earlierTry(attempt).isPresent()) {
      return Optional.of(attempt);
    }
    var binding = plan.binding();
    var isPublic = publicWork.includes(found, binding.request().options());
    var linked =
        linkedConversations.readOrRetry(
            attempt, binding.conversation(), isPublic, plan.request().text());
    if (linked.isEmpty()) {
      return Optional.empty();
    }
    var files = BackgroundReader.ReplyFiles.NONE;
    try {
      files = linkedConversations.files(attempt.delivery(), isPublic);
    } catch (BackgroundUnavailable unavailable) {
      if (results.retryReading(attempt, unavailable.after(), unavailable.why())) {
        return Optional.empty();
      }
      reportUnreadFiles(attempt);
    }
    reportNamedFiles(attempt, files);
    return Optional.of(
        linked.get().isEmpty() && files.texts().isEmpty()
            ? attempt
            : attempt.withLinked(
                Prompts.linked(plan.request(), files.texts(), linked.get(), chance)));
  }

  private void reportUnreadFiles(DeliveryAttempt attempt) {
    results.commitIfOwned(
        attempt,
        work ->
            attempt.respondOnce(
                work,
                "files:" + attempt.delivery().id(),
                "I couldn't read the files of your message, so the agent gets only their names."
                    + " Paste the text that matters."));
  }

  private void reportNamedFiles(DeliveryAttempt attempt, BackgroundReader.ReplyFiles files) {
    if (files.others().isEmpty()) {
      return;
    }
    var names =
        files.others().stream()
            .map(it -> "`" + CommandParser.code(it) + "`")
            .collect(Collectors.joining(", "));
    results.commitIfOwned(
        attempt,
        work ->
            attempt.respondOnce(
                work,
                "files:" + attempt.delivery().id(),
                "The agent gets only the name of %s. Paste the text that matters%s"
                    .formatted(
                        names,
                        files.isPicture()
                            ? ", or write `new: …`: a new run here gets the thread's pictures."
                            : ".")));
  }

  /// Notes the decision of an answer to a tool permission request for the audit log.
  static DeliveryAttempt withToolDecision(DeliveryAttempt attempt, Run run) {
    return asked(run)
        .filter(AnswerChoices::isAboutTool)
        .map(
            choices -> {
              var decision =
                  ToolReply.of(attempt.words()) == ToolReply.OTHER
                      ? "declined in other words"
                      : ToolReply.of(attempt.words()).choice();
              var request = choices.question().replaceAll("[\\s`]+", " ").strip();
              return attempt.noting(
                  "%s; tool: %s; %s"
                      .formatted(
                          attempt.note(),
                          decision,
                          request.substring(0, Math.min(MAX_REQUEST, request.length()))));
            })
        .orElse(attempt);
  }

  /// The run's current question.
  private static Optional<AnswerChoices> asked(Run run) {
    return run.message().filter(_ -> run.state() == RunState.BLOCKED).map(AnswerChoices::of);
  }

  /// Commits the text to send, including the queued messages that are sent with it.
  ///
  /// @param isReplaced whether a new run replaces the run, so that the message approves nothing of
  ///   it
  Optional<DeliveryAttempt> fixText(
      DeliveryAttempt attempt,
      Binding binding,
      Run run,
      boolean isReplaced,
      BiConsumer<Work, DeliveryAttempt> more) {
    var whole = new DeliveryAttempt[] {attempt};
    var isAlreadyAnswered = new boolean[] {false};
    var refusals = new ArrayList<String>();
    var isOwned =
        results.commitIfOwned(
            attempt,
            work -> {
              isAlreadyAnswered[0] = isAlreadyAnswered(work, attempt, binding, run);
              if (isAlreadyAnswered[0]) {
                return;
              }
              var attempted = work.inbox().runBefore(attempt.delivery().id()).isPresent();
              if (!attempted) {
                whole[0] = chosen(work, followUpBatcher.join(work, attempt, binding), run);
                if (!isReplaced) {
                  refusals.addAll(PrematureApproval.refusal(work, whole[0], run).stream().toList());
                }
                if (!refusals.isEmpty()) {
                  return;
                }
                PrematureApproval.withoutApproval(whole[0], binding, run)
                    .filter(_ -> !isReplaced)
                    .or(
                        () ->
                            Optional.of(whole[0])
                                .filter(it -> it.delivery().snapshot().linked().isPresent()))
                    .ifPresent(changed -> whole[0] = saveText(work, changed));
              }
              work.inbox().saveRunBefore(attempt.delivery().id(), run);
              more.accept(work, whole[0]);
            });
    if (isOwned && isAlreadyAnswered[0]) {
      reportAlreadyAnswered(attempt);
      return Optional.empty();
    }
    if (isOwned && !refusals.isEmpty()) {
      reportRefusal(whole[0], refusals.getFirst());
      return Optional.empty();
    }
    return isOwned ? Optional.of(whole[0]) : Optional.empty();
  }

  /// Whether it answers a question that the run no longer asks. Decided in the commit that marks
  /// the question as answered, so that only one of two answers reaches the run.
  private static boolean isAlreadyAnswered(
      Work work, DeliveryAttempt attempt, Binding binding, Run found) {
    var asked = attempt.delivery().intent().answeredQuestion();
    return asked.isPresent()
        && work.inbox().runBefore(attempt.delivery().id()).isEmpty()
        && (!AskedQuestion.of(found).equals(asked)
            || AttemptResults.current(work, binding).filter(Binding::reopened).isPresent());
  }

  private void reportAlreadyAnswered(DeliveryAttempt attempt) {
    results.complete(
        attempt.noting(attempt.note() + "; the question was answered before"),
        work ->
            attempt.respond(
                work, "The agent no longer waits for this answer, so I did not send it."));
  }

  private void reportRefusal(DeliveryAttempt attempt, String why) {
    results.complete(
        attempt.noting(attempt.note() + "; it was sent before the question was posted"),
        work -> attempt.respondToAll(work, why));
  }

  /// Replaces the number of a choice by its text, because the agent may have listed the choices
  /// without numbers. Also replaces a yes to a tool permission request by a choice.
  private static DeliveryAttempt chosen(Work work, DeliveryAttempt attempt, Run run) {
    return asked(run)
        .flatMap(
            choices ->
                choices
                    .chosenBy(attempt.words())
                    .or(
                        () ->
                            ToolReply.choiceOf(attempt.words()).filter(_ -> choices.isAboutTool())))
        .map(choice -> naming(choice, run))
        .or(() -> PrematureApproval.withoutPermission(attempt, run))
        .map(attempt::withText)
        .map(whole -> saveText(work, whole))
        .orElse(attempt);
  }

  /// The choice with the number of the request that its sender saw, so that it permits no later
  /// request.
  private static String naming(String choice, Run run) {
    var request = ToolReply.number(run.message().orElse(""));
    return ToolReply.of(choice).isAllowed() && request.isPresent()
        ? ToolReply.about(choice, request.getAsInt())
        : choice;
  }

  /// Stores the attempt's new text, so that a repeated attempt sends it, too.
  private static DeliveryAttempt saveText(Work work, DeliveryAttempt attempt) {
    work.inbox().join(attempt.delivery(), List.of());
    return attempt;
  }
}
