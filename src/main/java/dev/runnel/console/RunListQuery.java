package dev.runnel.console;

import dev.runnel.core.model.RunState;
import dev.runnel.core.port.RunCatalog;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The filters of the list of runs, as they stand in its address. Unknown values are left out.
///
/// Public because the templates are in another package.
///
/// @param words what to search for; empty for all
/// @param state empty for all
/// @param after where the page before ended; empty for the first page
public record RunListQuery(
    String words,
    Optional<RunState> state,
    Optional<String> source,
    Optional<String> creator,
    Optional<String> environment,
    Optional<String> model,
    Optional<String> after) {
  public static final RunListQuery ALL =
      new RunListQuery(
          "",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static final int MAX_VALUE = 500;

  /// A filter that is set, with the address of the list without it.
  public record Chip(String name, String value, String without) {}

  /// Where a parameter of a request is found.
  @FunctionalInterface
  interface Parameters {
    /// Null if it is not there.
    @Nullable String get(String name);
  }

  static RunListQuery of(Parameters parameters) {
    return new RunListQuery(
        text(parameters, "q").orElse(""),
        text(parameters, "state").flatMap(RunListQuery::state),
        text(parameters, "source"),
        text(parameters, "who"),
        text(parameters, "environment"),
        text(parameters, "model"),
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

  RunCatalog.Query query(int limit) {
    return new RunCatalog.Query(
        words,
        state.map(Set::of).orElse(Set.of()),
        source,
        creator,
        environment,
        model,
        after,
        limit);
  }

  /// Whether it lists everything, from the beginning.
  boolean isAll() {
    return equals(ALL);
  }

  /// Whether the list begins with the newest run, so that it can be kept up to date.
  public boolean isFirstPage() {
    return after.isEmpty();
  }

  public RunListQuery from(Optional<String> cursor) {
    return new RunListQuery(words, state, source, creator, environment, model, cursor);
  }

  RunListQuery in(RunState only) {
    return new RunListQuery(
        words, Optional.of(only), source, creator, environment, model, Optional.empty());
  }

  public RunListQuery by(String creatorId) {
    return new RunListQuery(
        words, state, source, Optional.of(creatorId), environment, model, Optional.empty());
  }

  public RunListQuery where(String environmentName) {
    return new RunListQuery(
        words, state, source, creator, Optional.of(environmentName), model, Optional.empty());
  }

  public RunListQuery with(String modelName) {
    return new RunListQuery(
        words, state, source, creator, environment, Optional.of(modelName), Optional.empty());
  }

  /// The filters that the form has no field for.
  public List<Chip> chips() {
    var chips = new ArrayList<Chip>();
    creator.ifPresent(
        it ->
            chips.add(
                new Chip(
                    "who",
                    it,
                    new RunListQuery(
                            words,
                            state,
                            source,
                            Optional.empty(),
                            environment,
                            model,
                            Optional.empty())
                        .path())));
    environment.ifPresent(
        it ->
            chips.add(
                new Chip(
                    "environment",
                    it,
                    new RunListQuery(
                            words,
                            state,
                            source,
                            creator,
                            Optional.empty(),
                            model,
                            Optional.empty())
                        .path())));
    model.ifPresent(
        it ->
            chips.add(
                new Chip(
                    "model",
                    it,
                    new RunListQuery(
                            words,
                            state,
                            source,
                            creator,
                            environment,
                            Optional.empty(),
                            Optional.empty())
                        .path())));
    return chips;
  }

  /// The address of the list.
  public String path() {
    return "/runs" + parameters();
  }

  /// The address of its stream.
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
    after.ifPresent(it -> all.add(parameter("after", it)));
    return all.isEmpty() ? "" : "?" + String.join("&", all);
  }

  private static String parameter(String name, String value) {
    return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
