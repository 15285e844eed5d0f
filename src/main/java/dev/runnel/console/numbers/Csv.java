package dev.runnel.console.numbers;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tables as comma-separated values (RFC 4180).
final class Csv {
  private Csv() {}

  static String of(String column, List<Group> groups) {
    var head =
        line(
            Stream.of(
                column.toLowerCase(Locale.ROOT),
                "name",
                "runs",
                "finished",
                "failed",
                "stopped",
                "seconds",
                "cost"));
    return head + groups.stream().map(Csv::line).collect(Collectors.joining());
  }

  private static String line(Group group) {
    return line(
        Stream.of(
            group.key(),
            group.name(),
            Long.toString(group.runs()),
            group.ends().map(it -> Long.toString(it.succeeded())).orElse(""),
            group.ends().map(it -> Long.toString(it.failed())).orElse(""),
            group.ends().map(it -> Long.toString(it.cancelled())).orElse(""),
            Long.toString(group.time().toSeconds()),
            group.micros() == 0 ? "" : Money.plain(group.micros())));
  }

  private static String line(Stream<String> cells) {
    return cells.map(Csv::cell).collect(Collectors.joining(",")) + "\r\n";
  }

  /// A spreadsheet would evaluate a cell that begins like a formula, so an apostrophe is put before
  /// it.
  private static String cell(String text) {
    var safe = !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
    return safe.matches("[^\",\\r\\n]*") ? safe : "\"" + safe.replace("\"", "\"\"") + "\"";
  }
}
