package dev.runnel.surface.tracker;

import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Update;
import dev.runnel.surface.markdown.Markdown;
import java.util.ArrayList;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Renders info cards, and the end of long lists, as Markdown. Pure.
final class MarkdownInfoCards {
  private static final int MAX = 2_000;

  private MarkdownInfoCards() {}

  /// @param mention as people type it: `@agent`
  static String markdown(InfoCard infoCard, String mention) {
    var rows = infoCard.rows().stream().map(MarkdownInfoCards::row);
    var next =
        infoCard.next().stream()
            .map(
                it ->
                    "\n<sub>%s: `%s %s`</sub>".formatted(it.words(), mention, inert(it.command())));
    var stoppable = infoCard.stoppable().stream().map(it -> stoppable(it, mention));
    var choices =
        Stream.concat(infoCard.choices().stream(), infoCard.offers().stream())
            .map(it -> "\n%s: `%s %s`".formatted(it.label(), mention, inert(it.command())));
    return Stream.of(
            Stream.of("**" + inert(infoCard.title()) + "**\n"), rows, stoppable, choices, next)
        .flatMap(it -> it)
        .collect(Collectors.joining("\n"));
  }

  private static String stoppable(InfoCard.Stoppable stoppable, String mention) {
    return "- %s · %s · `%s stop %s`"
        .formatted(
            inert(stoppable.state()),
            Markdown.plain(stoppable.title(), MAX),
            mention,
            inert(stoppable.run().brief()));
  }

  private static String row(InfoCard.Row row) {
    var label = row.label().isEmpty() ? "" : "**" + inert(row.label()) + "**: ";
    var note = row.note().isEmpty() ? "" : " (" + inert(row.note()) + ")";
    var link = row.link().map(it -> " <" + it.toASCIIString() + ">").orElse("");
    return "- " + label + inert(row.text()) + note + link;
  }

  private static String inert(String text) {
    return Markdown.inertLine(text, MAX);
  }

  /// The line about omitted entries; empty if there are none.
  static String left(Optional<Update.Listing> listing, String mention) {
    var lines = new ArrayList<String>();
    listing
        .filter(it -> it.more() > 0)
        .ifPresent(
            it -> lines.add("- … and %d more: `%s %s`".formatted(it.more(), mention, it.next())));
    listing
        .filter(it -> it.elsewhere() > 0)
        .ifPresent(
            it -> lines.add("- %d of others elsewhere are not shown".formatted(it.elsewhere())));
    return lines.isEmpty() ? "" : "\n" + String.join("\n", lines);
  }
}
