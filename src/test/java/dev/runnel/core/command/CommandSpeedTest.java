package dev.runnel.core.command;

import dev.runnel.testkit.ParserSpeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whatever a person writes, taking it for a command or a prompt takes linear time.
@Tag("slow")
class CommandSpeedTest {
  @Test
  void messagesAreParsedInLinearTime() throws Exception {
    for (var lead : new String[] {"", "run: ", "schedule ", "config set prompt ", "explain "}) {
      ParserSpeed.assertLinear(lead, MessageParser::words);
    }
  }

  @Test
  void commandsAreParsedInLinearTime() throws Exception {
    ParserSpeed.assertLinear(MessageParser::command);
  }
}
