package dev.runnel.console.detail;

import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunCatalog.Details;
import dev.runnel.core.port.RunCatalog.Entry;
import dev.runnel.core.port.RunCatalog.Execution;
import dev.runnel.core.text.RunTexts;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The facts about a run: its executions, child runs and files, and the decisions about its
/// messages.
///
/// Public because the templates are in another package.
///
/// @param run the id
/// @param details empty if the run service does not provide them now
public record RunFacts(
    RunId run, Optional<Details> details, List<Decision> decisions, Instant now) {
  public RunFacts {
    decisions = List.copyOf(decisions);
  }

  /// A fact with a time, which the page shows in the visitor's zone.
  ///
  /// @param at in ISO 8601
  public record Moment(String name, String at) {}

  /// @param took empty while it is running
  /// @param waited empty if unknown
  public record ExecutionView(
      long number, String state, String word, String startedAt, String waited, String took) {}

  public record ChildView(String path, String title, String state, String word) {}

  /// @param size for people; empty if unknown
  public record FileView(String path, String name, boolean isImage, String size) {}

  public String id() {
    return run.value();
  }

  /// The page of the run's files and lines.
  private String path() {
    return path(run);
  }

  /// The page of a run.
  public static String path(RunId run) {
    return "/runs/" + URLEncoder.encode(run.value(), StandardCharsets.UTF_8);
  }

  public List<Moment> moments() {
    var all = new ArrayList<Moment>();
    details.flatMap(it -> it.entry().createdAt()).ifPresent(it -> add("Asked", it, all));
    details.flatMap(Details::startedAt).ifPresent(it -> add("Started", it, all));
    details.flatMap(Details::finishedAt).ifPresent(it -> add("Ended", it, all));
    return all;
  }

  private static void add(String name, Instant at, List<Moment> to) {
    to.add(new Moment(name, at.toString()));
  }

  public String agent() {
    return details.map(it -> it.entry().agent()).orElse("");
  }

  public String environment() {
    return details.flatMap(it -> it.entry().run().environmentName()).orElse("");
  }

  public String model() {
    return details.flatMap(it -> it.entry().run().model()).orElse("");
  }

  public String creator() {
    return details.map(it -> it.entry().creator()).orElse("");
  }

  /// The path of the list of the environment's runs.
  public String listOf(String filter, String value) {
    return "/runs?" + filter + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  /// The path of the run that started it; empty if none did.
  public String parent() {
    return details.flatMap(Details::parent).map(RunFacts::path).orElse("");
  }

  public List<ExecutionView> executions() {
    var asked = details.flatMap(it -> it.entry().createdAt());
    return details.map(Details::executions).orElse(List.of()).stream()
        .map(it -> view(it, it.number() == 1 ? asked : Optional.empty()))
        .toList();
  }

  private ExecutionView view(Execution execution, Optional<Instant> asked) {
    var start = execution.startedAt().or(execution::claimedAt);
    var state = execution.end().orElse(RunState.RUNNING);
    return new ExecutionView(
        execution.number(),
        state.name().toLowerCase(Locale.ROOT),
        word(state),
        start.map(Instant::toString).orElse(""),
        asked.flatMap(it -> execution.claimedAt().map(to -> between(it, to))).orElse(""),
        start.flatMap(it -> execution.endedAt().map(to -> between(it, to))).orElse(""));
  }

  private static String between(Instant from, Instant to) {
    var time = Duration.between(from, to);
    return RunTexts.elapsed(time.isNegative() ? Duration.ZERO : time);
  }

  public List<ChildView> children() {
    return details.map(Details::children).orElse(List.of()).stream()
        .map(Entry::run)
        .map(
            it ->
                new ChildView(
                    path(it.id()),
                    it.title().isBlank() ? "Untitled run" : it.title(),
                    it.state().name().toLowerCase(Locale.ROOT),
                    word(it.state())))
        .toList();
  }

  public List<FileView> files() {
    return details.map(Details::files).orElse(List.of()).stream()
        .map(
            it ->
                new FileView(
                    path() + "/files/" + URLEncoder.encode(it.id(), StandardCharsets.UTF_8),
                    it.name(),
                    it.isImage(),
                    size(it.bytes())))
        .toList();
  }

  private static String size(long bytes) {
    if (bytes < 0) {
      return "";
    }
    return bytes < 10_000
        ? bytes + " bytes"
        : bytes < 10_000_000 ? bytes / 1000 + " kB" : bytes / 1_000_000 + " MB";
  }

  private static String word(RunState state) {
    return switch (state) {
      case QUEUED -> "queued";
      case RUNNING -> "running";
      case BLOCKED -> "waiting for you";
      case SUCCEEDED -> "finished";
      case FAILED -> "failed";
      case CANCELLED -> "stopped";
      case UNKNOWN -> "unknown";
    };
  }
}
