package dev.runnel.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolReplyTest {
  @Test
  void textOfAChoiceIsThatChoice() {
    assertThat(ToolReply.of(" allow ONCE\n")).isEqualTo(ToolReply.ALLOW_ONCE);
    assertThat(ToolReply.of("Allow for this run")).isEqualTo(ToolReply.ALLOW_FOR_RUN);
    assertThat(ToolReply.of("decline")).isEqualTo(ToolReply.DECLINE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "allow", "1", "Allow once, but not now", "Do not allow once", ""})
  void otherTextPermitsNothing(String words) {
    assertThat(ToolReply.of(words)).isEqualTo(ToolReply.OTHER);
  }

  @Test
  void yesIsReadAsAOneTimePermission() {
    assertThat(ToolReply.choiceOf("Yes!")).hasValue("Allow once");
    assertThat(ToolReply.choiceOf("allow")).hasValue("Allow once");
    assertThat(ToolReply.choiceOf("no thanks")).hasValue("Decline");
    assertThat(ToolReply.choiceOf("yes, but with --dry-run")).isEmpty();
  }

  @Test
  void aReplyNamesTheRequestThatItAnswers() {
    var question = ToolReply.request("Bash", 12) + "\n\n(request 7 of this run):";

    assertThat(ToolReply.number(question)).hasValue(12);
    assertThat(ToolReply.number("May I? (request 7 of this run):")).isEmpty();
    assertThat(ToolReply.about("Allow once", 12)).isEqualTo("Allow once (request 12)");
    assertThat(ToolReply.of("allow once (request 12)")).isEqualTo(ToolReply.ALLOW_ONCE);
    assertThat(ToolReply.answered("Allow once (request 12)")).hasValue(12);
    assertThat(ToolReply.answered("Allow once")).isEmpty();
    assertThat(ToolReply.of("Allow once (request x)")).isEqualTo(ToolReply.OTHER);
  }
}
