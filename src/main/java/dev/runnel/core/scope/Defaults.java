package dev.runnel.core.scope;

import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.port.Store.Preferences.Preference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Resolves the options of a run that the request does not set. Pure. Precedence: the request, the
/// rule of [Routes] that applies to it, the person, the channel or repository, the workspace or
/// owner, the platform, everywhere. Within one place, defaults that people set override the
/// configuration. A profile has the precedence of the place where it was set: values from nearer
/// places override the profile's, which override those from farther places.
///
/// @param configured by place (`slack:T1/C1`, `github:acme/shop`, `slack`, or [#EVERYWHERE]), then
///   by key
/// @param admins the people who may set the defaults of places, as `slack:U1`
/// @param routes rules that choose options by the content of a request
/// @param environments replace display names by ids, and a missing environment by the default one
public record Defaults(
    Map<String, Map<String, String>> configured,
    Set<String> admins,
    Routes routes,
    EnvironmentIds environments) {
  public static final Defaults NONE = new Defaults(Map.of(), Set.of());
  public static final String EVERYWHERE = "everywhere";

  public static final String PROFILE = "profile";
  public static final String ENVIRONMENT = "env";
  public static final String MODEL = "model";
  public static final String SKILL = "skill";
  public static final String FACTORY = "factory";
  public static final String PROMPT = "prompt";
  private static final String NAME = "name";
  private static final String TITLE = "title";

  public static final List<String> KEYS =
      List.of(PROFILE, ENVIRONMENT, MODEL, SKILL, FACTORY, PROMPT);

  public Defaults {
    configured = Map.copyOf(configured);
    admins = Set.copyOf(admins);
  }

  public Defaults(Map<String, Map<String, String>> configured, Set<String> admins) {
    this(configured, admins, Routes.NONE, EnvironmentIds.UNKNOWN);
  }

  /// A copy for a service with these environments.
  public Defaults withEnvironments(EnvironmentIds ids) {
    return new Defaults(configured, admins, routes, ids);
  }

  /// A value and its origin, in words for people.
  public record Chosen(String value, String from) {}

  /// @param request the request with all resolved options
  /// @param chosen by key, in the order of [#KEYS]
  /// @param unknownProfile the chosen profile, if it does not exist
  public record Resolved(
      Request request,
      Optional<String> basePrompt,
      Map<String, Chosen> chosen,
      Optional<String> unknownProfile) {}

  private record Layer(String from, Map<String, String> values) {}

  /// The key for a typed word; a key may have aliases.
  public static Optional<String> key(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "env", "environment" -> Optional.of(ENVIRONMENT);
      case "prompt", "base_prompt" -> Optional.of(PROMPT);
      case String other when KEYS.contains(other) -> Optional.of(other);
      default -> Optional.empty();
    };
  }

  /// The places whose preferences apply to a request.
  public static Set<String> places(Conversation conversation, Actor actor) {
    var places = new LinkedHashSet<>(ConversationScope.enclosing(conversation));
    places.add(ConversationScope.of(conversation, actor));
    return places;
  }

  public static String place(Level level, Conversation conversation, Actor actor) {
    return switch (level) {
      case ME -> ConversationScope.of(conversation, actor);
      case HERE -> ConversationScope.here(conversation);
      case WORKSPACE -> ConversationScope.workspace(conversation);
    };
  }

  /// Without configured admins, everybody in a place may set its defaults, but nobody may set those
  /// of the workspace.
  public boolean maySet(Level level, Conversation conversation, Actor actor) {
    var isAdmin = admins.contains(actor.idOn(conversation.surface()));
    return switch (level) {
      case ME -> true;
      case HERE -> isAdmin || admins.isEmpty();
      case WORKSPACE -> isAdmin;
    };
  }

  /// Resolves the options of a request that is about no issue.
  ///
  /// @param preferences the preferences of [#places(Conversation, Actor)]
  public Resolved resolve(
      Request request,
      Conversation conversation,
      Actor actor,
      List<Preference> preferences,
      Profiles profiles) {
    return resolve(request, conversation, actor, Snapshot.NONE, preferences, profiles);
  }

  /// @param about the issue of the request
  /// @param preferences the preferences of [#places(Conversation, Actor)]
  public Resolved resolve(
      Request request,
      Conversation conversation,
      Actor actor,
      Snapshot about,
      List<Preference> preferences,
      Profiles profiles) {
    Map<String, Chosen> all = new LinkedHashMap<>();
    var unknown = Optional.<String>empty();
    var route = routes.first(request, conversation, about);
    for (var layer : layers(request.options(), route, conversation, actor, preferences)) {
      var name = all.containsKey(PROFILE) ? null : layer.values().get(PROFILE);
      layer.values().forEach((key, value) -> all.putIfAbsent(key, new Chosen(value, layer.from())));
      if (name != null) {
        var profile = Optional.ofNullable(profiles.byName().get(name));
        profile.ifPresent(
            options ->
                values(options)
                    .forEach(
                        (key, value) ->
                            all.putIfAbsent(key, new Chosen(value, "from the profile " + name))));
        unknown = profile.isPresent() ? Optional.empty() : Optional.of(name);
      }
    }
    all.computeIfPresent(
        ENVIRONMENT, (_, it) -> new Chosen(environments.of(it.value()), it.from()));
    if (!all.containsKey(FACTORY)) {
      environments
          .byDefault()
          .ifPresent(id -> all.putIfAbsent(ENVIRONMENT, new Chosen(id, "the default environment")));
    }
    var shown = new LinkedHashMap<String, Chosen>();
    for (var key : KEYS) {
      Optional.ofNullable(all.get(key)).ifPresent(it -> shown.put(key, it));
    }
    return new Resolved(
        new Request(
            request.text(),
            new RunOptions(
                value(all, PROFILE),
                value(all, ENVIRONMENT),
                value(all, MODEL),
                value(all, SKILL),
                value(all, NAME).or(() -> value(all, PROFILE)),
                value(all, TITLE),
                value(all, FACTORY),
                request.options().plan(),
                false)),
        value(all, PROMPT),
        shown,
        unknown);
  }

  /// The request with the options that a route chooses for it, which a run keeps.
  ///
  /// @param about the issue of the request
  public Request routed(Request request, Conversation conversation, Snapshot about) {
    return routes
        .first(request, conversation, about)
        .map(chosen -> new Request(request.text(), completed(request.options(), chosen.options())))
        .orElse(request);
  }

  private static RunOptions completed(RunOptions options, Map<String, String> chosen) {
    return options.completedBy(
        new RunOptions(
            Optional.ofNullable(chosen.get(PROFILE)),
            Optional.ofNullable(chosen.get(ENVIRONMENT)),
            Optional.ofNullable(chosen.get(MODEL)),
            Optional.ofNullable(chosen.get(SKILL)),
            Optional.empty(),
            Optional.empty(),
            Optional.ofNullable(chosen.get(FACTORY))));
  }

  private List<Layer> layers(
      RunOptions options,
      Optional<Routes.Chosen> route,
      Conversation conversation,
      Actor actor,
      List<Preference> preferences) {
    var layers = new ArrayList<Layer>();
    layers.add(new Layer("set in the prompt", values(options)));
    route.ifPresent(it -> layers.add(new Layer(it.reason(), it.options())));
    var me = ConversationScope.of(conversation, actor);
    layers.add(new Layer("set for you", set(preferences, me)));
    add(layers, me, "in the configuration, for you");
    for (var place : ConversationScope.enclosing(conversation)) {
      layers.add(new Layer(wordsFor(place, conversation), set(preferences, place)));
      add(layers, place, "in the configuration, for `" + place + "`");
    }
    add(layers, EVERYWHERE, "in the configuration");
    return layers;
  }

  private void add(List<Layer> layers, String place, String from) {
    layers.add(new Layer(from, configured.getOrDefault(place, Map.of())));
  }

  private static String wordsFor(String place, Conversation conversation) {
    return place.equals(ConversationScope.here(conversation))
        ? "set here"
        : "set for the workspace";
  }

  private static Map<String, String> set(List<Preference> preferences, String place) {
    Map<String, String> values = new LinkedHashMap<>();
    preferences.stream()
        .filter(each -> each.place().equals(place))
        .forEach(each -> values.put(each.key(), each.value()));
    return values;
  }

  private static Map<String, String> values(RunOptions options) {
    Map<String, String> values = new LinkedHashMap<>();
    options.profile().ifPresent(it -> values.put(PROFILE, it));
    options.environment().ifPresent(it -> values.put(ENVIRONMENT, it));
    options.model().ifPresent(it -> values.put(MODEL, it));
    options.skill().ifPresent(it -> values.put(SKILL, it));
    options.name().ifPresent(it -> values.put(NAME, it));
    options.title().ifPresent(it -> values.put(TITLE, it));
    options.factory().ifPresent(it -> values.put(FACTORY, it));
    return values;
  }

  private static Optional<String> value(Map<String, Chosen> all, String key) {
    return Optional.ofNullable(all.get(key)).map(Chosen::value);
  }
}
