package dev.runnel.core.dispatch;

import dev.runnel.core.decide.IntentResolver;
import dev.runnel.core.decide.RunAccessPolicy;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.Surfaces;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/// Resolves links to runs, and binds runs that were started elsewhere to a thread.
record LinkResolver(
    Store store,
    AgentRuns runs,
    Surfaces surfaces,
    RunStarter runStarter,
    RunAccessPolicy runAccessPolicy,
    AttemptResults results) {
  private static final int MAX_RUNS_SEARCHED = 500;

  /// The delivery about the linked run; unchanged if there is no link or no run.
  Delivery resolved(Work work, Delivery delivery) {
    return delivery.intent() instanceof Intent.Linked(var link, var intent)
        ? binding(work, link, delivery.conversation())
            .map(binding -> delivery.withIntent(about(intent, binding.run().id())))
            .orElse(delivery)
        : delivery;
  }

  private Optional<Binding> binding(Work work, URI link, Conversation from) {
    return target(surfaces, link, from)
        .flatMap(linkTarget -> work.bindings().of(linkTarget.conversation()))
        .or(
            () ->
                work.bindings().recent(Optional.empty(), "", MAX_RUNS_SEARCHED).stream()
                    .filter(each -> each.run().session().filter(link::equals).isPresent())
                    .findFirst());
  }

  static Optional<LinkTarget> target(Surfaces surfaces, URI link, Conversation from) {
    return surfaces.byId().values().stream()
        .flatMap(each -> each.links().target(link, from).stream())
        .findFirst();
  }

  private static Intent about(Intent intent, RunId run) {
    return intent instanceof Intent.RunCommand command ? command.about(run) : intent;
  }

  /// Binds the run to the conversation; opens a thread first if there is none.
  void link(DeliveryAttempt attempt, RunId id) {
    switch (runs.find(id)) {
      case Outcome.Done(var run) when mayLink(attempt, run) -> found(attempt, run);
      case Outcome.Done _ -> reportMissing(attempt.refused("the run belongs to another place"), id);
      case Outcome.Missing _ ->
          unambiguous(attempt, id)
              .ifPresentOrElse(run -> found(attempt, run), () -> reportMissing(attempt, id));
      case Outcome.Refused refused -> results.refuse(attempt, refused);
      case Outcome.Unavailable(var after, var why) -> results.retryLater(attempt, after, why);
    }
  }

  private boolean mayLink(DeliveryAttempt attempt, Run run) {
    var binding = store.<Optional<Binding>>commit(work -> work.bindings().of(run.id()));
    return runAccessPolicy.mayLink(attempt.delivery(), run, binding);
  }

  private void reportMissing(DeliveryAttempt attempt, RunId id) {
    results.complete(
        attempt, work -> attempt.respond(work, "The run service has no run `" + id + "`."));
  }

  /// The only unfinished run that the sender may link and whose id begins with the given
  /// characters, for runs without a binding; empty if there are none or several.
  private Optional<Run> unambiguous(DeliveryAttempt attempt, RunId begin) {
    if (!IntentResolver.isAbbreviated(begin)
        || !(runs.unfinished() instanceof RunListing.Listed(var unfinished))) {
      return Optional.empty();
    }
    var found =
        unfinished.stream()
            .filter(run -> run.id().value().startsWith(begin.value().toLowerCase(Locale.ROOT)))
            .filter(run -> mayLink(attempt, run))
            .toList();
    return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
  }

  private void found(DeliveryAttempt attempt, Run run) {
    var elsewhere =
        store.<Optional<Binding>>commit(work -> elsewhere(work, attempt.conversation(), run));
    if (attempt.delivery().origin().opensThread() && elsewhere.filter(this::isRead).isEmpty()) {
      runStarter.openThread(attempt);
    } else {
      results.complete(attempt, work -> bind(work, attempt, run));
    }
  }

  /// The run's binding to another conversation.
  private static Optional<Binding> elsewhere(Work work, Conversation here, Run run) {
    return work.bindings().of(run.id()).filter(each -> !each.conversation().equals(here));
  }

  /// Whether people read the posts there.
  private boolean isRead(Binding binding) {
    return surfaces
        .find(binding.conversation().surface())
        .filter(surface -> surface.isSilent())
        .isEmpty();
  }

  private void bind(Work work, DeliveryAttempt attempt, Run run) {
    var here = attempt.conversation();
    var elsewhere = elsewhere(work, here, run);
    if (elsewhere.filter(this::isRead).isPresent()) {
      attempt.respond(
          work,
          "This run already has a thread, so it can't be moved."
              + elsewhere
                  .filter(each -> runAccessPolicy.mayName(attempt.delivery(), each))
                  .flatMap(each -> each.origin().link())
                  .map(link -> "\n" + link)
                  .orElse(""));
      return;
    }
    elsewhere.ifPresent(each -> work.bindings().release(each.conversation(), run.id()));
    if (work.bindings().of(here).filter(own -> own.run().id().equals(run.id())).isPresent()) {
      attempt.respond(work, "This thread is already connected to that run.");
      return;
    }
    var request =
        elsewhere
            .or(() -> work.bindings().of(run.id()))
            .map(Binding::request)
            .orElseGet(() -> Request.of(run.title().isBlank() ? "Run " + run.id() : run.title()));
    RunStarter.bind(work, attempt, new Plan.StartRun(here, request), run);
  }
}
