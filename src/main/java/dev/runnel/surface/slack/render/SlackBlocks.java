package dev.runnel.surface.slack.render;

import com.slack.api.model.block.ActionsBlock;
import com.slack.api.model.block.ContextBlock;
import com.slack.api.model.block.SectionBlock;
import com.slack.api.model.block.composition.MarkdownTextObject;
import com.slack.api.model.block.composition.PlainTextObject;
import com.slack.api.model.block.element.BlockElement;
import com.slack.api.model.block.element.ButtonElement;
import dev.runnel.surface.slack.model.SlackPost;
import java.util.List;

/// Makes the parts of messages and views, in Slack's Block Kit. Pure.
final class SlackBlocks {
  private SlackBlocks() {}

  static PlainTextObject plain(String text, int longest) {
    return PlainTextObject.builder().text(Mrkdwn.oneLine(text, longest)).build();
  }

  /// Verbatim, so that Slack does not parse mentions in text from others; our links are explicit.
  static MarkdownTextObject mrkdwn(String text) {
    return MarkdownTextObject.builder().text(text).verbatim(true).build();
  }

  static SectionBlock section(String mrkdwn) {
    return SectionBlock.builder().text(mrkdwn(mrkdwn)).build();
  }

  /// @param mark the block's id, by which the post is found again
  static SectionBlock section(String mrkdwn, SlackPost.Mark mark) {
    return SectionBlock.builder().blockId(mark.value()).text(mrkdwn(mrkdwn)).build();
  }

  static ContextBlock context(String mrkdwn) {
    return ContextBlock.builder().elements(List.of(mrkdwn(mrkdwn))).build();
  }

  static ActionsBlock actions(List<BlockElement> elements) {
    return ActionsBlock.builder().elements(elements).build();
  }

  static ButtonElement.ButtonElementBuilder button(String action, String label) {
    return ButtonElement.builder()
        .actionId(action)
        .text(PlainTextObject.builder().text(label).build());
  }
}
