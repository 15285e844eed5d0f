package dev.runnel.surface.slack.render;

import dev.runnel.surface.slack.model.SlackText;
import dev.runnel.testkit.ParserSpeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whatever stands in a message, converting it takes linear time.
@Tag("slow")
class MrkdwnSpeedTest {
  @Test
  void markdownIsConvertedInLinearTime() throws Exception {
    ParserSpeed.assertLinear(Mrkdwn::fromMarkdown);
  }

  @Test
  void wordsAreEscapedInLinearTime() throws Exception {
    ParserSpeed.assertLinear(Mrkdwn::plain);
  }

  @Test
  void messagesAreReadInLinearTime() throws Exception {
    ParserSpeed.assertLinear(SlackText::plain);
  }
}
