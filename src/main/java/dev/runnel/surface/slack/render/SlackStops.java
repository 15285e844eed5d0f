package dev.runnel.surface.slack.render;

import com.slack.api.model.block.LayoutBlock;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.core.text.RunTexts;
import dev.runnel.core.text.StopTexts;
import dev.runnel.surface.slack.model.SlackActionIds;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Renders texts about stops and about missing answers. Slack shows times in the reader's time
/// zone.
final class SlackStops {
  private static final int MAX_QUESTION = 600;

  /// Slack's limit for a button's value, in characters.
  private static final int MAX_VALUE = 2_000;

  private SlackStops() {}

  /// `Stopping… Asked by @ann at 14:02.`
  static String stopping(StopRequest stopRequest) {
    return "*Stopping…* " + line(stopRequest);
  }

  /// `Asked by @ann at 14:02, stopped at 14:03.`
  static String line(StopRequest stopRequest) {
    return StopTexts.requested(stopRequest, Mrkdwn.mention(stopRequest.by()), SlackStops::time);
  }

  /// `2 replies were not read: “…”, “…”.`; empty if all were read.
  static Optional<String> unread(List<String> words) {
    return words.isEmpty()
        ? Optional.empty()
        : Optional.of(
            StopTexts.unread(words, each -> Mrkdwn.escape(Mrkdwn.oneLine(each, MAX_QUESTION))));
  }

  /// A button that sends the unread replies to the run; empty if they are too long for one.
  static Optional<LayoutBlock> sendThem(List<String> words) {
    var text = String.join("\n\n", words);
    return words.isEmpty() || text.length() > MAX_VALUE
        ? Optional.empty()
        : Optional.of(
            SlackBlocks.actions(
                List.of(
                    SlackBlocks.button(
                            SlackActionIds.SEND_REPLIES,
                            words.size() == 1 ? "Send it" : "Send them")
                        .value(text)
                        .build())));
  }

  private static String time(Instant at) {
    return "<!date^%d^{time}|%s>".formatted(at.getEpochSecond(), StopTexts.utc(at));
  }

  /// Short, because the question is shown above.
  static String reminder(Update.Reminder reminder) {
    var waiting = RunTexts.elapsed(Duration.between(reminder.asked(), reminder.at()));
    return "✋ %s, still waiting for your answer (%s).\n> %s\nReply here to answer."
        .formatted(
            Mrkdwn.mention(reminder.requester()),
            waiting,
            Mrkdwn.escape(Mrkdwn.oneLine(reminder.question(), MAX_QUESTION)));
  }
}
