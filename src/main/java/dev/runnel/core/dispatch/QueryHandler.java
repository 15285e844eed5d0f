package dev.runnel.core.dispatch;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Intent.ListRuns.Scope;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Preferences.Preference;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.DefaultsResolver;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.AnswerFormatter;
import dev.runnel.core.text.DeliveryHistory;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Answers the commands that Runnel handles without an agent. The stop of all of a person's runs
/// becomes a delivery for each run.
record QueryHandler(
    Store store,
    Surfaces surfaces,
    DefaultsResolver defaultsResolver,
    AccessCheck accessCheck,
    StartControl startControl,
    StartApprovals startApprovals,
    IssueClaims issueClaims,
    HealthCheck healthCheck,
    AttemptResults results,
    ScreenBuilder screenBuilder,
    ScheduleCommands scheduleCommands) {
  private static final int DEFAULT_LISTED = 10;
  private static final int MAX_LISTED = 30;
  private static final int MAX_RUNS_SEARCHED = 1_000;
  private static final int MAX_RUNS_COUNTED = 5_000;
  private static final int MAX_TRACES = 3;
  private static final int MAX_VALUE = 4_000;

  void tell(DeliveryAttempt attempt, List<Update> updates) {
    results.complete(attempt, work -> updates.forEach(update -> attempt.add(work, update)));
  }

  void answer(DeliveryAttempt attempt, Intent.GeneralCommand command) {
    switch (command) {
      case Intent.ListRuns list -> tell(attempt, List.of(listed(attempt.delivery(), list)));
      case Intent.CancelMine _ -> results.complete(attempt, work -> stopAll(work, attempt));
      case Intent.Ask(Question.Configure configure) -> configure(attempt, List.of(configure));
      case Intent.Ask(Question.ConfigureAll(var changes)) -> configure(attempt, changes);
      case Intent.Ask(Question.Decide decision) -> startApprovals.decide(attempt, decision);
      case Intent.Ask(Question.Join choice) -> issueClaims.choose(attempt, choice);
      case Intent.Ask(Question.Schedule schedule) -> scheduleCommands.create(attempt, schedule);
      case Intent.Ask(Question.Schedules _) -> scheduleCommands.list(attempt);
      case Intent.Ask(Question.ChangeSchedule change) -> scheduleCommands.change(attempt, change);
      case Intent.Ask(Question.Listen listen) ->
          results.complete(attempt, work -> ListeningPolicy.set(work, attempt, listen));
      case Intent.Ask(Question.Freeze freeze) ->
          startControl.freeze(
              attempt,
              freeze,
              defaultsResolver
                  .defaults()
                  .maySet(Level.WORKSPACE, attempt.conversation(), attempt.delivery().actor()));
      case Intent.Ask(var question) when ScreenBuilder.shows(question) ->
          screenBuilder.show(attempt, question);
      case Intent.Ask(var question) ->
          tell(
              attempt,
              List.of(new Update.Answered(attempt.delivery().actor(), card(attempt, question))));
    }
  }

  private InfoCard card(DeliveryAttempt attempt, Question question) {
    var delivery = attempt.delivery();
    var actor = delivery.actor();
    var here = delivery.conversation();
    return switch (question) {
      case Question.Config _ ->
          AnswerFormatter.config(
              defaultsResolver.of(Request.of(""), here, actor),
              changeable(delivery),
              ConversationScope.word(here));
      case Question.WhoAmI _ ->
          AnswerFormatter.whoAmI(
              actor,
              here,
              defaultsResolver.of(Request.of(""), here, actor),
              defaultsResolver.defaults().maySet(Question.Configure.Level.WORKSPACE, here, actor),
              accessCheck.permissions(delivery));
      case Question.Explain(var request) ->
          explained(
              request, defaultsResolver.of(request, here, actor, delivery.snapshot()), attempt);
      case Question.Why(var link) -> why(link, attempt);
      case Question.Usage _ ->
          AnswerFormatter.usage(
              runsOf(here, actor, MAX_RUNS_COUNTED),
              in(ConversationScope.here(here), here, MAX_RUNS_COUNTED),
              ConversationScope.word(here),
              startControl.budgets(delivery, attempt.now()),
              attempt.now());
      case Question.Doctor _ -> AnswerFormatter.doctor(healthCheck.findings());
      case Question.Configure _,
          Question.ConfigureAll _,
          Question.Decide _,
          Question.Listen _,
          Question.Join _,
          Question.Schedule _,
          Question.Schedules _,
          Question.ChangeSchedule _,
          Question.Freeze _ ->
          throw new IllegalArgumentException("Not answered by a card: " + question);
      case Question.Home _, Question.Compose _, Question.Edit _ ->
          throw new IllegalArgumentException("Not answered by a card: " + question);
    };
  }

  private InfoCard explained(Request request, Defaults.Resolved resolved, DeliveryAttempt attempt) {
    var delivery = attempt.delivery();
    var problems =
        Stream.concat(
                resolved.unknownProfile().map(defaultsResolver.profiles()::unknown).stream(),
                resolved
                    .request()
                    .options()
                    .environment()
                    .flatMap(defaultsResolver.defaults().environments()::problem)
                    .stream())
            .toList();
    return AnswerFormatter.explain(
        request,
        resolved,
        store.read(bindings -> bindings.of(delivery.conversation())),
        delivery.origin().replyTo().isPresent(),
        accessCheck.preview(delivery, request),
        problems);
  }

  private List<Binding> in(String place, Conversation asked, int limit) {
    return store
        .<List<Binding>>read(
            bindings ->
                bindings.recent(
                    Optional.of(asked.surface()), ConversationScope.prefix(place), limit))
        .stream()
        .filter(each -> ConversationScope.isIn(each.conversation(), place))
        .toList();
  }

  private List<Binding> runsOf(Conversation asked, Actor actor, int limit) {
    return in(asked.surface().value(), asked, limit).stream()
        .filter(each -> each.requester().id().equals(actor.id()))
        .toList();
  }

  private Update listed(Delivery delivery, Intent.ListRuns list) {
    var asked = delivery.conversation();
    var here = ConversationScope.here(asked);
    var scope = list.scope().orElse(Scope.CHANNEL);
    var all =
        switch (scope) {
          case MINE -> runsOf(asked, delivery.actor(), MAX_RUNS_SEARCHED);
          case CHANNEL -> in(here, asked, MAX_RUNS_SEARCHED);
          case ALL -> in(ConversationScope.workspace(asked), asked, MAX_RUNS_SEARCHED);
        };
    var wanted =
        all.stream()
            .filter(each -> list.states().isEmpty() || list.states().contains(each.run().state()))
            .toList();
    // The person may not be allowed to read other people's runs in other places.
    var visible =
        wanted.stream()
            .filter(
                each ->
                    ConversationScope.isIn(each.conversation(), here)
                        || each.requester().id().equals(delivery.actor().id()))
            .toList();
    var shown =
        visible.stream().limit(list.scope().isEmpty() ? DEFAULT_LISTED : MAX_LISTED).toList();
    return new Update.Listed(
        delivery.actor(),
        shown,
        Optional.of(
            new Update.Listing(
                here,
                list.scope().isPresent() || !list.states().isEmpty(),
                visible.size() - shown.size(),
                list.scope().isEmpty() ? "list all" : "list " + scope(scope) + " active",
                wanted.size() - visible.size())));
  }

  private static String scope(Scope scope) {
    return scope.name().toLowerCase(Locale.ROOT);
  }

  /// Stops each run in the order of its own conversation, as if the person had asked there.
  private static void stopAll(Work work, DeliveryAttempt attempt) {
    var delivery = attempt.delivery();
    var stops = new ArrayList<Delivery>();
    var conversations = new LinkedHashSet<Conversation>();
    for (var binding : work.bindings().active()) {
      if (binding.conversation().surface().equals(delivery.conversation().surface())
          && binding.requester().id().equals(delivery.actor().id())) {
        conversations.add(binding.conversation());
        stops.add(
            stop(
                delivery,
                stops.size(),
                binding.conversation(),
                new Intent.Cancel(Optional.of(binding.run().id()), Optional.empty())));
      }
    }
    for (var waiting : work.inbox().waitingInPlace(delivery.conversation())) {
      if (isStartOf(delivery.actor(), waiting)
          && conversations.add(waiting.item().conversation())) {
        stops.add(
            stop(
                delivery,
                stops.size(),
                waiting.item().conversation(),
                new Intent.Cancel(Optional.empty(), Optional.empty())));
      }
    }
    stops.forEach(work.inbox()::offer);
    attempt.respond(
        work,
        switch (stops.size()) {
          case 0 -> "You have no active runs.";
          case 1 -> "Stopping your run. Its thread will confirm it.";
          default ->
              "Stopping your %d runs. Their threads will confirm it.".formatted(stops.size());
        });
  }

  private static boolean isStartOf(Actor actor, Pending<Delivery> waiting) {
    return waiting.item().addressed()
        && waiting.item().intent().agentRequest().isPresent()
        && waiting.item().actor().id().equals(actor.id());
  }

  private static Delivery stop(Delivery all, int number, Conversation conversation, Intent intent) {
    return new Delivery(
        new DeliveryId(all.id() + ":" + number),
        all.meaning() + ":" + number,
        conversation,
        all.actor(),
        intent,
        true,
        new Origin(all.origin().link(), Optional.empty(), Optional.empty(), false),
        all.arrivedAt());
  }

  private List<Level> changeable(Delivery delivery) {
    return Arrays.stream(Level.values())
        .filter(
            level ->
                defaultsResolver
                    .defaults()
                    .maySet(level, delivery.conversation(), delivery.actor()))
        .toList();
  }

  private void configure(DeliveryAttempt attempt, List<Question.Configure> changes) {
    var delivery = attempt.delivery();
    var defaults = defaultsResolver.defaults();
    var refusal = changes.stream().flatMap(each -> refusal(delivery, each).stream()).findFirst();
    if (refusal.isPresent()) {
      results.complete(
          attempt.refused(refusal.get()),
          work ->
              attempt.respond(
                  work,
                  new InfoCard(
                      "Nothing was set",
                      List.of(InfoCard.Row.sentence(refusal.get())),
                      List.of(new InfoCard.Next("All defaults", "config")))));
      return;
    }
    results.complete(
        attempt,
        work -> {
          var unset = changes.stream().filter(each -> !isKept(work, attempt, each)).toList();
          if (unset.size() == changes.size() && changes.size() == 1) {
            var change = unset.getFirst();
            attempt.respond(work, "`%s` was not set %s.".formatted(change.key(), level(change)));
            return;
          }
          changes.stream()
              .filter(each -> each.level() != Level.ME)
              .forEach(each -> attempt.respondToAll(work, announcement(delivery.actor(), each)));
          // The person's home page shows it already.
          if (delivery.origin().home().isPresent()) {
            return;
          }
          var now =
              defaults.resolve(
                  Request.of(""),
                  delivery.conversation(),
                  delivery.actor(),
                  work.preferences().of(Defaults.places(delivery.conversation(), delivery.actor())),
                  defaultsResolver.profiles());
          attempt.add(
              work,
              new Update.Answered(
                  delivery.actor(),
                  AnswerFormatter.config(
                      now, changeable(delivery), ConversationScope.word(delivery.conversation()))));
        });
  }

  /// A default of a place concerns everybody there.
  private static String announcement(Actor by, Question.Configure change) {
    return "%s %s the default `%s` %s%s."
        .formatted(
            by.name(),
            change.value().isPresent() ? "set" : "removed",
            change.key(),
            level(change),
            change
                .value()
                .map(it -> ": `%s`".formatted(AnswerFormatter.cut(AnswerFormatter.line(it), 200)))
                .orElse(""));
  }

  /// @return false if the default to unset was not set
  private static boolean isKept(Work work, DeliveryAttempt attempt, Question.Configure change) {
    var delivery = attempt.delivery();
    var place = Defaults.place(change.level(), delivery.conversation(), delivery.actor());
    if (change.value().isEmpty()) {
      return work.preferences().unset(place, change.key());
    }
    work.preferences()
        .set(
            new Preference(
                place, change.key(), change.value().get(), delivery.actor().id(), attempt.now()));
    return true;
  }

  private Optional<String> refusal(Delivery delivery, Question.Configure change) {
    var defaults = defaultsResolver.defaults();
    if (!defaults.maySet(change.level(), delivery.conversation(), delivery.actor())) {
      return Optional.of(mayNot(defaults, change.level(), delivery.conversation()));
    }
    var value = change.value();
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (value.get().isBlank() || value.get().length() > MAX_VALUE) {
      return Optional.of("A value has 1 to %d characters.".formatted(MAX_VALUE));
    }
    return change.key().equals(Defaults.PROFILE)
            && !defaultsResolver.profiles().byName().containsKey(value.get())
        ? Optional.of(defaultsResolver.profiles().unknown(value.get()))
        : Optional.empty();
  }

  static String mayNot(Defaults defaults, Level level, Conversation where) {
    return defaults.admins().isEmpty()
        ? "Workspace defaults need an admin, and none is configured (`admins`). You can set them"
            + " for yourself, or with `here` for this %s.".formatted(ConversationScope.word(where))
        : "Only admins may set that %s. You can set it for yourself.".formatted(level(level));
  }

  private static String level(Question.Configure change) {
    return level(change.level());
  }

  private static String level(Level level) {
    return switch (level) {
      case ME -> "for you";
      case HERE -> "for this place";
      case WORKSPACE -> "for the workspace";
    };
  }

  private InfoCard why(URI link, DeliveryAttempt attempt) {
    var asked = attempt.conversation();
    var shown = LinkResolver.target(surfaces, link, asked);
    if (shown.isEmpty()) {
      return DeliveryHistory.unknown();
    }
    var traces = traces(shown.get(), attempt);
    if (traces.isEmpty()) {
      return DeliveryHistory.unknown();
    }
    var first = traces.getFirst().delivery();
    var isTheirs =
        ConversationScope.isIn(shown.get().conversation(), ConversationScope.here(asked))
            || first
                .filter(it -> it.actor().id().equals(attempt.delivery().actor().id()))
                .isPresent();
    if (!isTheirs) {
      return DeliveryHistory.elsewhere();
    }
    return DeliveryHistory.card(
        traces, first.flatMap(this::startedBy), attempt.delivery().actor(), attempt.now());
  }

  /// Excludes the command `why` itself, in case it was sent in the linked conversation.
  private List<DeliveryTrace> traces(LinkTarget linkTarget, DeliveryAttempt attempt) {
    var limit = linkTarget.meaning().isPresent() ? 1 : MAX_TRACES + 1;
    return store
        .<List<DeliveryTrace>>commit(
            work -> work.inbox().traces(linkTarget.conversation(), linkTarget.meaning(), limit))
        .stream()
        .filter(
            each -> each.delivery().filter(it -> it.id().equals(attempt.delivery().id())).isEmpty())
        .limit(MAX_TRACES)
        .toList();
  }

  private Optional<Binding> startedBy(Delivery delivery) {
    return in(
            ConversationScope.here(delivery.conversation()),
            delivery.conversation(),
            MAX_RUNS_SEARCHED)
        .stream()
        .filter(each -> each.run().delivery().filter(delivery.id()::equals).isPresent())
        .findFirst();
  }
}
