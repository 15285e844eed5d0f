package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.decide.RunUpdates;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.port.Surface;
import dev.runnel.core.prompt.Prompts;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.DefaultsResolver;
import dev.runnel.core.scope.Surfaces;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts runs: opens the thread, reads the background, creates the run once, and binds it.
///
/// @param namesRequester whether agents are instructed to name the requester of their work
/// @param publicWork the environments whose runs get no background from private conversations
record RunStarter(
    Store store,
    AgentRuns runs,
    Surfaces surfaces,
    DefaultsResolver defaultsResolver,
    StartControl startControl,
    RandomGenerator chance,
    AttemptResults results,
    OutageRecovery recovery,
    boolean namesRequester,
    PublicWork publicWork,
    LinkedConversations linkedConversations) {
  private static final Logger log = LoggerFactory.getLogger(RunStarter.class);

  /// Posts the thread's first message, and moves the delivery to the thread.
  void openThread(DeliveryAttempt attempt) {
    var surface = surfaces.find(attempt.conversation().surface());
    if (surface.isEmpty()) {
      results.parkDisabled(attempt);
      return;
    }
    var limit = surface.get().limits().rateLimit(attempt.conversation());
    var mayPost = reserve(attempt, limit);
    if (mayPost.isEmpty()) {
      return;
    }
    if (mayPost.get().isAfter(attempt.now())) {
      results.postpone(attempt, mayPost.get());
      return;
    }
    switch (surface.get().threads().open(attempt.delivery(), attempt.isRetry())) {
      case Posting.Posted(var first, var thread) -> {
        recovery.answered(surface.get().id().value());
        var card =
            Optional.of(first).filter(it -> surface.get().threads().isStatusPost(it, thread));
        results.commitIfOwned(
            attempt,
            work -> {
              work.inbox().replace(attempt.delivery().movedTo(thread, card));
            });
      }
      case Posting.Later(var after, var why) -> {
        after.ifPresent(
            pause -> store.change(work -> work.limits().hold(limit, attempt.now().plus(pause))));
        results.retryWithPlatform(attempt, after, why);
      }
      case Posting.Undeliverable(var why) ->
          results.complete(attempt, work -> attempt.respond(work, why));
    }
  }

  /// Reserves a time for the post. The commit may have waited so long that another step took the
  /// delivery over, and posted.
  ///
  /// @return empty if another step did
  private Optional<Instant> reserve(DeliveryAttempt attempt, String limit) {
    var reserved = new AtomicReference<>(attempt.now());
    var id = attempt.delivery().id().value();
    return results.commitIfOwned(
            attempt, work -> reserved.set(work.limits().reserve(limit, id, attempt.now())))
        ? Optional.ofNullable(reserved.get())
        : Optional.empty();
  }

  void start(DeliveryAttempt attempt, Plan.StartRun start) {
    start(attempt, start, _ -> {});
  }

  /// @param whenStarted further changes for the commit of the start
  void start(DeliveryAttempt attempt, Plan.StartRun asked, Consumer<Work> whenStarted) {
    var start =
        new Plan.StartRun(
            asked.conversation(),
            defaultsResolver
                .defaults()
                .routed(asked.request(), asked.conversation(), attempt.delivery().snapshot()));
    var resolved =
        defaultsResolver.of(
            start.request(),
            start.conversation(),
            attempt.delivery().actor(),
            attempt.delivery().snapshot());
    if (attempt.isRetry()) {
      switch (startedBy(attempt.delivery())) {
        case Outcome.Done(var run) -> {
          // If Runnel gave the delivery up in between, the start is not counted any more.
          started(
              attempt,
              start,
              run,
              whenStarted.andThen(work -> StartControl.count(work, attempt, resolved.request())));
          return;
        }
        case Outcome.Unavailable(var after, var why) -> {
          results.retryLater(attempt, after, why);
          return;
        }
        case Outcome.Refused(var code, var why, _) -> {
          results.retryLater(attempt, Optional.empty(), code + ": " + why);
          return;
        }
        case Outcome.Missing _ -> {}
      }
    }
    if (resolved.unknownProfile().isPresent()) {
      var unknown = defaultsResolver.profiles().unknown(resolved.unknownProfile().get());
      results.complete(attempt, work -> attempt.respond(work, unknown));
      return;
    }
    var missing =
        resolved
            .request()
            .options()
            .environment()
            .flatMap(defaultsResolver.defaults().environments()::problem);
    if (missing.isPresent()) {
      results.complete(attempt, work -> attempt.respond(work, missing.get()));
      return;
    }
    var surface = surfaces.find(attempt.conversation().surface());
    if (surface.isEmpty()) {
      results.parkDisabled(attempt);
      return;
    }
    if (!startControl.permitsStart(attempt, resolved.request())) {
      return;
    }
    context(attempt, start, resolved.request(), surface.get())
        .ifPresent(context -> create(attempt, start, resolved, context, whenStarted));
  }

  /// What the prompt contains besides the request.
  ///
  /// @param isConfidential whether the conversation is private, but others can read the run's work
  /// @param report posts which background the agent did not get
  private record PromptContext(
      Background background,
      List<LinkedConversation> linked,
      boolean isConfidential,
      Consumer<Work> report) {
    PromptContext withLinked(List<LinkedConversation> read) {
      return new PromptContext(background, read, isConfidential, report);
    }
  }

  private static boolean mayBePrivate(BackgroundReader reader, Delivery delivery) {
    try {
      return reader.isPrivate(delivery);
    } catch (BackgroundUnavailable _) {
      return true;
    }
  }

  /// Reads the background of the request and the content of its links.
  ///
  /// @return empty if the attempt is retried later
  private Optional<PromptContext> context(
      DeliveryAttempt attempt, Plan.StartRun start, Request request, Surface surface) {
    // A retry may be requested elsewhere: messages there are no background for the run's thread.
    var there =
        surfaces
            .find(start.conversation().surface())
            .map(Surface::background)
            .orElse(BackgroundReader.NONE);
    var moved = movedTo(attempt.delivery(), start.conversation());
    var isPublic = publicWork.includes(request.options());
    var isConfidential =
        isPublic
            && (mayBePrivate(surface.background(), attempt.delivery())
                || mayBePrivate(there, moved));
    Consumer<Work> report =
        isConfidential && mayHaveBackground(there, moved)
            ? work -> reportWithheldBackground(work, attempt)
            : _ -> {};
    Background background;
    try {
      background = isConfidential ? Background.NONE : there.read(moved);
    } catch (BackgroundUnavailable unavailable) {
      if (results.retryReading(attempt, unavailable.after(), unavailable.why())) {
        return Optional.empty();
      }
      background = moved.snapshot().background(moved.origin().link());
      report = work -> reportUnreadBackground(work, attempt);
    }
    var prompt = new PromptContext(background, List.of(), isConfidential, report);
    return linkedConversations
        .readOrRetry(attempt, start.conversation(), isPublic, request.text())
        .map(prompt::withLinked);
  }

  private void create(
      DeliveryAttempt attempt,
      Plan.StartRun start,
      Defaults.Resolved resolved,
      PromptContext context,
      Consumer<Work> whenStarted) {
    var author =
        Optional.of(attempt.delivery())
            .filter(_ -> namesRequester)
            .flatMap(it -> surfaces.find(it.id().surface()))
            .map(it -> it.senders().author(attempt.delivery()));
    var prompt =
        Prompts.compose(
            attempt.delivery(),
            resolved,
            context.background(),
            context.linked(),
            author,
            context.isConfidential(),
            chance);
    switch (runs.start(prompt, attempt.delivery().id())) {
      case Outcome.Done(var run) ->
          started(attempt, start, run, whenStarted.andThen(context.report()));
      case Outcome.Missing _ ->
          results.complete(
              attempt,
              work -> {
                StartControl.forget(work, attempt);
                attempt.respond(
                    work,
                    "The run service has no such address. Ask your admin to check"
                        + " `RUNNEL_AGENT_API_URL` (it includes `/api/v1`).");
              });
      case Outcome.Refused refused ->
          results.refuse(attempt, refused, work -> StartControl.forget(work, attempt));
      case Outcome.Unavailable(var after, var why) -> results.retryLater(attempt, after, why);
    }
  }

  /// The request as if it had been made there, without its own message, which is in another
  /// conversation, perhaps of another platform.
  private static Delivery movedTo(Delivery delivery, Conversation there) {
    return delivery.conversation().equals(there)
        ? delivery
        : delivery.withConversation(there).withOrigin(Origin.NONE).withSnapshot(Snapshot.NONE);
  }

  /// Whether there is background, or may be because it cannot be read.
  private static boolean mayHaveBackground(BackgroundReader reader, Delivery delivery) {
    try {
      return !reader.read(delivery).isEmpty();
    } catch (BackgroundUnavailable _) {
      return true;
    }
  }

  /// Finds the run that the delivery started. A run that was found by its text alone and is bound
  /// already belongs to another delivery.
  Outcome startedBy(Delivery delivery) {
    var found =
        runs.findStarted(
            delivery.id(),
            delivery.arrivedAt(),
            delivery.intent().agentRequest().map(Request::text));
    return found instanceof Outcome.Done(var run) && run.delivery().isEmpty() && isBound(run)
        ? new Outcome.Missing()
        : found;
  }

  /// Posts that the agent did not get the background, because it could not be read.
  private static void reportUnreadBackground(Work work, DeliveryAttempt attempt) {
    attempt.respondToAll(
        work,
        "I couldn't read the earlier messages, so the agent didn't get them. If they matter, send"
            + " them again in a reply.");
  }

  /// Posts that the agent got only the request, because the conversation is private.
  private static void reportWithheldBackground(Work work, DeliveryAttempt attempt) {
    attempt.respondToAll(
        work,
        "This conversation is private, and others can read the agent's work. So the agent got your"
            + " request, but no earlier messages and no files. Reply with anything else it may"
            + " know.");
  }

  /// Records that the delivery started this run.
  void started(DeliveryAttempt attempt, Plan.StartRun start, Run run, Consumer<Work> more) {
    var isKept =
        results.complete(
            attempt,
            work -> {
              more.accept(work);
              bind(work, attempt, start, run);
            });
    if (isKept) {
      log.info(
          "run started delivery={} conversation={} run={}",
          attempt.delivery().id(),
          start.conversation(),
          run.id());
    } else {
      stopDuplicate(attempt, run);
    }
  }

  /// Binds the run to its conversation, and posts its state.
  static void bind(Work work, DeliveryAttempt attempt, Plan.StartRun start, Run run) {
    var delivery = attempt.delivery();
    var binding =
        new Binding(
            start.conversation(),
            run,
            delivery.actor(),
            start.request(),
            delivery.origin(),
            start.conversation().equals(delivery.conversation())
                ? delivery.origin().card()
                : Optional.empty(),
            attempt.now(),
            false,
            Optional.empty(),
            List.of(),
            delivery.snapshot().at(),
            0);
    work.bindings().save(binding);
    attempt.reactReceived(work);
    for (var update : RunUpdates.atFirst(binding, attempt.now())) {
      attempt.add(work, start.conversation(), update);
    }
    if (!start.conversation().equals(delivery.conversation())) {
      attempt.respond(work, "Started again in its thread.");
    }
  }

  /// Stops a run whose delivery another node took over. If that node started its own run, this one
  /// is a duplicate without a binding.
  private void stopDuplicate(DeliveryAttempt attempt, Run run) {
    var isUnused =
        store.<Boolean>commit(
            work ->
                work.bindings().of(run.id()).isEmpty()
                    && !work.inbox().isWaiting(attempt.delivery().id()));
    if (isUnused) {
      log.warn("duplicate run stopped delivery={} run={}", attempt.delivery().id(), run.id());
      if (!(runs.cancel(run.id()) instanceof Outcome.Done)) {
        log.error(
            "duplicate run not stopped delivery={} run={}", attempt.delivery().id(), run.id());
      }
    }
  }

  private boolean isBound(Run run) {
    return store.<Boolean>commit(work -> work.bindings().of(run.id()).isPresent());
  }
}
