package dev.runnel.surface.slack.render;

import static dev.runnel.surface.slack.render.SlackBlocks.actions;
import static dev.runnel.surface.slack.render.SlackBlocks.context;
import static dev.runnel.surface.slack.render.SlackBlocks.plain;
import static dev.runnel.surface.slack.render.SlackBlocks.section;

import com.slack.api.model.block.DividerBlock;
import com.slack.api.model.block.HeaderBlock;
import com.slack.api.model.block.LayoutBlock;
import com.slack.api.model.block.element.BlockElement;
import com.slack.api.model.block.element.ButtonElement;
import com.slack.api.model.view.View;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Screen.Field;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.text.RunTexts;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Renders the Home tab: the user's runs and their buttons. Pure.
public record SlackHome(SlackPermalinks links) {
  private static final int MAX_TITLE = 120;
  private static final int MAX_QUESTION = 300;
  private static final int MAX_VALUE = 60;
  private static final int MAX_DEFAULTS = 1_900;
  private static final int MAX_URL = 2_000;
  // Slack accepts 100 blocks; a run takes two.
  private static final int MAX = 14;

  public View render(Screen.Home home) {
    List<LayoutBlock> blocks = new ArrayList<>();
    blocks.add(header("Your runs"));
    blocks.add(actions(topButtons(home)));
    if (home.isEmpty()) {
      blocks.add(
          section(
              "You have no runs yet.\nPress *New run*, or type `%s fix the flaky test` in a channel."
                  .formatted(SlackConfig.COMMAND)));
    }
    part(blocks, "Waiting for you", home.blocked(), home.at());
    part(blocks, "In progress", home.running(), home.at());
    part(blocks, "Recent", home.recent(), home.at());
    if (home.more() > 0) {
      blocks.add(
          context(
              "… and %d more: type `%s list mine` in a channel."
                  .formatted(home.more(), SlackConfig.COMMAND)));
    }
    blocks.add(DividerBlock.builder().build());
    defaults(home.defaults()).ifPresent(it -> blocks.add(context(it)));
    blocks.add(
        context(
            "As of <!date^%d^{time}|just now>. Open this tab again to see what is new."
                .formatted(home.at().getEpochSecond())));
    return View.builder().type("home").callbackId("home").blocks(blocks).build();
  }

  private static List<BlockElement> topButtons(Screen.Home home) {
    List<BlockElement> buttons = new ArrayList<>();
    buttons.add(button(SlackActionIds.NEW_RUN, "New run").style("primary").build());
    home.changeable()
        .forEach(level -> buttons.add(button(SlackActionIds.edit(level), label(level)).build()));
    return buttons;
  }

  private static String label(Level level) {
    return switch (level) {
      case ME -> "My defaults";
      case HERE -> "Defaults here";
      case WORKSPACE -> "Workspace defaults";
    };
  }

  private void part(List<LayoutBlock> blocks, String name, List<Binding> runs, Instant now) {
    if (runs.isEmpty()) {
      return;
    }
    blocks.add(section("*" + name + "*"));
    for (var binding : runs.stream().limit(MAX).toList()) {
      blocks.add(section(words(binding, now)));
      var buttons = buttons(binding);
      if (!buttons.isEmpty()) {
        blocks.add(actions(buttons));
      }
    }
  }

  private String words(Binding binding, Instant now) {
    var run = binding.run();
    var title = run.title().isBlank() ? binding.request().text() : run.title();
    var stopping = binding.stop().isPresent();
    var state =
        stopping ? "Stopping…" : Mrkdwn.escape(Mrkdwn.oneLine(RunTexts.name(run), MAX_TITLE));
    var place = SlackPlace.of(binding.conversation());
    var line =
        Stream.of(
                RunTexts.emoji(run.state()) + " " + state,
                elapsed(binding, now),
                place.isDirect() ? "" : "in <#" + place.channel() + ">",
                links.of(place).map(it -> Mrkdwn.link(it, "Thread")).orElse(""))
            .filter(it -> !it.isEmpty())
            .collect(Collectors.joining(" · "));
    var question =
        run.state().needsPerson()
            ? run.message()
                .filter(it -> !it.isBlank())
                .map(it -> "\n> " + Mrkdwn.escape(Mrkdwn.oneLine(it, MAX_QUESTION)))
                .orElse("")
            : "";
    return "*" + Mrkdwn.escape(Mrkdwn.oneLine(title, MAX_TITLE)) + "*\n" + line + question;
  }

  private static String elapsed(Binding binding, Instant now) {
    var time = RunTexts.elapsed(Duration.between(binding.since(), now));
    return binding.isActive() ? "for " + time : "started " + time + " ago";
  }

  /// Only the buttons that apply.
  private static List<BlockElement> buttons(Binding binding) {
    var run = binding.run();
    List<BlockElement> buttons = new ArrayList<>();
    SlackRenderer.pullRequests(run)
        .reduce((_, newest) -> newest)
        .ifPresent(
            it ->
                buttons.add(
                    button("open_pull_request", SlackRenderer.viewed(it))
                        .url(it.link().toString())
                        .build()));
    RunTexts.session(run)
        .map(URI::toString)
        .filter(it -> it.startsWith("http") && it.length() <= MAX_URL)
        .ifPresent(url -> buttons.add(button("open_session", "Open").url(url).build()));
    if (binding.isActive() && binding.stop().isEmpty()) {
      buttons.add(
          button(SlackActionIds.CANCEL_RUN, "Stop")
              .value(run.id().value())
              .style("danger")
              .build());
    }
    if (!binding.isActive()
        && (run.state() == RunState.FAILED || run.state() == RunState.CANCELLED)) {
      buttons.add(button(SlackActionIds.RETRY_RUN, "Retry").value(run.id().value()).build());
    }
    return buttons;
  }

  private static Optional<String> defaults(List<Field> fields) {
    return fields.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Mrkdwn.cut(
                "Your defaults: "
                    + fields.stream().map(SlackHome::words).collect(Collectors.joining(" · ")),
                MAX_DEFAULTS));
  }

  private static String words(Field field) {
    return "%s *%s* (%s)"
        .formatted(
            field.key(),
            Mrkdwn.escape(Mrkdwn.oneLine(field.holds().orElse(""), MAX_VALUE)),
            Mrkdwn.plain(Mrkdwn.oneLine(field.from(), MAX_TITLE)));
  }

  private static HeaderBlock header(String text) {
    return HeaderBlock.builder().text(plain(text, 150)).build();
  }

  private static ButtonElement.ButtonElementBuilder button(String action, String label) {
    return SlackBlocks.button(SlackActionIds.ON_HOME + action, label);
  }
}
