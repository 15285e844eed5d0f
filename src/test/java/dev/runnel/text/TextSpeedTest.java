package dev.runnel.text;

import dev.runnel.testkit.ParserSpeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whatever an agent prints or a stranger writes, checking it takes linear time.
@Tag("slow")
class TextSpeedTest {
  @Test
  void secretsAreMaskedInLinearTime() throws Exception {
    ParserSpeed.assertLinear(Redactor.PATTERNS::redact);
  }

  @Test
  void labelsAreCheckedInLinearTime() throws Exception {
    ParserSpeed.assertLinear(text -> LinkLabel.misleads(text, "https://evil.example/"));
  }

  @Test
  void terminalOutputIsReadInLinearTime() throws Exception {
    ParserSpeed.assertLinear(TerminalText::plain);
  }

  @Test
  void invisibleCharactersAreShownInLinearTime() throws Exception {
    ParserSpeed.assertLinear(VisibleText::of);
  }
}
