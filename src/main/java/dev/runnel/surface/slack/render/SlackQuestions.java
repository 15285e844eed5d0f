package dev.runnel.surface.slack.render;

import com.slack.api.model.block.LayoutBlock;
import com.slack.api.model.block.composition.PlainTextObject;
import com.slack.api.model.block.element.BlockElement;
import com.slack.api.model.block.element.ButtonElement;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Update;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.surface.slack.model.SlackActionIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Renders a question of a run: its choices as buttons, and its answer. Pure.
final class SlackQuestions {
  /// Slack's limit for the text of a button.
  private static final int MAX_LABEL = 75;

  /// Slack may show no more of a button's text, above all on phones.
  private static final int SHOWN_LABEL = 30;

  private static final int MAX_ANSWER = 1_000;

  private SlackQuestions() {}

  /// The question as Markdown. Choices that fit on buttons are omitted from the text.
  static String text(String question) {
    var choices = AnswerChoices.of(question);
    if (choices.choices().isEmpty()) {
      return question;
    }
    return isNumbered(choices)
        ? choices.question() + "\n" + choices.numbered()
        : choices.question();
  }

  private static boolean isNumbered(AnswerChoices choices) {
    return choices.choices().stream().anyMatch(each -> each.length() > SHOWN_LABEL);
  }

  /// A button for each choice, and one for another answer; empty without choices.
  static Optional<LayoutBlock> buttons(Update.Blocked blocked) {
    var choices = AnswerChoices.of(blocked.question());
    if (choices.choices().isEmpty()) {
      return Optional.empty();
    }
    var asked = AskedQuestion.of(blocked.run()).map(AskedQuestion::value).orElse("");
    List<BlockElement> buttons = new ArrayList<>();
    for (var choice : choices.choices()) {
      var number = buttons.size();
      var label = isNumbered(choices) ? (number + 1) + ". " + choice : choice;
      buttons.add(
          button(SlackActionIds.ANSWER + number, Mrkdwn.oneLine(label, MAX_LABEL))
              .value(asked + "\n" + choice)
              .build());
    }
    buttons.add(
        button(SlackActionIds.ANSWER_OTHER, choices.isAboutPlan() ? "Change…" : "Other…")
            .value(asked)
            .build());
    return Optional.of(SlackBlocks.actions(buttons));
  }

  private static ButtonElement.ButtonElementBuilder button(String action, String label) {
    return ButtonElement.builder()
        .actionId(action)
        .text(PlainTextObject.builder().text(label).emoji(false).build());
  }

  /// The line that replaces the buttons.
  static String closed(Update.QuestionClosed closed) {
    return closed
        .by()
        .map(by -> "✅ *Answered* by " + Mrkdwn.mention(by))
        .orElse("✋ *No longer asked*");
  }

  static Optional<String> answer(Update.QuestionClosed closed) {
    return closed
        .answer()
        .map(it -> Mrkdwn.cut(Mrkdwn.escape(it.strip()), MAX_ANSWER))
        .filter(it -> !it.isEmpty());
  }
}
