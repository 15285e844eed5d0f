package dev.runnel.core.dispatch;

import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Screen.Field;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Preferences.Preference;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.DefaultsResolver;
import dev.runnel.core.text.AnswerFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Builds a person's home page and the forms, for surfaces that show them. Nothing here reaches an
/// agent.
///
/// @param environments the environments to choose from; empty if people may name any
record ScreenBuilder(
    Store store,
    DefaultsResolver defaultsResolver,
    List<String> environments,
    AttemptResults results) {
  private static final int MAX_RUNS_SEARCHED = 1_000;
  private static final int MAX_UNFINISHED = 12;
  private static final int MAX_RECENT = 8;
  private static final List<String> FORM_FIELDS =
      List.of(Defaults.PROFILE, Defaults.ENVIRONMENT, Defaults.MODEL, Defaults.SKILL);

  static boolean shows(Question question) {
    return question instanceof Question.Home
        || question instanceof Question.Compose
        || question instanceof Question.Edit;
  }

  void show(DeliveryAttempt attempt, Question question) {
    var delivery = attempt.delivery();
    if (question instanceof Question.Edit(var level) && !maySet(level, delivery)) {
      var refusal =
          QueryHandler.mayNot(defaultsResolver.defaults(), level, delivery.conversation());
      results.complete(attempt, work -> attempt.respond(work, refusal));
      return;
    }
    var screen =
        switch (question) {
          case Question.Home _ -> home(attempt);
          case Question.Compose(var thread, var about, var answers) ->
              ask(delivery, thread, about, answers);
          case Question.Edit(var level) -> preferences(delivery, level);
          case Question.Config _,
              Question.Configure _,
              Question.ConfigureAll _,
              Question.Explain _,
              Question.Why _,
              Question.Usage _,
              Question.WhoAmI _,
              Question.Doctor _,
              Question.Decide _,
              Question.Listen _,
              Question.Join _,
              Question.Schedule _,
              Question.Schedules _,
              Question.ChangeSchedule _,
              Question.Freeze _ ->
              throw new IllegalArgumentException("Not answered by a screen: " + question);
        };
    results.complete(
        attempt, work -> attempt.add(work, new Update.Screened(delivery.actor(), screen)));
  }

  /// Refreshes the home page on which the delivery was requested, now that it is finished.
  static void refreshHome(Work work, DeliveryAttempt attempt) {
    var done = attempt.delivery();
    done.origin()
        .home()
        .ifPresent(
            home ->
                work.inbox()
                    .offer(
                        new Delivery(
                            new DeliveryId(done.id() + ":home"),
                            done.meaning() + ":home",
                            home,
                            done.actor(),
                            new Intent.Ask(new Question.Home()),
                            true,
                            Origin.NONE,
                            attempt.now())));
  }

  private boolean maySet(Level level, Delivery delivery) {
    return defaultsResolver.defaults().maySet(level, delivery.conversation(), delivery.actor());
  }

  private Screen ask(
      Delivery delivery,
      Optional<Conversation> thread,
      String about,
      Optional<AskedQuestion> answers) {
    var run = answers.map(AskedQuestion::run).or(() -> thread.flatMap(this::run));
    var resolved =
        defaultsResolver.of(
            Request.of(""), thread.orElseGet(delivery::conversation), delivery.actor());
    return new Screen.Ask(
        thread,
        run,
        about,
        run.isPresent()
            ? List.of()
            : FORM_FIELDS.stream()
                .map(
                    key ->
                        field(
                            key,
                            resolved,
                            chosen(key, resolved).map(Defaults.Chosen::value),
                            key.equals(Defaults.ENVIRONMENT) ? environments : choices(key)))
                .toList(),
        answers);
  }

  private Optional<RunId> run(Conversation thread) {
    return store.<Optional<RunId>>read(
        bindings -> bindings.of(thread).map(binding -> binding.run().id()));
  }

  private Screen preferences(Delivery delivery, Level level) {
    var where = delivery.conversation();
    var place = Defaults.place(level, where, delivery.actor());
    Map<String, String> set = new LinkedHashMap<>();
    store.preferences(Defaults.places(where, delivery.actor())).stream()
        .filter(each -> each.place().equals(place))
        .forEach((Preference each) -> set.put(each.key(), each.value()));
    var resolved = defaultsResolver.of(Request.of(""), where, delivery.actor());
    return new Screen.Preferences(
        level,
        Defaults.KEYS.stream()
            .map(key -> field(key, resolved, Optional.ofNullable(set.get(key)), choices(key)))
            .toList());
  }

  /// The values of a default. An environment is a text input, because a selection from a list
  /// cannot be cleared.
  private List<String> choices(String key) {
    return key.equals(Defaults.PROFILE)
        ? List.copyOf(new TreeSet<>(defaultsResolver.profiles().byName().keySet()))
        : List.of();
  }

  private static Field field(
      String key, Defaults.Resolved resolved, Optional<String> value, List<String> choices) {
    var inForce = chosen(key, resolved);
    return new Field(
        key,
        // The form's label omits the key in parentheses, which is for commands.
        AnswerFormatter.name(key).replaceFirst(" \\(.*", ""),
        value,
        inForce.map(Defaults.Chosen::value),
        inForce.map(Defaults.Chosen::from).orElse(""),
        choices);
  }

  private static Optional<Defaults.Chosen> chosen(String key, Defaults.Resolved resolved) {
    return Optional.ofNullable(resolved.chosen().get(key));
  }

  /// The home page belongs to the person: defaults of a place do not apply there.
  private Screen home(DeliveryAttempt attempt) {
    var delivery = attempt.delivery();
    var where = delivery.conversation();
    var runsOfSender = runsOfSender(delivery);
    var blocked = runsOfSender.stream().filter(each -> each.isActive() && isBlocked(each)).toList();
    var running =
        runsOfSender.stream().filter(each -> each.isActive() && !isBlocked(each)).toList();
    var ended = runsOfSender.stream().filter(each -> !each.isActive()).toList();
    var resolved = defaultsResolver.of(Request.of(""), where, delivery.actor());
    var changeable = new ArrayList<>(List.of(Level.ME));
    if (maySet(Level.WORKSPACE, delivery)) {
      changeable.add(Level.WORKSPACE);
    }
    return new Screen.Home(
        first(blocked, MAX_UNFINISHED),
        first(running, MAX_UNFINISHED),
        first(ended, MAX_RECENT),
        omitted(blocked, MAX_UNFINISHED)
            + omitted(running, MAX_UNFINISHED)
            + omitted(ended, MAX_RECENT),
        fields(resolved.chosen().keySet(), resolved),
        changeable,
        attempt.now());
  }

  private static List<Binding> first(List<Binding> bindings, int max) {
    return bindings.stream().limit(max).toList();
  }

  private static int omitted(List<Binding> bindings, int max) {
    return Math.max(0, bindings.size() - max);
  }

  private List<Field> fields(Collection<String> keys, Defaults.Resolved resolved) {
    return keys.stream().map(key -> field(key, resolved, Optional.empty(), List.of())).toList();
  }

  private static boolean isBlocked(Binding binding) {
    return binding.run().state().needsPerson() && !binding.reopened();
  }

  /// The person's runs anywhere in the page's workspace.
  private List<Binding> runsOfSender(Delivery delivery) {
    var workspace = ConversationScope.workspace(delivery.conversation());
    return store
        .<List<Binding>>read(
            bindings ->
                bindings.recent(
                    Optional.of(delivery.conversation().surface()),
                    ConversationScope.prefix(workspace),
                    MAX_RUNS_SEARCHED))
        .stream()
        .filter(each -> ConversationScope.isIn(each.conversation(), workspace))
        .filter(each -> each.requester().id().equals(delivery.actor().id()))
        .toList();
  }
}
