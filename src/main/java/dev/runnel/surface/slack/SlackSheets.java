package dev.runnel.surface.slack;

import dev.runnel.core.model.Sheet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Answers in rows, as Slack shows them. Pure.
final class SlackSheets {
  private SlackSheets() {}

  /// @param command as people type it: `/agent`
  static String mrkdwn(Sheet sheet, String command) {
    var rows = sheet.rows().stream().map(SlackSheets::row);
    var next =
        sheet.next().stream()
            .map(
                it ->
                    "_%s:_ `%s %s`"
                        .formatted(
                            Mrkdwn.escape(it.words()), command, Mrkdwn.escape(it.command())));
    return Stream.of(Stream.of("*" + Mrkdwn.escape(sheet.title()) + "*"), rows, next)
        .flatMap(it -> it)
        .collect(Collectors.joining("\n"));
  }

  private static String row(Sheet.Row row) {
    var label = row.label().isEmpty() ? "" : "*" + Mrkdwn.escape(row.label()) + ":*";
    var note = row.note().isEmpty() ? "" : " · _" + Mrkdwn.plain(row.note()) + "_";
    var link = row.link().map(it -> " · " + Mrkdwn.link(it, "Open")).orElse("");
    var text = Mrkdwn.plain(row.text());
    var space = text.contains("\n") ? "\n" : label.isEmpty() ? "" : " ";
    return label + space + (text.contains("\n") ? quoted(text) : text) + note + link;
  }

  private static String quoted(String text) {
    return text.lines().map(line -> "> " + line).collect(Collectors.joining("\n"));
  }
}
