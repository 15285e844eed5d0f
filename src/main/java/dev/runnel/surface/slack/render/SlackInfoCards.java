package dev.runnel.surface.slack.render;

import static dev.runnel.surface.slack.render.SlackBlocks.actions;
import static dev.runnel.surface.slack.render.SlackBlocks.button;

import com.slack.api.model.block.LayoutBlock;
import com.slack.api.model.block.SectionBlock;
import com.slack.api.model.block.element.BlockElement;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Renders info cards for Slack. Pure.
public final class SlackInfoCards {
  /// Slack's limit for a button's value, in characters.
  private static final int MAX_VALUE = 2_000;

  private SlackInfoCards() {}

  static String mrkdwn(InfoCard infoCard) {
    var rows = infoCard.rows().stream().map(SlackInfoCards::row);
    var next =
        infoCard.next().stream()
            .map(
                it ->
                    "_%s:_ `%s %s`"
                        .formatted(
                            Mrkdwn.escape(it.words()),
                            SlackConfig.COMMAND,
                            Mrkdwn.escape(it.command())));
    return Stream.of(Stream.of("*" + Mrkdwn.escape(infoCard.title()) + "*"), rows, next)
        .flatMap(it -> it)
        .collect(Collectors.joining("\n"));
  }

  /// The runs that the card shows, each with a button that stops it; then buttons that change what
  /// the card shows, start a run with its text, or choose.
  public static List<LayoutBlock> buttons(InfoCard infoCard) {
    return Stream.concat(
            infoCard.stoppable().stream().map(SlackInfoCards::stoppable),
            ownButtons(infoCard).stream())
        .toList();
  }

  private static LayoutBlock stoppable(InfoCard.Stoppable stoppable) {
    var text =
        "%s · %s · `%s`"
            .formatted(
                Mrkdwn.escape(stoppable.state()),
                Mrkdwn.escape(stoppable.title()),
                Mrkdwn.escape(stoppable.run().brief()));
    return SectionBlock.builder()
        .text(SlackBlocks.mrkdwn(text))
        .accessory(
            button(SlackActionIds.CANCEL_RUN, "Stop")
                .value(stoppable.run().value())
                .style("danger")
                .build())
        .build();
  }

  private static List<LayoutBlock> ownButtons(InfoCard infoCard) {
    List<BlockElement> buttons = new ArrayList<>();
    infoCard
        .changeable()
        .forEach(level -> buttons.add(button(SlackActionIds.edit(level), label(level)).build()));
    infoCard
        .work()
        .filter(words -> words.length() <= MAX_VALUE)
        .ifPresent(
            words ->
                buttons.add(button(SlackActionIds.START_RUN, "Start it").value(words).build()));
    var commands = Stream.concat(infoCard.choices().stream(), infoCard.offers().stream()).toList();
    for (var choice : commands) {
      buttons.add(
          button(SlackActionIds.COMMAND + buttons.size(), choice.label())
              .value(choice.command())
              .build());
    }
    return buttons.isEmpty() ? List.of() : List.of(actions(buttons));
  }

  private static String label(Level level) {
    return switch (level) {
      case ME -> "Change mine";
      case HERE -> "Change for all here";
      case WORKSPACE -> "Change for the workspace";
    };
  }

  private static String row(InfoCard.Row row) {
    var label = row.label().isEmpty() ? "" : "*" + Mrkdwn.escape(row.label()) + ":*";
    var note = row.note().isEmpty() ? "" : " · _" + Mrkdwn.plain(row.note()) + "_";
    var link = row.link().map(it -> " · " + Mrkdwn.link(it, "Open")).orElse("");
    var plain = Mrkdwn.plain(row.text());
    var text = row.mentions() ? Mrkdwn.mentions(plain) : plain;
    var space = text.contains("\n") ? "\n" : label.isEmpty() ? "" : " ";
    return label + space + (text.contains("\n") ? quoted(text) : text) + note + link;
  }

  private static String quoted(String text) {
    return text.lines().map(line -> "> " + line).collect(Collectors.joining("\n"));
  }
}
