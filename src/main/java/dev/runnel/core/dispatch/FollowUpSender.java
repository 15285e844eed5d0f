package dev.runnel.core.dispatch;

import dev.runnel.core.command.CommandParser;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.prompt.Prompts;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.core.text.AnswerFormatter;
import dev.runnel.text.ToolReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Sends a thread's message to its run, which continues. If the service does not allow that, starts
/// a new run in the thread.
record FollowUpSender(
    AgentRuns runs,
    RunStarter runStarter,
    StartControl startControl,
    AttemptResults results,
    FollowUpBatcher followUpBatcher,
    ListeningPolicy listeningPolicy,
    PullRequestFollowUps pullRequestFollowUps,
    LinkedConversations linkedConversations,
    PublicWork publicWork,
    RandomGenerator chance) {
  /// How often to check whether a follow-up arrived that the run does not show.
  private static final int MAX_CHECKS = 3;

  /// Maximum length of a tool permission request in the audit log.
  private static final int MAX_REQUEST = 200;

  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

  /// Reads the run first, because an end that was not posted yet must be posted before the
  /// follow-up reopens the run.
  void followUp(DeliveryAttempt attempt, Plan.FollowUp plan) {
    switch (runs.find(plan.binding().run().id())) {
      case Outcome.Done(var found) -> {
        postChanges(attempt, plan.binding(), found);
        if (isSettled(attempt, plan, found)) {
          return;
        }
        send(attempt, plan, found);
      }
      case Outcome.Missing _ when !isReplaceable(plan) -> results.reportMissingRun(attempt);
      case Outcome.Missing _ -> {
        // An earlier attempt may have started the new run.
        if (attempt.isRetry() || !startControl.holdReport(attempt, plan.binding())) {
          startNewRun(attempt, plan);
        }
      }
      case Outcome.Refused refused -> results.refuse(attempt, refused);
      case Outcome.Unavailable(var after, var why) -> results.retryLater(attempt, after, why);
    }
  }

  /// Whether a new run may continue its work: not for a run of the API, whose request, environment
  /// and identity are not known here.
  private static boolean isReplaceable(Plan.FollowUp plan) {
    return plan.binding().isRequestKnown();
  }

  /// Whether the attempt is finished, because an earlier attempt had its effect or may have had it.
  /// The message is sent again only if it did not arrive, or if sending it twice is harmless.
  private boolean isSettled(DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
    var earlier = results.earlierTry(attempt);
    if (earlier.isEmpty()) {
      return false;
    }
    // The service may have refused it then, and a new run may have been started.
    if (found.state().isTerminal()) {
      switch (runStarter.startedBy(attempt.delivery())) {
        case Outcome.Done(var run) -> {
          runStarter.started(
              attempt, asNewRun(attempt, plan), run, work -> announceNewRun(work, attempt));
          return true;
        }
        case Outcome.Unavailable(var after, var why) -> {
          results.retryLater(attempt, after, why);
          return true;
        }
        case Outcome.Missing _, Outcome.Refused _ -> {}
      }
    }
    return switch (runs.followUpArrival(
        earlier.get().before(), plan.request().text(), earlier.get().timesSent())) {
      case Arrival.Arrived _ -> {
        results.complete(attempt, work -> arrived(work, attempt, plan.binding(), found));
        yield true;
      }
      case Arrival.NotArrived _ -> false;
      case Arrival.Unknowable _ -> {
        if (attempt.tries() < MAX_CHECKS) {
          results.retryLater(
              attempt, Optional.of(CHECK_INTERVAL), "The run does not show whether this arrived");
        } else {
          results.complete(
              attempt,
              work -> {
                attempt.react(work, MessageStatus.TAKEN);
                attempt.respondToAll(
                    work,
                    "I'm not sure your last message reached the agent. If it does not act on"
                        + " it, please send it again.");
              });
        }
        yield true;
      }
      case Arrival.Unavailable(var after, var why) -> {
        results.retryLater(attempt, after, why);
        yield true;
      }
    };
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

  private void send(DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
    var isIdle = !found.state().isInProgress();
    if (isIdle && !startControl.permitsRestart(attempt, plan.binding())) {
      return;
    }
    withLinked(attempt, plan, found)
        .flatMap(linked -> beginSending(linked, plan.binding(), found, isIdle))
        .ifPresent(
            whole ->
                sendToRun(withToolDecision(whole, found), plan.withText(whole.words()), found));
  }

  /// Reads the content of the message's links and files before the first attempt to send it.
  ///
  /// @return the attempt with that content; empty if it is retried later, because the platform
  ///   cannot be read now
  private Optional<DeliveryAttempt> withLinked(
      DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
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
    }
    reportNamedFiles(attempt, files);
    return Optional.of(
        linked.get().isEmpty() && files.texts().isEmpty()
            ? attempt
            : attempt.withLinked(
                Prompts.linked(plan.request(), files.texts(), linked.get(), chance)));
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
  private static DeliveryAttempt withToolDecision(DeliveryAttempt attempt, Run run) {
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

  private void sendToRun(DeliveryAttempt attempt, Plan.FollowUp plan, Run found) {
    var text =
        plan.request().text()
            + attempt.delivery().snapshot().linked().map("\n\n"::concat).orElse("");
    var key = attempt.delivery().id();
    switch (plan.request().options().interrupts()
        ? runs.interrupt(found.id(), text, key)
        : runs.followUp(found.id(), text, key)) {
      case Outcome.Done(var read) -> followedUp(attempt, plan.binding(), found, read);
      case Outcome.Missing _, Outcome.Refused _
          when found.state().isTerminal() && isReplaceable(plan) -> {
        stopWatching(attempt, plan.binding());
        startNewRun(attempt, plan);
      }
      case Outcome.Missing _ -> results.reportMissingRun(attempt);
      case Outcome.Refused refused -> {
        stopWatching(attempt, plan.binding());
        results.refuse(attempt, refused);
      }
      case Outcome.Unavailable(var after, var why) -> results.retryLater(attempt, after, why);
    }
  }

  /// Stores the run's state before the follow-up is attempted: if the response is lost, that state
  /// is compared with the run's later one, and the run's next end or question is still posted.
  ///
  /// @return the attempt with all messages that are sent now; empty if another node has taken it
  ///   over
  private Optional<DeliveryAttempt> beginSending(
      DeliveryAttempt attempt, Binding binding, Run run, boolean isIdle) {
    return fixText(
        attempt,
        binding,
        run,
        false,
        (work, whole) -> {
          var current = AttemptResults.current(work, binding);
          current.ifPresent(it -> RunSubscribers.subscribe(work, attempt.delivery(), it));
          current
              .map(it -> isIdle && !it.reopened() ? it.reopenedAs(run) : it)
              .map(it -> sentAt(whole).map(it::requested).orElse(it))
              .filter(it -> !it.equals(current.get()))
              .ifPresent(it -> AttemptResults.save(work, it));
        });
  }

  /// When a person sent the latest of the messages; empty if no platform tells.
  private static Optional<Instant> sentAt(DeliveryAttempt whole) {
    return Stream.concat(Stream.of(whole.delivery()), whole.parts().stream())
        .filter(RunSubscribers::isFromPerson)
        .flatMap(each -> each.snapshot().at().stream())
        .max(Instant::compareTo);
  }

  /// Commits the text to send, including the queued messages that are sent with it.
  ///
  /// @param isReplaced whether a new run replaces the run, so that the message approves nothing of
  ///   it
  private Optional<DeliveryAttempt> fixText(
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

  private void stopWatching(DeliveryAttempt attempt, Binding binding) {
    results.change(
        work -> {
          RunSubscribers.unsubscribe(work, attempt.delivery(), binding);
          AttemptResults.current(work, binding)
              .ifPresent(current -> AttemptResults.stopWatching(work, current));
        });
  }

  private void followedUp(DeliveryAttempt attempt, Binding binding, Run before, Run read) {
    // A service that recognizes the repeated request does not process it again.
    var isRepetition =
        attempt.isRetry()
            && read.state().isTerminal()
            && read.updatedAt().isPresent()
            && read.updatedAt().equals(before.updatedAt());
    results.complete(
        attempt,
        work -> {
          arrived(work, attempt, binding, read);
          if (isRepetition) {
            AttemptResults.current(work, binding)
                .ifPresent(current -> AttemptResults.stopWatching(work, current));
          } else if (read.state().needsPerson()) {
            // The question is answered, though the run has not continued yet.
            AttemptResults.current(work, binding)
                .filter(Binding::reopened)
                .ifPresent(current -> AttemptResults.save(work, current.reopenedAs(read)));
          }
        });
  }

  /// Records that the run service has the message; if the agent has not received it yet, it is
  /// stored as pending. The watcher may have read a newer state of the run than `read`.
  private void arrived(Work work, DeliveryAttempt attempt, Binding binding, Run read) {
    closeQuestion(work, attempt, binding);
    Stream.concat(Stream.of(attempt.delivery()), attempt.parts().stream())
        .forEach(message -> pullRequestFollowUps.report(work, message, binding, attempt.now()));
    if (binding.isActive()) {
      Stream.concat(Stream.of(attempt.delivery()), attempt.parts().stream())
          .filter(
              message ->
                  message
                      .intent()
                      .agentRequest()
                      .filter(it -> MessageParser.resemblesStop(it.text()))
                      .isPresent())
          .forEach(message -> offerStop(work, attempt, message, binding));
    }
    if (read.replies().filter(replies -> replies.hold(attempt.delivery().id())).isEmpty()) {
      attempt.reactReceived(work);
      return;
    }
    attempt.react(work, MessageStatus.QUEUED);
    // A run that had ended or waited for a person continues at once.
    if (binding.run().state().isInProgress()) {
      var isOffered =
          read.replies()
              .filter(replies -> replies.offered().contains(attempt.delivery().id()))
              .isPresent();
      listeningPolicy.explainQueued(work, attempt, isOffered);
    }
    var reply = attempt.reply(read);
    AttemptResults.current(work, binding)
        .ifPresent(
            current -> {
              AttemptResults.save(work, current.withPendingReply(reply));
              results.notifyChanges(work, attempt, binding, current.run());
            });
  }

  /// Closes the question in its posts. The answer itself is shown only where it was given, and in
  /// the run's own thread.
  private static void closeQuestion(Work work, DeliveryAttempt attempt, Binding binding) {
    var before = work.inbox().runBefore(attempt.delivery().id());
    if (before.filter(run -> run.state() == RunState.BLOCKED).isEmpty()
        || (binding.reopened() && !attempt.isRetry())) {
      return;
    }
    var question = before.get().message().orElse(Update.NO_QUESTION);
    var closed =
        new Update.QuestionClosed(
            before.get(),
            question,
            Optional.of(attempt.excerpt()).filter(it -> !it.isBlank()),
            Optional.of(attempt.delivery().actor()));
    var there =
        Stream.concat(
                Stream.of(binding.conversation()),
                work.pullRequests().subscribers(binding.run().id()).stream()
                    .map(Subscriber::conversation))
            .distinct()
            .toList();
    for (var conversation : there) {
      var maySee =
          conversation.equals(attempt.conversation())
              || conversation.equals(binding.conversation());
      var by = Optional.of(attempt.delivery().actorIn(conversation.surface()));
      attempt.add(
          work,
          conversation,
          maySee
              ? new Update.QuestionClosed(closed.run(), question, closed.answer(), by)
              : RunSubscribers.elsewhere(closed));
    }
  }

  /// Privately offers a stop to a person whose message begins like one, once.
  private static void offerStop(
      Work work, DeliveryAttempt attempt, Delivery message, Binding binding) {
    work.outbox()
        .add(
            new Notice(
                new NoticeId("stop?:" + message.id()),
                message.conversation(),
                new Update.Answered(message.actor(), AnswerFormatter.passedOn(binding)),
                message.origin(),
                attempt.now(),
                0));
  }

  /// Posts changes of a run that was just read.
  private void postChanges(DeliveryAttempt attempt, Binding binding, Run run) {
    results.change(
        work -> {
          results.notifyChanges(work, attempt, binding, run);
        });
  }

  /// Starts a new run, and announces it once, because people in the thread see a second run.
  private void startNewRun(DeliveryAttempt attempt, Plan.FollowUp plan) {
    fixText(attempt, plan.binding(), plan.binding().run(), true, (_, _) -> {})
        .ifPresent(
            whole ->
                runStarter.start(
                    whole,
                    asNewRun(whole, plan.withText(whole.words())),
                    work -> announceNewRun(work, whole)));
  }

  private static void announceNewRun(Work work, DeliveryAttempt attempt) {
    attempt.respondToAllOnce(
        work,
        "anew",
        "The previous run can't be continued; I started a new one with the conversation so far.");
  }

  /// Starts the new run where the message was posted: on a pull request, in the pull request's
  /// conversation. Options that the message does not set are those of the previous run.
  private static Plan.StartRun asNewRun(DeliveryAttempt attempt, Plan.FollowUp plan) {
    var options = plan.request().options().completedBy(plan.binding().request().options());
    return new Plan.StartRun(
        attempt.delivery().intent() instanceof Intent.Say
            ? attempt.conversation()
            : plan.binding().conversation(),
        new Request(
            plan.request().text(), isPlanOpen(plan.binding()) ? options.planned() : options));
  }

  /// Whether the run's plan may not have been approved: the new run must not work without an
  /// approval.
  private static boolean isPlanOpen(Binding binding) {
    return binding.request().options().plan() && binding.run().state() != RunState.SUCCEEDED;
  }
}
