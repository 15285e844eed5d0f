package dev.runnel.core.text;

import dev.runnel.core.command.CommandParser;
import dev.runnel.core.command.Verb;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.InfoCard.Next;
import dev.runnel.core.model.InfoCard.Row;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Verdict;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.scope.Defaults;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Builds the answers that are shown in rows. Pure.
public final class AnswerFormatter {
  public static final Next RUNS_HERE = new Next("Runs here", "list");

  private static final int MAX_EXCERPT = 300;
  private static final int MAX_PROMPT = 600;
  private static final int MAX_VALUE = 200;
  private static final int MAX_COMMAND = 150;
  private static final int MAX_TITLE = 80;
  private static final int MAX_STOPPABLE = 5;
  private static final Pattern COST = Pattern.compile("\\$(\\d+\\.\\d\\d)");

  private AnswerFormatter() {}

  public static InfoCard verb(Verb verb) {
    return new InfoCard(
        verb.usage(),
        List.of(Row.sentence(verb.meaning()), Row.of("Who", verb.who())),
        List.of(new Next("For example", verb.example())));
  }

  /// Explains that no run was started for an ambiguous text, and how to start one with it.
  ///
  /// @param active the person's active runs in the place, which the text may be about
  public static InfoCard noRun(String why, String words, List<Binding> active) {
    return new InfoCard(
            "No run was started",
            List.of(Row.sentence(why)),
            List.of(
                new Next("To start a run with these words", "run: " + CommandParser.code(words))))
        .withWork(Optional.of(words))
        .withStoppable(stoppable(active));
  }

  /// Tells the sender that a reply is queued until the agent has finished its step. The reply is at
  /// the run service already, so the interrupting command only needs to refer to it.
  public static InfoCard queued() {
    return InfoCard.sentence("The agent gets it when it has finished its current step.")
        .withOffers(
            List.of(
                new InfoCard.Choice(
                    "Interrupt and send",
                    "interrupt: Read the messages that are queued for you.")));
  }

  /// Tells the sender of a text that begins like a stop that it went to the agent.
  public static InfoCard passedOn(Binding binding) {
    return InfoCard.sentence("I passed this on. To stop the run:")
        .withStoppable(stoppable(List.of(binding)));
  }

  private static List<InfoCard.Stoppable> stoppable(List<Binding> active) {
    return active.stream()
        .limit(MAX_STOPPABLE)
        .map(
            each ->
                new InfoCard.Stoppable(
                    each.run().id(),
                    RunTexts.emoji(each.run().state()) + " " + RunTexts.name(each.run()),
                    cut(
                        line(
                            each.run().title().isBlank()
                                ? each.request().text()
                                : each.run().title()),
                        MAX_TITLE)))
        .toList();
  }

  public static String line(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  /// @param place what the defaults of a place apply to: `channel`
  public static InfoCard config(Defaults.Resolved resolved, List<Level> changeable, String place) {
    var rows = new ArrayList<Row>();
    for (var key : Defaults.KEYS) {
      rows.add(row(key, Optional.ofNullable(resolved.chosen().get(key))));
    }
    return new InfoCard(
            "Defaults for your runs here",
            rows,
            List.of(
                new Next("Set for yourself", "config set model opus"),
                new Next("Set for this " + place, "config set model opus here"),
                new Next("Remove", "config unset model")))
        .withChangeable(changeable);
  }

  private static Row row(String key, Optional<Defaults.Chosen> chosen) {
    return chosen
        .map(it -> Row.of(name(key), cut(it.value(), MAX_VALUE), it.from()))
        .orElseGet(() -> Row.of(name(key), "not set"));
  }

  private static List<Row> chosen(Defaults.Resolved resolved) {
    return resolved.chosen().entrySet().stream()
        .map(each -> row(each.getKey(), Optional.of(each.getValue())))
        .toList();
  }

  public static String name(String key) {
    return switch (key) {
      case Defaults.ENVIRONMENT -> "Environment (env)";
      case Defaults.PROMPT -> "Base prompt (prompt)";
      default -> key.substring(0, 1).toUpperCase(Locale.ROOT) + key.substring(1);
    };
  }

  /// @param permissions the person's permissions here; empty if there is no policy
  public static InfoCard whoAmI(
      Actor actor,
      Conversation where,
      Defaults.Resolved resolved,
      boolean admin,
      Optional<Set<Permission>> permissions) {
    var rows = new ArrayList<Row>();
    rows.add(Row.of("Name", actor.name()));
    rows.add(Row.of("Id", "`" + actor.idOn(where.surface()) + "`", admin ? "an admin" : ""));
    permissions.ifPresent(it -> rows.add(Row.of("You may", permitted(it))));
    rows.addAll(chosen(resolved));
    return new InfoCard("You", rows, List.of(new Next("All defaults", "config")));
  }

  /// The beginning of a request, on one line.
  public static String excerpt(String text) {
    return cut(line(text), MAX_EXCERPT);
  }

  private static String permitted(Set<Permission> permissions) {
    return permissions.isEmpty()
        ? "nothing"
        : permissions.stream().sorted().map(Permission::words).collect(Collectors.joining(", "));
  }

  /// @param request the request with its own options only
  /// @param own the run that the request would go to
  /// @param verdict the policy's decision about a start; empty if there is no policy
  /// @param problems why it could not be started as it is, in sentences
  public static InfoCard explain(
      Request request,
      Defaults.Resolved resolved,
      Optional<Binding> own,
      boolean fromPlace,
      Optional<Verdict> verdict,
      List<String> problems) {
    var rows = new ArrayList<Row>();
    problems.forEach(problem -> rows.add(Row.of("Problem", problem)));
    if (!request.text().isBlank()) {
      rows.add(Row.of("Prompt", cut(request.text(), MAX_PROMPT)));
    }
    if (own.isPresent()) {
      rows.add(
          Row.of(
              "Where",
              "to the run `"
                  + own.get().run().id().brief()
                  + "` of this thread, which continues with it"));
    } else {
      rows.add(Row.of("Where", fromPlace ? "a new run, in a new thread here" : "a new run, here"));
      rows.addAll(chosen(resolved));
      if (resolved.chosen().isEmpty()) {
        rows.add(Row.of("Options", "none (the agent's defaults apply)"));
      }
      verdict.ifPresent(
          it ->
              rows.add(
                  Row.of("Permitted", it.isPermitted() ? "yes" : "no. " + it.words(), it.rule())));
    }
    if (request.text().isBlank()) {
      return new InfoCard(
          "Nothing was started. A prompt with these options would be sent:", rows, List.of());
    }
    var prompt = options(request) + request.text();
    return new InfoCard(
        "Nothing was started. This would be sent:",
        rows,
        List.of(
            new Next("To start it", "run: " + command(prompt)),
            new Next(
                "If `explain` was part of the work",
                "run: " + command(options(request) + "explain: " + request.text()))));
  }

  private static String command(String prompt) {
    var line = prompt.strip();
    return line.length() > MAX_COMMAND || line.contains("\n") || line.contains("`") ? "…" : line;
  }

  private static String options(Request request) {
    var options = request.options();
    var text = new StringBuilder();
    option(text, "profile", options.profile());
    option(text, "env", options.environment());
    option(text, "model", options.model());
    option(text, "skill", options.skill());
    option(text, "name", options.name());
    option(text, "title", options.title());
    option(text, "factory", options.factory());
    return text.toString();
  }

  private static void option(StringBuilder text, String key, Optional<String> value) {
    value.ifPresent(it -> text.append("--%s \"%s\" ".formatted(key, it)));
  }

  /// @param mine the person's runs, in all places
  /// @param here everybody's runs in the place
  /// @param place what the place is: `channel`
  /// @param budgets the use of the budgets that apply here
  public static InfoCard usage(
      List<Binding> mine, List<Binding> here, String place, List<Row> budgets, Instant now) {
    var rows = new ArrayList<Row>();
    addUsage(rows, "You", mine, now);
    addUsage(rows, "This " + place, here, now);
    rows.addAll(budgets);
    return new InfoCard("Usage", rows, List.of(new Next("See them", "list mine")));
  }

  private static void addUsage(List<Row> rows, String who, List<Binding> runs, Instant now) {
    for (var days : List.of(7, 30)) {
      var since = now.minus(Duration.ofDays(days));
      var counted = runs.stream().filter(each -> each.since().isAfter(since)).toList();
      rows.add(Row.of("%s, last %d days".formatted(who, days), usage(counted)));
    }
  }

  private static String usage(List<Binding> runs) {
    var costs =
        runs.stream()
            .flatMap(each -> each.run().cost().stream())
            .map(COST::matcher)
            .filter(each -> each.matches())
            .map(each -> new BigDecimal(each.group(1)))
            .toList();
    var count = runs.size() == 1 ? "1 run" : runs.size() + " runs";
    if (costs.isEmpty()) {
      return runs.isEmpty() ? "no runs" : count + ", cost not known";
    }
    var sum = "$" + costs.stream().reduce(BigDecimal.ZERO, BigDecimal::add).toPlainString();
    return costs.size() == runs.size()
        ? count + ", " + sum
        : "%s, at least %s (the cost of %d is known)".formatted(count, sum, costs.size());
  }

  public static InfoCard doctor(List<HealthCheck.Finding> findings) {
    var rows =
        findings.stream()
            .map(each -> Row.of((each.isWell() ? "✅ " : "⚠️ ") + each.what(), each.how()))
            .toList();
    var problems = findings.stream().filter(each -> !each.isWell()).count();
    return new InfoCard(
        problems == 0 ? "Everything works" : problems == 1 ? "1 problem" : problems + " problems",
        rows,
        List.of());
  }

  public static String cut(String text, int maxLength) {
    var stripped = text.strip();
    return stripped.codePointCount(0, stripped.length()) <= maxLength
        ? stripped
        : stripped.substring(0, stripped.offsetByCodePoints(0, maxLength - 1)).strip() + "…";
  }
}
