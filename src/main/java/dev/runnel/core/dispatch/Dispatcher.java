package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.decide.IntentResolver;
import dev.runnel.core.decide.Planner;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.decide.PullRequestStateUpdates;
import dev.runnel.core.decide.RetryPolicy;
import dev.runnel.core.decide.RunAccessPolicy;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.recovery.StartFreeze;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.DefaultsResolver;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.DeliveryHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Processes deliveries: plans each one and carries out its effect on runs.
///
/// Each delivery takes three steps: its attempt is counted (one commit), the effect is attempted,
/// the result is stored (one commit). A repeated attempt first checks whether the effect happened.
/// While the run service or the platform is down, a delivery is retried for up to 24 hours; one
/// that repeatedly causes unexpected errors is parked.
public final class Dispatcher {
  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);
  private static final int MAX_RUNS_IN_PLACE = 20;
  private static final Duration MAX_THREAD_OPENING = Duration.ofSeconds(10);
  private static final Duration THREAD_OPENING_DELAY = Duration.ofMillis(500);

  /// Between two questions to a platform whether a channel is private.
  private static final Duration PRIVACY_RETRY = Duration.ofSeconds(5);

  private final Store store;
  private final OutageRecovery recovery;
  private final AttemptResults results;
  private final RunStarter runStarter;
  private final FollowUpSender followUpSender;
  private final RunCanceller runCanceller;
  private final SenderCheck senderCheck;
  private final RunAccessPolicy runAccessPolicy;
  private final IntentResolver intents;
  private final MessageEdits messageEdits;
  private final ListeningPolicy listeningPolicy;
  private final LinkResolver linkResolver;
  private final PullRequestFollowUps pullRequestFollowUps;
  private final IssueClaims issueClaims;
  private final ApiRunBinder apiRunBinder;
  private final QueryHandler queryHandler;
  private final TraceRecorder traces;

  public Dispatcher(
      Store store,
      AgentRuns service,
      Surfaces surfaces,
      Profiles profiles,
      Defaults defaults,
      Policy policy,
      HealthCheck healthCheck,
      OutageRecovery recovery,
      RunChangeListener listener,
      DispatchOptions options,
      RandomGenerator chance) {
    var defaultsResolver = new DefaultsResolver(store, defaults, profiles);
    var runs = recovery.watching(service);
    this.store = store;
    this.recovery = recovery;
    this.traces = options.traces();
    this.results = new AttemptResults(store, RetryPolicy.standard(chance), recovery, listener);
    var accessCheck = new AccessCheck(policy, store, surfaces, defaultsResolver);
    var startControl = new StartControl(policy, store, accessCheck, results);
    var linkedConversations = new LinkedConversations(surfaces, results);
    this.runStarter =
        new RunStarter(
            store,
            runs,
            surfaces,
            defaultsResolver,
            startControl,
            chance,
            results,
            recovery,
            options.namesRequester(),
            options.publicWork(),
            linkedConversations);
    this.listeningPolicy = new ListeningPolicy(surfaces, store);
    this.pullRequestFollowUps = options.pullRequests();
    this.followUpSender =
        new FollowUpSender(
            runs,
            runStarter,
            startControl,
            results,
            new FollowUpText(
                results,
                new FollowUpBatcher(listeningPolicy, linkedConversations),
                linkedConversations,
                options.publicWork(),
                chance),
            new FollowUpReceipt(results, listeningPolicy, pullRequestFollowUps));
    this.messageEdits = new MessageEdits(results);
    this.runCanceller = new RunCanceller(store, runs, runStarter, results);
    this.senderCheck = new SenderCheck(accessCheck, results);
    this.runAccessPolicy = new RunAccessPolicy(defaults);
    this.intents = new IntentResolver(runAccessPolicy);
    this.linkResolver =
        new LinkResolver(store, runs, surfaces, runStarter, runAccessPolicy, results);
    this.apiRunBinder = new ApiRunBinder(runs, results);
    this.issueClaims =
        new IssueClaims(
            store, surfaces, accessCheck, runAccessPolicy, results, options.sameIssue());
    this.queryHandler =
        new QueryHandler(
            store,
            surfaces,
            defaultsResolver,
            accessCheck,
            startControl,
            issueClaims,
            healthCheck,
            results,
            new ScreenBuilder(store, defaultsResolver, options.environments(), results),
            new ScheduleCommands(surfaces, results));
  }

  /// Processes the conversation's deliveries that are due. Callers must run at most one step at a
  /// time for a conversation.
  ///
  /// @return number of deliveries processed
  public int step(Conversation conversation, Instant now) {
    var count = 0;
    for (var next = take(conversation, now); next.isPresent(); next = take(conversation, now)) {
      var taken = next.get();
      traces.attempt(taken.attempt().delivery(), taken.attempt().tries(), () -> work(taken));
      recovery.wake(now);
      count++;
    }
    return count;
  }

  private record Next(
      DeliveryAttempt attempt, Planner.Situation situation, boolean isOvertakenByStop) {}

  private Optional<Next> take(Conversation conversation, Instant now) {
    return store.commit(
        work -> {
          var next = work.inbox().next(conversation, now);
          while (next.isPresent() && isHandledWithoutAttempt(work, next.get(), now)) {
            next = work.inbox().next(conversation, now);
          }
          return next.map(
              pending -> {
                work.inbox().begin(pending.item().id());
                var delivery = intents.resolved(work, linkResolver.resolved(work, pending.item()));
                var parts = work.inbox().joined(pending.item().id());
                var attempt = new DeliveryAttempt(delivery, parts, pending.tries(), now);
                return new Next(
                    attempt, situation(work, delivery), isOvertakenByStop(work, attempt));
              });
        });
  }

  /// Whether a stop that was sent later was processed first. Deliveries may arrive out of order,
  /// but the platform reports when each was sent.
  private static boolean isOvertakenByStop(Work work, DeliveryAttempt attempt) {
    var at = attempt.delivery().snapshot().at();
    return !attempt.isRetry()
        && at.isPresent()
        && attempt.delivery().intent().agentRequest().isPresent()
        && work.inbox().stops(attempt.conversation()).stream()
            .flatMap(stop -> stop.snapshot().at().stream())
            .anyMatch(stopped -> stopped.isAfter(at.get()));
  }

  /// Whether the delivery was postponed, finished or replaced without an attempt.
  private boolean isHandledWithoutAttempt(Work work, Pending<Delivery> next, Instant now) {
    return isPostponed(work, next, now) || isResolvedEvent(work, next.item(), now);
  }

  private boolean isPostponed(Work work, Pending<Delivery> next, Instant now) {
    var delivery = next.item();
    if (isThreadOpening(work, delivery, now)) {
      work.inbox()
          .postpone(delivery.id(), now.plus(THREAD_OPENING_DELAY), "Its thread is being opened");
      return true;
    }
    var held = holdReason(work, delivery);
    if (held.isPresent()) {
      work.inbox()
          .postpone(
              delivery.id(),
              OutageRecovery.nextCheck(now),
              held.get(),
              delivery.conversation().surface().value());
      return true;
    }
    var until = listeningPolicy.batchUntil(work, next, now);
    until.ifPresent(at -> work.inbox().postpone(delivery.id(), at, "More may follow"));
    return until.isPresent();
  }

  /// Whether it is an event of a platform that was replaced by another delivery, or finished.
  private boolean isResolvedEvent(Work work, Delivery delivery, Instant now) {
    return switch (delivery.intent()) {
      case Intent.PullRequestNeeds needs -> {
        var isMuted =
            PullRequestFollowUps.pullRequest(work, needs)
                .flatMap(it -> PullRequestFollowUps.binding(work, it))
                .filter(it -> ListeningPolicy.isMuted(work, it.conversation()))
                .isPresent();
        if (StartFreeze.isOn(work) && pullRequestFollowUps.restartsRun(work, needs, isMuted)) {
          // Here, not in the run's thread, where people's messages would wait behind it.
          StartFreeze.hold(work, delivery, now);
        } else {
          replaceOrFinish(
              work, delivery, pullRequestFollowUps.toFollowUp(work, delivery, needs, isMuted));
        }
        yield true;
      }
      case Intent.PullRequestChanged changed -> {
        replaceOrFinish(
            work, delivery, PullRequestStateUpdates.apply(work, delivery, changed, now));
        yield true;
      }
      case Intent.StopAt(var post) -> {
        var stop = ReactionTargets.stop(work, delivery, post);
        stop.ifPresent(work.inbox()::replace);
        yield stop.isPresent();
      }
      case Intent.ForAgent _,
          Intent.RunCommand _,
          Intent.GeneralCommand _,
          Intent.Amend _,
          Intent.Link _,
          Intent.Linked _,
          Intent.Help _,
          Intent.Unclear _ ->
          false;
    };
  }

  private static void replaceOrFinish(
      Work work, Delivery delivery, Optional<Delivery> replacement) {
    replacement.ifPresentOrElse(work.inbox()::replace, () -> work.inbox().done(delivery.id()));
  }

  /// The reason why its surface is on hold, if it is. A stop may not need the platform, and is
  /// attempted anyway.
  private static Optional<String> holdReason(Work work, Delivery delivery) {
    return delivery.intent().overtakes()
        ? Optional.empty()
        : OutageRecovery.held(work, delivery.conversation().surface());
  }

  /// Sets the first reaction on a request of a sender with permission. A message to an active run
  /// gets its first reaction only when it has reached the run, or is queued.
  private void reactTaken(DeliveryAttempt attempt) {
    var delivery = attempt.delivery();
    if (!attempt.isRetry()
        && delivery.addressed()
        && delivery.origin().message().isPresent()
        && delivery.intent().agentRequest().isPresent()) {
      store.change(
          work -> {
            if (work.bindings().of(delivery.conversation()).filter(Binding::isActive).isEmpty()) {
              attempt.react(work, MessageStatus.TAKEN);
            }
          });
    }
  }

  /// Whether it may be a reply in a thread that is being opened: the first post exists, but the
  /// start that it was posted for has not moved to the thread yet.
  private static boolean isThreadOpening(Work work, Delivery delivery, Instant now) {
    return delivery.origin().replyTo().isEmpty()
        && !delivery.origin().opensThread()
        && delivery.arrivedAt().plus(MAX_THREAD_OPENING).isAfter(now)
        && work.bindings().of(delivery.conversation()).isEmpty()
        // A stop of the start that is queued here is not a reply.
        && work.inbox().waiting(delivery.conversation()).stream()
            .noneMatch(each -> each.item().origin().opensThread())
        && work.inbox().waitingInPlace(delivery.conversation()).stream()
            .anyMatch(
                each ->
                    each.tries() > 0
                        && each.item().origin().opensThread()
                        && !each.item().arrivedAt().isAfter(delivery.arrivedAt()));
  }

  private static Planner.Situation situation(Work work, Delivery delivery) {
    var conversation = delivery.conversation();
    return new Planner.Situation(
        own(work, delivery),
        delivery.intent().namedRun().flatMap(run -> work.bindings().of(run)),
        // A command from a place has no thread of its own; it concerns the runs of the place.
        // The answer to an ambiguous text shows the person's runs.
        delivery.origin().replyTo().isPresent() || delivery.intent() instanceof Intent.Unclear
            ? work.bindings()
                .recent(
                    Optional.of(conversation.surface()), conversation.place(), MAX_RUNS_IN_PLACE)
            : List.of(),
        waiting(work, delivery));
  }

  /// The binding of the thread's current run, or, on a pull request, of the run that opened it. If
  /// only an earlier run of the thread is active, a stop refers to that one.
  private static Optional<Binding> own(Work work, Delivery delivery) {
    var current = RunSubscribers.runOf(work, delivery);
    return current.isPresent()
            && !current.get().isActive()
            && delivery.intent() instanceof Intent.Cancel(var run, _)
            && run.isEmpty()
        ? work.bindings().active().stream()
            .filter(each -> each.conversation().equals(delivery.conversation()))
            .findFirst()
            .or(() -> current)
        : current;
  }

  /// The person's newest queued start that a stop from a place may refer to; empty if something is
  /// queued in the stop's own conversation, which has priority.
  private static Optional<Conversation> waiting(Work work, Delivery delivery) {
    if (!(delivery.intent() instanceof Intent.Cancel(var run, _))
        || run.isPresent()
        || delivery.origin().replyTo().isEmpty()
        || !work.inbox().waiting(delivery.conversation()).isEmpty()) {
      return Optional.empty();
    }
    return work.inbox().waitingInPlace(delivery.conversation()).stream()
        .map(Pending::item)
        .filter(each -> each.intent() instanceof Intent.Start)
        .filter(each -> each.actor().id().equals(delivery.actor().id()))
        .filter(each -> !each.isSentAfter(delivery))
        .map(Delivery::conversation)
        .reduce((_, newer) -> newer);
  }

  private void work(Next taken) {
    var attempt = taken.attempt();
    try {
      var known = apiRunBinder.withRun(attempt, taken.situation());
      if (known.isEmpty()) {
        return;
      }
      var next = new Next(attempt, known.get(), taken.isOvertakenByStop());
      var plan = Planner.plan(attempt.delivery(), next.situation(), attempt.now());
      if (hasEffect(plan, attempt)) {
        attempt = attempt.ruled(AuditTrail.allowed(attempt.delivery(), target(plan, next)));
      }
      if (needsNoPlan(attempt, next.situation())) {
        return;
      }
      if (hasEffect(plan, attempt)) {
        var rule = senderCheck.permittingRule(attempt, next.situation().own(), target(plan, next));
        if (rule.isEmpty()) {
          return;
        }
        attempt = attempt.permittedBy(rule.get());
      }
      if (isAboutForbiddenRun(attempt, next.situation())) {
        return;
      }
      if (next.isOvertakenByStop()) {
        results.complete(
            attempt.noting("to ignore it: a stop that was sent later arrived before it"),
            work -> next.attempt().react(work, MessageStatus.CANCELLED));
        return;
      }
      if (runCanceller.ignoreOutdated(attempt, next.situation().own())) {
        return;
      }
      if (!apiRunBinder.bind(attempt, plan)) {
        return;
      }
      attempt = attempt.noting(DeliveryHistory.note(plan));
      log.info(
          "delivery planned delivery={} conversation={} plan={} try={}",
          attempt.delivery().id(),
          attempt.conversation(),
          plan.getClass().getSimpleName(),
          attempt.tries() + 1);
      if (plan instanceof Plan.StartRun start && !issueClaims.permitsStart(attempt, start)) {
        return;
      }
      reactTaken(attempt);
      var isStop = attempt.delivery().intent() instanceof Intent.Cancel;
      switch (plan) {
        case Plan.OpenThread _ -> runStarter.openThread(attempt);
        case Plan.MoveTo(var conversation) -> moveTo(attempt, conversation);
        case Plan.StartRun start -> runStarter.start(attempt, start);
        case Plan.FollowUp followUp -> followUpSender.followUp(attempt, followUp);
        case Plan.CancelRun cancel -> runCanceller.cancel(attempt, cancel);
        case Plan.LinkRun(var run) -> linkResolver.link(attempt, run);
        case Plan.Answer(var command) -> queryHandler.answer(attempt, command);
        case Plan.Tell(var updates) when isStop -> runCanceller.withdrawQueued(attempt, updates);
        case Plan.Tell(var updates) -> queryHandler.tell(attempt, updates);
        case Plan.Ignore _ when isStop -> runCanceller.withdrawUnaddressed(attempt);
        case Plan.Ignore _ -> results.complete(attempt, _ -> {});
      }
    } catch (CredentialRefused refused) {
      results.hold(
          attempt, refused.surface().orElse(attempt.conversation().surface()), refused.why());
    } catch (BackgroundUnavailable unavailable) {
      // Without the answer it is not known who may see a run.
      results.retrySilently(
          attempt, unavailable.after().or(() -> Optional.of(PRIVACY_RETRY)), unavailable.why());
    } catch (RuntimeException error) {
      results.handleBug(attempt, error);
    }
  }

  /// The run that the delivery concerns: the one of the plan, else the one that it names, else that
  /// of its thread.
  private static Optional<Binding> target(Plan plan, Next next) {
    return switch (plan) {
      case Plan.FollowUp(var binding, _) -> Optional.of(binding);
      case Plan.CancelRun(var binding) -> Optional.of(binding);
      case Plan.StartRun _, Plan.OpenThread _ ->
          next.attempt().delivery().intent() instanceof Intent.Retry
              ? next.situation().named().or(next.situation()::own)
              : Optional.empty();
      case Plan.MoveTo _, Plan.LinkRun _, Plan.Answer _, Plan.Tell _, Plan.Ignore _ ->
          next.situation().named().or(next.situation()::own);
    };
  }

  /// Whether the sender's permission matters. A stop always has an effect, because it also
  /// withdraws queued deliveries.
  private static boolean hasEffect(Plan plan, DeliveryAttempt attempt) {
    return !(plan instanceof Plan.Ignore) || attempt.delivery().intent() instanceof Intent.Cancel;
  }

  /// Handles what needs no plan: an edit, or a message that is not for the agent.
  private boolean needsNoPlan(DeliveryAttempt attempt, Planner.Situation situation) {
    if (attempt.delivery().intent() instanceof Intent.Amend amend) {
      messageEdits.amend(attempt, amend);
      return true;
    }
    var ignored =
        situation.own().filter(binding -> !listeningPolicy.accepts(attempt.delivery(), binding));
    ignored.ifPresent(
        binding ->
            results.complete(
                attempt, work -> listeningPolicy.explainIgnored(work, attempt, binding)));
    return ignored.isPresent();
  }

  /// Whether it is about a run that the sender must not access: one that it names, or one in which
  /// its conversation takes part. The answer says who may. A request in a conversation that takes
  /// part in an ended one is planned again, and starts a run.
  private boolean isAboutForbiddenRun(DeliveryAttempt attempt, Planner.Situation situation) {
    var delivery = attempt.delivery();
    var joined =
        situation
            .own()
            .filter(run -> !run.conversation().equals(delivery.conversation()))
            .filter(run -> issueClaims.isForbidden(delivery, run));
    if (delivery.intent() instanceof Intent.Say
        && joined.filter(run -> !run.isActive()).isPresent()) {
      issueClaims.leave(attempt);
      return true;
    }
    var refusal =
        runAccessPolicy
            .refusal(delivery, situation.named())
            .or(() -> joined.map(_ -> runAccessPolicy.refusal()));
    refusal.ifPresent(
        words ->
            results.complete(
                attempt.refused("the run belongs to another place"),
                work -> attempt.respond(work, words)));
    return refusal.isPresent();
  }

  private void moveTo(DeliveryAttempt attempt, Conversation conversation) {
    results.commitIfOwned(
        attempt,
        work -> {
          work.inbox().replace(attempt.delivery().movedTo(conversation));
          if (attempt.delivery().intent() instanceof Intent.Retry
              && attempt.delivery().origin().home().isEmpty()) {
            attempt.respond(work, "It continues in its thread.");
          }
          if (attempt.delivery().intent() instanceof Intent.SayTo(_, _, var answers)
              && answers.isEmpty()) {
            attempt.respond(work, "Passed on. It continues in its thread.");
          }
        });
  }
}
