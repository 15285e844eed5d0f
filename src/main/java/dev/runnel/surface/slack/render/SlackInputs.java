package dev.runnel.surface.slack.render;

import static dev.runnel.surface.slack.render.SlackBlocks.context;
import static dev.runnel.surface.slack.render.SlackBlocks.plain;

import com.slack.api.model.block.InputBlock;
import com.slack.api.model.block.LayoutBlock;
import com.slack.api.model.block.composition.OptionObject;
import com.slack.api.model.block.composition.PlainTextObject;
import com.slack.api.model.block.element.BlockElement;
import com.slack.api.model.block.element.PlainTextInputElement;
import com.slack.api.model.block.element.StaticSelectElement;
import dev.runnel.core.model.Screen.Field;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackConfig;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;

/// Renders the inputs of modals, within Slack's limits. Pure.
final class SlackInputs {
  /// The maximum length of a multi-line input.
  static final int MAX_TEXT = 3_000;

  /// The maximum length of a single-line input; a longer value is shown but cannot be edited.
  static final int MAX_VALUE = 150;

  private static final int MAX_OPTION = 75;
  private static final int MAX_OPTIONS = 100;
  private static final int MAX_HINT = 300;

  private SlackInputs() {}

  static InputBlock input(String block, String label, boolean optional, BlockElement element) {
    return InputBlock.builder()
        .blockId(block)
        .label(plain(label, MAX_OPTION))
        .optional(optional)
        .element(element)
        .build();
  }

  /// The input for one default: a list if there are choices, otherwise a text input.
  ///
  /// @param isLong whether it may have several lines
  static LayoutBlock field(Field field, boolean isLong) {
    var longest = isLong ? MAX_TEXT : MAX_VALUE;
    if (field.value().filter(it -> it.length() > longest).isPresent()) {
      return context(
          "*%s:* too long to change here. Type `%s config set %s …`."
              .formatted(
                  Mrkdwn.escape(Mrkdwn.oneLine(field.name(), MAX_OPTION)),
                  SlackConfig.COMMAND,
                  field.key()));
    }
    var block =
        input(
            field.key(),
            field.name(),
            true,
            isListed(field) ? list(field) : line(field, isLong, longest));
    hint(field).ifPresent(it -> block.setHint(plain(it, MAX_HINT)));
    return block;
  }

  /// Slack filters the list while people type. If there are too many values for a list, people type
  /// one.
  private static boolean isListed(Field field) {
    return !field.choices().isEmpty() && field.choices().size() < MAX_OPTIONS;
  }

  private static Optional<String> hint(Field field) {
    return field
        .holds()
        .map(
            it ->
                field.value().equals(field.holds())
                    ? sentence(field.from())
                    : "Currently: %s (%s)."
                        .formatted(Mrkdwn.oneLine(it, MAX_VALUE), field.from().replace("`", "")));
  }

  private static String sentence(String words) {
    var plain = words.replace("`", "");
    return plain.isEmpty()
        ? "Currently set."
        : plain.substring(0, 1).toUpperCase(Locale.ROOT) + plain.substring(1) + ".";
  }

  private static BlockElement line(Field field, boolean isLong, int longest) {
    return PlainTextInputElement.builder()
        .actionId(SlackActionIds.VALUE)
        .multiline(isLong)
        .maxLength(longest)
        .initialValue(field.value().orElse(null))
        .placeholder(plain("Not set", MAX_OPTION))
        .build();
  }

  /// The list always contains the current value, however many choices there are.
  private static BlockElement list(Field field) {
    var names = new LinkedHashSet<String>();
    field.value().ifPresent(names::add);
    names.addAll(field.choices());
    var options =
        names.stream()
            .filter(it -> it.length() <= MAX_OPTION)
            .limit(MAX_OPTIONS)
            .sorted()
            .map(SlackInputs::option)
            .toList();
    return StaticSelectElement.builder()
        .actionId(SlackActionIds.VALUE)
        .options(options)
        .initialOption(
            field
                .value()
                .filter(it -> it.length() <= MAX_OPTION)
                .map(SlackInputs::option)
                .orElse(null))
        .placeholder(plain("Not set", MAX_OPTION))
        .build();
  }

  private static OptionObject option(String name) {
    return OptionObject.builder()
        .text(PlainTextObject.builder().text(name).build())
        .value(name)
        .build();
  }
}
