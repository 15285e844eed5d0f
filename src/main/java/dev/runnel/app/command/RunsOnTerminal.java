package dev.runnel.app.command;

import dev.runnel.core.text.RunTexts;
import dev.runnel.text.TerminalText;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.io.Console;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Shows runs as a table, with colours, to a person at a terminal.
public final class RunsOnTerminal {
  private static final int ID = 8;
  private static final int TITLE = 60;
  private static final String RESET = "\u001B[0m";
  private static final Map<RunStateValue, String> COLOURS =
      Map.of(
          RunStateValue.SUCCEEDED, "\u001B[32m",
          RunStateValue.FAILED, "\u001B[31m",
          RunStateValue.ERROR, "\u001B[31m",
          RunStateValue.BLOCKED, "\u001B[33m",
          RunStateValue.INPROGRESS, "\u001B[34m");

  private RunsOnTerminal() {}

  /// Whether a person sees the output, and wants colours (https://no-color.org).
  public static boolean isThere(Map<String, String> environment) {
    return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent()
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !"dumb".equals(environment.get("TERM"));
  }

  static Stream<String> table(List<RunItem> runs, Instant now) {
    var lines = new ArrayList<String>();
    lines.add("%-8s  %-10s  %8s  %8s  %s".formatted("ID", "STATE", "AGE", "COST", "TITLE"));
    for (var run : runs) {
      lines.add(
          "%-8s  %s%-10s%s  %8s  %8s  %s"
              .formatted(
                  id(run.runId()),
                  COLOURS.getOrDefault(run.state(), ""),
                  run.state(),
                  RESET,
                  age(run, now),
                  cost(run),
                  beginning(title(run), TITLE)));
    }
    return lines.stream();
  }

  /// The first characters of an id, as the table shows them.
  static String id(String runId) {
    return beginning(runId, ID);
  }

  private static String beginning(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }

  /// A title is of others: it must neither move the cursor nor begin a line.
  static String title(RunItem run) {
    return TerminalText.plain(Optional.ofNullable(run.title()).orElse(""))
        .replaceAll("\\s+", " ")
        .strip();
  }

  private static String age(RunItem run, Instant now) {
    return Optional.ofNullable(run.createdAt())
        .map(it -> RunTexts.elapsed(Duration.between(it, now)).replaceAll("^(\\d+ \\w+).*", "$1"))
        .orElse("");
  }

  private static String cost(RunItem run) {
    return Optional.ofNullable(run.requestUsage())
        .flatMap(it -> Optional.ofNullable(it.inferenceCostUsd()))
        .map(it -> "$" + it.setScale(2, RoundingMode.HALF_UP))
        .orElse("");
  }
}
