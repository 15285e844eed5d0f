package dev.runnel.surface.slack.render;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Update;
import dev.runnel.core.text.RunTexts;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Renders lists of runs for Slack. Pure.
final class SlackLists {
  private static final int MAX = 30;
  private static final int MAX_TITLE = 80;

  private SlackLists() {}

  static String mrkdwn(Update.Listed listed) {
    var place = listed.listing().map(Update.Listing::place).orElse("");
    var lines = new ArrayList<String>();
    listed.runs().stream().limit(MAX).map(it -> line(it, place)).forEach(lines::add);
    var more =
        Math.max(0, listed.runs().size() - MAX)
            + listed.listing().map(Update.Listing::more).orElse(0);
    var wider = listed.listing().map(Update.Listing::next).orElse("list all");
    if (more > 0) {
      lines.add("… and %d more: `%s %s`".formatted(more, SlackConfig.COMMAND, wider));
    }
    var elsewhere = listed.listing().map(Update.Listing::elsewhere).orElse(0);
    if (elsewhere > 0) {
      lines.add(
          elsewhere == 1
              ? "One run of somebody else in another channel is not shown."
              : elsewhere + " runs of others in other channels are not shown.");
    }
    return listed.runs().isEmpty() ? empty(listed, lines) : String.join("\n", lines);
  }

  private static String empty(Update.Listed listed, List<String> lines) {
    var isFiltered = listed.listing().filter(Update.Listing::filtered).isPresent();
    return Stream.concat(
            Stream.of(
                isFiltered
                    ? "There are no such runs."
                    : "There are no runs here yet. `"
                        + SlackConfig.COMMAND
                        + " PROMPT` starts one."),
            lines.stream())
        .collect(Collectors.joining("\n"));
  }

  private static String line(Binding binding, String place) {
    var run = binding.run();
    var title = run.title().isBlank() ? binding.request().text() : run.title();
    var where = SlackPlace.SURFACE.equals(binding.conversation().surface()) ? where(binding) : "";
    return Stream.of(
            RunTexts.emoji(run.state())
                + " *"
                + Mrkdwn.escape(Mrkdwn.oneLine(RunTexts.name(run), MAX_TITLE))
                + "*",
            Mrkdwn.escape(Mrkdwn.oneLine(title, MAX_TITLE)),
            "for " + Mrkdwn.mention(binding.requester()),
            place.isEmpty() || binding.conversation().id().startsWith(place + "/") ? "" : where,
            "`" + Mrkdwn.escape(run.id().brief()) + "`",
            binding.origin().link().map(it -> Mrkdwn.link(it, "Thread")).orElse(""),
            RunTexts.session(run).map(it -> Mrkdwn.link(it, "Open run")).orElse(""))
        .filter(it -> !it.isEmpty())
        .collect(Collectors.joining(" · "));
  }

  private static String where(Binding binding) {
    return "in <#" + SlackPlace.of(binding.conversation()).channel() + ">";
  }
}
