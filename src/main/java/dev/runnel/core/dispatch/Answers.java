package dev.runnel.core.dispatch;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Intent.ListRuns.Scope;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.Sheet;
import dev.runnel.core.model.Shown;
import dev.runnel.core.model.Trace;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Checkup;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Preferences.Preference;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.Choices;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Places;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.text.Sheets;
import dev.runnel.core.text.Traces;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What Runnel answers by itself, to the person who asks: nothing here reaches an agent, but for
/// the stop of all runs of a person, which becomes a stop of each.
final class Answers {
  private static final int FIRST = 10;
  private static final int MOST = 30;
  private static final int LOOKED_AT = 1_000;
  private static final int COUNTED = 5_000;
  private static final int TRACES = 3;
  private static final int LONGEST_VALUE = 4_000;

  private final Store store;
  private final Surfaces surfaces;
  private final Choices choices;
  private final Checkup checkup;
  private final Turns turns;
  private final Screens screens;

  Answers(Store store, Surfaces surfaces, Choices choices, Checkup checkup, Turns turns) {
    this.store = store;
    this.surfaces = surfaces;
    this.choices = choices;
    this.checkup = checkup;
    this.turns = turns;
    this.screens = new Screens(store, choices, turns);
  }

  void tell(Turn turn, List<Update> updates) {
    turns.finish(turn, work -> updates.forEach(update -> turn.add(work, update)));
  }

  void answer(Turn turn, Intent intent) {
    switch (intent) {
      case Intent.ListRuns list -> tell(turn, List.of(listed(turn.delivery(), list)));
      case Intent.CancelMine _ -> turns.finish(turn, work -> stopAll(work, turn));
      case Intent.Ask(Question.Configure configure) -> configure(turn, List.of(configure));
      case Intent.Ask(Question.ConfigureAll(var changes)) -> configure(turn, changes);
      case Intent.Ask(var question) when Screens.shows(question) -> screens.show(turn, question);
      case Intent.Ask(var question) ->
          tell(turn, List.of(new Update.Answered(turn.delivery().actor(), sheet(turn, question))));
      case Intent.Start _,
          Intent.Say _,
          Intent.Cancel _,
          Intent.Status _,
          Intent.Retry _,
          Intent.Help _,
          Intent.New _,
          Intent.SayTo _,
          Intent.Link _,
          Intent.Linked _,
          Intent.Amend _,
          Intent.StopAt _,
          Intent.Unclear _ ->
          throw new IllegalArgumentException("Nothing that is answered here: " + intent);
    }
  }

  private Sheet sheet(Turn turn, Question question) {
    var delivery = turn.delivery();
    var actor = delivery.actor();
    var here = delivery.conversation();
    return switch (question) {
      case Question.Config _ ->
          Sheets.config(choices.of(Request.of(""), here, actor), changeable(delivery));
      case Question.WhoAmI _ ->
          Sheets.whoAmI(
              actor,
              here,
              choices.of(Request.of(""), here, actor),
              choices.defaults().maySet(Question.Configure.Level.WORKSPACE, here, actor));
      case Question.Explain(var request) ->
          Sheets.explain(
              request,
              choices.of(request, here, actor),
              store.read(bindings -> bindings.of(here)),
              delivery.origin().replyTo().isPresent());
      case Question.Why(var link) -> why(link, turn);
      case Question.Usage _ ->
          Sheets.usage(
              mine(here, actor, COUNTED), in(Places.here(here), here, COUNTED), turn.now());
      case Question.Doctor _ -> Sheets.doctor(checkup.findings());
      case Question.Configure _, Question.ConfigureAll _ ->
          throw new IllegalArgumentException("A change is no question");
      case Question.Home _, Question.Compose _, Question.Edit _ ->
          throw new IllegalArgumentException("A screen is no sheet");
    };
  }

  private List<Binding> in(String place, Conversation asked, int limit) {
    return store
        .<List<Binding>>read(
            bindings -> bindings.recent(Optional.of(asked.surface()), Places.prefix(place), limit))
        .stream()
        .filter(each -> Places.isIn(each.conversation(), place))
        .toList();
  }

  private List<Binding> mine(Conversation asked, Actor actor, int limit) {
    return in(asked.surface().value(), asked, limit).stream()
        .filter(each -> each.requester().id().equals(actor.id()))
        .toList();
  }

  private Update listed(Delivery delivery, Intent.ListRuns list) {
    var asked = delivery.conversation();
    var here = Places.here(asked);
    var scope = list.scope().orElse(Scope.CHANNEL);
    var all =
        switch (scope) {
          case MINE -> mine(asked, delivery.actor(), LOOKED_AT);
          case CHANNEL -> in(here, asked, LOOKED_AT);
          case ALL -> in(Places.workspace(asked), asked, LOOKED_AT);
        };
    var wanted =
        all.stream()
            .filter(each -> list.states().isEmpty() || list.states().contains(each.run().state()))
            .toList();
    // Others may have no right to read there.
    var visible =
        wanted.stream()
            .filter(
                each ->
                    Places.isIn(each.conversation(), here)
                        || each.requester().id().equals(delivery.actor().id()))
            .toList();
    var shown = visible.stream().limit(list.scope().isEmpty() ? FIRST : MOST).toList();
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

  /// Each run is stopped in the order of its own conversation, as if the person had said so there.
  private static void stopAll(Work work, Turn turn) {
    var delivery = turn.delivery();
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
    for (var waiting : work.inbox().waitingNear(delivery.conversation())) {
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
    turn.tell(
        work,
        switch (stops.size()) {
          case 0 -> "You have no runs going.";
          case 1 -> "Stopping your run. Its thread will say so.";
          default -> "Stopping your %d runs. Their threads will say so.".formatted(stops.size());
        });
  }

  private static boolean isStartOf(Actor actor, Pending<Delivery> waiting) {
    return waiting.item().addressed()
        && waiting.item().intent().words().isPresent()
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
            level -> choices.defaults().maySet(level, delivery.conversation(), delivery.actor()))
        .toList();
  }

  private void configure(Turn turn, List<Question.Configure> changes) {
    var delivery = turn.delivery();
    var defaults = choices.defaults();
    var refusal = changes.stream().flatMap(each -> refusal(delivery, each).stream()).findFirst();
    if (refusal.isPresent()) {
      turns.finish(turn, work -> turn.tell(work, refusal.get()));
      return;
    }
    turns.finish(
        turn,
        work -> {
          var unset = changes.stream().filter(each -> !isKept(work, turn, each)).toList();
          if (unset.size() == changes.size() && changes.size() == 1) {
            var change = unset.getFirst();
            turn.tell(work, "`%s` was not set %s.".formatted(change.key(), level(change)));
            return;
          }
          // A page of theirs shows it already.
          if (delivery.origin().home().isPresent()) {
            return;
          }
          var now =
              defaults.resolve(
                  Request.of(""),
                  delivery.conversation(),
                  delivery.actor(),
                  work.preferences().of(Defaults.places(delivery.conversation(), delivery.actor())),
                  choices.profiles());
          turn.add(
              work,
              new Update.Answered(delivery.actor(), Sheets.config(now, changeable(delivery))));
        });
  }

  /// @return false when what was to be taken away was not there
  private static boolean isKept(Work work, Turn turn, Question.Configure change) {
    var delivery = turn.delivery();
    var place = Defaults.place(change.level(), delivery.conversation(), delivery.actor());
    if (change.value().isEmpty()) {
      return work.preferences().unset(place, change.key());
    }
    work.preferences()
        .set(
            new Preference(
                place, change.key(), change.value().get(), delivery.actor().id(), turn.now()));
    return true;
  }

  private Optional<String> refusal(Delivery delivery, Question.Configure change) {
    var defaults = choices.defaults();
    if (!defaults.maySet(change.level(), delivery.conversation(), delivery.actor())) {
      return Optional.of(mayNot(defaults, change.level()));
    }
    var value = change.value();
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (value.get().isBlank() || value.get().length() > LONGEST_VALUE) {
      return Optional.of(
          "A value has 1 to %d characters. `config unset %s` takes it away."
              .formatted(LONGEST_VALUE, change.key()));
    }
    return change.key().equals(Defaults.PROFILE)
            && !choices.profiles().byName().containsKey(value.get())
        ? Optional.of(choices.profiles().unknown(value.get()))
        : Optional.empty();
  }

  static String mayNot(Defaults defaults, Level level) {
    return defaults.admins().isEmpty()
        ? "Nobody may set the defaults of the workspace here: that takes admins, named in the"
            + " configuration. You can set them for yourself, or with `here` for this place."
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

  private Sheet why(URI link, Turn turn) {
    var asked = turn.conversation();
    var shown = Links.shown(surfaces, link, asked);
    if (shown.isEmpty()) {
      return Traces.unknown();
    }
    var traces = traces(shown.get(), turn);
    if (traces.isEmpty()) {
      return Traces.unknown();
    }
    var first = traces.getFirst().delivery();
    var isTheirs =
        Places.isIn(shown.get().conversation(), Places.here(asked))
            || first.filter(it -> it.actor().id().equals(turn.delivery().actor().id())).isPresent();
    if (!isTheirs) {
      return Traces.elsewhere();
    }
    return Traces.sheet(
        traces, first.flatMap(this::startedBy), turn.delivery().actor(), turn.now());
  }

  /// Without the question itself, should it be asked where the link leads.
  private List<Trace> traces(Shown shown, Turn turn) {
    var limit = shown.meaning().isPresent() ? 1 : TRACES + 1;
    return store
        .<List<Trace>>commit(
            work -> work.inbox().traces(shown.conversation(), shown.meaning(), limit))
        .stream()
        .filter(
            each -> each.delivery().filter(it -> it.id().equals(turn.delivery().id())).isEmpty())
        .limit(TRACES)
        .toList();
  }

  private Optional<Binding> startedBy(Delivery delivery) {
    return in(Places.here(delivery.conversation()), delivery.conversation(), LOOKED_AT).stream()
        .filter(each -> each.run().delivery().filter(delivery.id()::equals).isPresent())
        .findFirst();
  }
}
