package dev.runnel.surface.slack.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the operator lets Slack offer to ask.
class SlackPromptsTest {
  private static SlackPrompts of(String setting) {
    return SlackPrompts.from(Map.of(SlackPrompts.SETTING, setting));
  }

  @Test
  void promptsHaveDefaults() {
    assertThat(SlackPrompts.from(Map.of())).isEqualTo(SlackPrompts.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Help = help\nFix it = Find a bug, fix it.\n",
        "Help = help | Fix it = Find a bug, fix it."
      })
  void promptsAreSeparatedByLinesOrBars(String setting) {
    assertThat(of(setting).all())
        .containsExactly(
            new SlackPrompts.Prompt("Help", "help"),
            new SlackPrompts.Prompt("Fix it", "Find a bug, fix it."));
    assertThat(of(setting).areDefaults()).isFalse();
  }

  @Test
  void promptWithoutAMessageSendsItsTitle() {
    assertThat(of("List my runs").all())
        .containsExactly(new SlackPrompts.Prompt("List my runs", "List my runs"));
  }

  @Test
  void promptsCanBeTurnedOff() {
    assertThat(of("off").all()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a=b|c=d|e=f|g=h|i=j", "=nothing", "nothing="})
  void promptsThatSlackCannotShowAreRefusedWithTheSettingsName(String setting) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(setting))
        .withMessageContaining("SLACK_PROMPTS (slack.prompts)");
  }
}
