package dev.runnel.console.view;

import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunCatalog;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The filters of the list of runs, from its URL. Unknown values are ignored.
///
/// Public because the templates are in another package.
///
/// @param words what to search for; empty for all
/// @param state empty for all
/// @param place a channel, a repository, a thread or an issue; the platform may be left out:
///   `slack:T1/C1`, `acme/shop`, `github:acme/shop#12`
/// @param after where the page before ended; empty for the first page
public record RunListQuery(
    String words,
    Optional<RunState> state,
    Optional<String> source,
    Optional<String> creator,
    Optional<String> environment,
    Optional<String> model,
    Optional<String> place,
    Optional<String> after) {
  public static final RunListQuery ALL =
      new RunListQuery(
          "",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static final Pattern THREAD =
      Pattern.compile("^(?:.*[^/][#!][^/]*|.*/\\d{10,}\\.\\d{6}|([^/]*:)?[A-Z][A-Z0-9_]*-\\d+)");
  private static final int MAX_VALUE = 500;

  /// A filter that is set, with the address of the list without it.
  public record Chip(String name, String value, String without) {}

  /// Provides the parameters of a request.
  @FunctionalInterface
  public interface Parameters {
    /// Null if it is not there.
    @Nullable String get(String name);
  }

  public static RunListQuery of(Parameters parameters) {
    return new RunListQuery(
        text(parameters, "q").orElse(""),
        text(parameters, "state").flatMap(RunListQuery::state),
        text(parameters, "source"),
        text(parameters, "who"),
        text(parameters, "environment"),
        text(parameters, "model"),
        text(parameters, "place"),
        text(parameters, "after"));
  }

  private static Optional<String> text(Parameters parameters, String name) {
    return Optional.ofNullable(parameters.get(name))
        .map(String::strip)
        .filter(it -> !it.isEmpty() && it.length() <= MAX_VALUE);
  }

  private static Optional<RunState> state(String word) {
    return List.of(RunState.values()).stream()
        .filter(it -> it.name().toLowerCase(Locale.ROOT).equals(word))
        .findFirst();
  }

  /// @param surfaces the ids of platforms, on all of which a place without one is looked for
  RunCatalog.Query query(List<String> surfaces, int limit) {
    var isThread = place.filter(RunListQuery::isThread).isPresent();
    var wanted =
        place
            .map(
                it ->
                    it.indexOf(':') > 0
                        ? Set.of(it)
                        : surfaces.stream()
                            .map(surface -> surface + ":" + it)
                            .collect(Collectors.toSet()))
            .orElse(Set.of());
    return new RunCatalog.Query(
        words,
        state.map(Set::of).orElse(Set.of()),
        source,
        creator,
        environment,
        model,
        isThread ? Set.of() : wanted,
        isThread ? wanted : Set.of(),
        after,
        limit);
  }

  /// Whether the place is a thread or an issue: `acme/shop#12`, `T1/C1/1700000000.000100`.
  private static boolean isThread(String place) {
    return THREAD.matcher(place).matches();
  }

  /// Whether the list begins with the newest run, so that it can be kept up to date.
  public boolean isFirstPage() {
    return after.isEmpty();
  }

  public RunListQuery from(Optional<String> cursor) {
    return new RunListQuery(words, state, source, creator, environment, model, place, cursor);
  }

  RunListQuery in(RunState only) {
    return new RunListQuery(
        words, Optional.of(only), source, creator, environment, model, place, Optional.empty());
  }

  /// The list with another value of a filter, from the beginning.
  private RunListQuery with(String filter, Optional<String> value) {
    return new RunListQuery(
        words,
        state,
        source,
        filter.equals("who") ? value : creator,
        filter.equals("environment") ? value : environment,
        filter.equals("model") ? value : model,
        filter.equals("place") ? value : place,
        Optional.empty());
  }

  public RunListQuery by(String creatorId) {
    return with("who", Optional.of(creatorId));
  }

  public RunListQuery where(String environmentName) {
    return with("environment", Optional.of(environmentName));
  }

  public RunListQuery with(String modelName) {
    return with("model", Optional.of(modelName));
  }

  public RunListQuery at(String other) {
    return with("place", Optional.of(other));
  }

  /// The filters that the form has no field for.
  public List<Chip> chips() {
    var chips = new ArrayList<Chip>();
    chip("who", creator, chips);
    chip("environment", environment, chips);
    chip("model", model, chips);
    return chips;
  }

  private void chip(String filter, Optional<String> value, List<Chip> chips) {
    value.ifPresent(it -> chips.add(new Chip(filter, it, with(filter, Optional.empty()).path())));
  }

  public String path() {
    return "/runs" + parameters();
  }

  public String live() {
    return "/live/runs" + parameters();
  }

  private String parameters() {
    var all = new ArrayList<String>();
    if (!words.isEmpty()) {
      all.add(parameter("q", words));
    }
    state.ifPresent(it -> all.add(parameter("state", it.name().toLowerCase(Locale.ROOT))));
    source.ifPresent(it -> all.add(parameter("source", it)));
    creator.ifPresent(it -> all.add(parameter("who", it)));
    environment.ifPresent(it -> all.add(parameter("environment", it)));
    model.ifPresent(it -> all.add(parameter("model", it)));
    place.ifPresent(it -> all.add(parameter("place", it)));
    after.ifPresent(it -> all.add(parameter("after", it)));
    return all.isEmpty() ? "" : "?" + String.join("&", all);
  }

  private static String parameter(String name, String value) {
    return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
