package dev.runnel.core.dispatch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.decide.IntentResolver;
import dev.runnel.core.decide.Planner;
import dev.runnel.core.decide.RetryPolicy;
import dev.runnel.core.decide.RunAccessPolicy;
import dev.runnel.core.dispatch.DueDeliveries.Next;
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
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.DefaultsResolver;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.DeliveryHistory;
import java.time.Duration;
import java.time.Instant;
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

  /// Between two questions to a platform whether a channel is private.
  private static final Duration PRIVACY_RETRY = Duration.ofSeconds(5);

  private final Store store;
  private final OutageRecovery recovery;
  private final TraceRecorder traces;
  private final AttemptResults results;
  private final DueDeliveries dueDeliveries;
  private final ApiRunBinder apiRunBinder;
  private final ListeningPolicy listeningPolicy;
  private final MessageEdits messageEdits;
  private final SenderCheck senderCheck;
  private final RunAccessPolicy runAccessPolicy;
  private final IssueClaims issueClaims;
  private final RunStarter runStarter;
  private final FollowUpSender followUpSender;
  private final RunCanceller runCanceller;
  private final LinkResolver linkResolver;
  private final QueryHandler queryHandler;

  private Dispatcher(
      Store store,
      OutageRecovery recovery,
      TraceRecorder traces,
      AttemptResults results,
      DueDeliveries dueDeliveries,
      ApiRunBinder apiRunBinder,
      ListeningPolicy listeningPolicy,
      MessageEdits messageEdits,
      SenderCheck senderCheck,
      RunAccessPolicy runAccessPolicy,
      IssueClaims issueClaims,
      RunStarter runStarter,
      FollowUpSender followUpSender,
      RunCanceller runCanceller,
      LinkResolver linkResolver,
      QueryHandler queryHandler) {
    this.store = store;
    this.recovery = recovery;
    this.traces = traces;
    this.results = results;
    this.dueDeliveries = dueDeliveries;
    this.apiRunBinder = apiRunBinder;
    this.listeningPolicy = listeningPolicy;
    this.messageEdits = messageEdits;
    this.senderCheck = senderCheck;
    this.runAccessPolicy = runAccessPolicy;
    this.issueClaims = issueClaims;
    this.runStarter = runStarter;
    this.followUpSender = followUpSender;
    this.runCanceller = runCanceller;
    this.linkResolver = linkResolver;
    this.queryHandler = queryHandler;
  }

  public static Dispatcher of(
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
    var results = new AttemptResults(store, RetryPolicy.standard(chance), recovery, listener);
    var accessCheck = new AccessCheck(policy, store, surfaces, defaultsResolver);
    var runAccessPolicy = new RunAccessPolicy(defaults);
    var approvals = new StartApprovals(policy, store, accessCheck, results);
    var startControl = new StartControl(policy, store, accessCheck, approvals, results);
    var linkedConversations = new LinkedConversations(surfaces, results);
    var listeningPolicy = new ListeningPolicy(surfaces, store);
    var runStarter =
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
    var followUpSender =
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
            new FollowUpReceipt(results, listeningPolicy, options.pullRequests()));
    var linkResolver =
        new LinkResolver(store, runs, surfaces, runStarter, runAccessPolicy, results);
    var issueClaims =
        new IssueClaims(
            store, surfaces, accessCheck, runAccessPolicy, results, options.sameIssue());
    var queryHandler =
        new QueryHandler(
            store,
            surfaces,
            defaultsResolver,
            accessCheck,
            startControl,
            approvals,
            issueClaims,
            healthCheck,
            results,
            new ScreenBuilder(store, defaultsResolver, options.environments(), results),
            new ScheduleCommands(surfaces, results));
    return new Dispatcher(
        store,
        recovery,
        options.traces(),
        results,
        new DueDeliveries(
            store,
            new IntentResolver(runAccessPolicy),
            linkResolver,
            listeningPolicy,
            options.pullRequests()),
        new ApiRunBinder(runs, results),
        listeningPolicy,
        new MessageEdits(results),
        new SenderCheck(accessCheck, results),
        runAccessPolicy,
        issueClaims,
        runStarter,
        followUpSender,
        new RunCanceller(store, runs, runStarter, results),
        linkResolver,
        queryHandler);
  }

  /// Processes the conversation's deliveries that are due. Callers must run at most one step at a
  /// time for a conversation.
  ///
  /// @return number of deliveries processed
  public int step(Conversation conversation, Instant now) {
    var count = 0;
    for (var next = dueDeliveries.take(conversation, now);
        next.isPresent();
        next = dueDeliveries.take(conversation, now)) {
      var taken = next.get();
      traces.attempt(taken.attempt().delivery(), taken.attempt().tries(), () -> work(taken));
      recovery.wake(now);
      count++;
    }
    return count;
  }

  private void work(Next taken) {
    var attempt = taken.attempt();
    try {
      checked(taken).ifPresent(this::execute);
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

  /// @param attempt with the rule that permits it
  private record Planned(Plan plan, DeliveryAttempt attempt) {}

  /// Plans the delivery, and checks whether its plan may be executed.
  ///
  /// @return empty if the attempt is finished
  private Optional<Planned> checked(Next taken) {
    var known = apiRunBinder.withRun(taken.attempt(), taken.situation());
    if (known.isEmpty()) {
      return Optional.empty();
    }
    var attempt = taken.attempt();
    var situation = known.get();
    var plan = Planner.plan(attempt.delivery(), situation, attempt.now());
    var target = target(plan, attempt.delivery(), situation);
    if (hasEffect(plan, attempt)) {
      attempt = attempt.ruled(AuditTrail.allowed(attempt.delivery(), target));
    }
    if (needsNoPlan(attempt, situation)) {
      return Optional.empty();
    }
    if (hasEffect(plan, attempt)) {
      var rule = senderCheck.permittingRule(attempt, situation.own(), target);
      if (rule.isEmpty()) {
        return Optional.empty();
      }
      attempt = attempt.permittedBy(rule.get());
    }
    return isAboutForbiddenRun(attempt, situation)
            || isTooLate(attempt, taken.isOvertakenByStop(), situation)
            || !apiRunBinder.bind(attempt, plan)
        ? Optional.empty()
        : Optional.of(new Planned(plan, attempt.noting(DeliveryHistory.note(plan))));
  }

  /// Whether another message that was sent later arrived before it and leaves it without effect.
  private boolean isTooLate(
      DeliveryAttempt attempt, boolean isOvertakenByStop, Planner.Situation situation) {
    if (isOvertakenByStop) {
      results.complete(
          attempt.noting("to ignore it: a stop that was sent later arrived before it"),
          work -> attempt.react(work, MessageStatus.CANCELLED));
      return true;
    }
    return runCanceller.ignoreOutdated(attempt, situation.own());
  }

  private void execute(Planned planned) {
    var attempt = planned.attempt();
    log.info(
        "delivery planned delivery={} conversation={} plan={} try={}",
        attempt.delivery().id(),
        attempt.conversation(),
        planned.plan().getClass().getSimpleName(),
        attempt.tries() + 1);
    if (planned.plan() instanceof Plan.StartRun start
        && !issueClaims.permitsStart(attempt, start)) {
      return;
    }
    reactTaken(attempt);
    var isStop = attempt.delivery().intent() instanceof Intent.Cancel;
    switch (planned.plan()) {
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
  }

  /// The run that the delivery concerns: the one of the plan, else the one that it names, else that
  /// of its thread.
  private static Optional<Binding> target(
      Plan plan, Delivery delivery, Planner.Situation situation) {
    return switch (plan) {
      case Plan.FollowUp(var binding, _) -> Optional.of(binding);
      case Plan.CancelRun(var binding) -> Optional.of(binding);
      case Plan.StartRun _, Plan.OpenThread _ ->
          delivery.intent() instanceof Intent.Retry
              ? situation.named().or(situation::own)
              : Optional.empty();
      case Plan.MoveTo _, Plan.LinkRun _, Plan.Answer _, Plan.Tell _, Plan.Ignore _ ->
          situation.named().or(situation::own);
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
