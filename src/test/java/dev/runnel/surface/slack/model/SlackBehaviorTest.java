package dev.runnel.surface.slack.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.runnel.core.model.conversation.ConversationPolicy.Audience;
import dev.runnel.core.model.run.MessageStatus;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How Runnel behaves in channels, as the settings say it.
class SlackBehaviorTest {
  private static SlackBehavior behavior(String setting, String value) {
    return SlackBehavior.from(Map.of(setting, value));
  }

  @Test
  void behaviorWithoutSettingsIsTheDefault() {
    assertThat(SlackBehavior.from(Map.of())).isEqualTo(SlackBehavior.DEFAULT);
    assertThat(SlackBehavior.DEFAULT.reactions()).containsOnlyKeys(MessageStatus.values());
  }

  @Test
  void reactionsCanBeDisabledOrChanged() {
    assertThat(behavior(SlackBehavior.REACTIONS, "off").reactions()).isEmpty();
    var some = behavior(SlackBehavior.REACTIONS, "taken=:wave:, running=off").reactions();
    assertThat(some)
        .containsEntry(MessageStatus.TAKEN, "wave")
        .containsEntry(MessageStatus.FAILED, "x");
    assertThat(some).doesNotContainKey(MessageStatus.RUNNING);
  }

  @Test
  void stopReactionCanBeDisabledOrChanged() {
    assertThat(behavior(SlackBehavior.STOP_REACTION, "off").stop()).isEmpty();
    assertThat(behavior(SlackBehavior.STOP_REACTION, "x").stop()).contains("x");
  }

  @Test
  void channelsCanHaveTheirOwnListenSetting() {
    var behavior = behavior(SlackBehavior.LISTEN, "default=owner, C0DEV=mention, C0OPS=everyone");

    assertThat(listening(behavior, "C0DEV")).isEqualTo(Audience.MENTION);
    assertThat(listening(behavior, "C0OPS")).isEqualTo(Audience.EVERYONE);
    assertThat(listening(behavior, "C0NEW")).isEqualTo(Audience.OWNER);
    assertThat(listening(behavior, "D0ANN")).isEqualTo(Audience.EVERYONE);
    assertThat(listening(behavior(SlackBehavior.LISTEN, "mention"), "C0DEV"))
        .isEqualTo(Audience.MENTION);
  }

  @Test
  void noReactionStartsARunUnlessOneIsSet() {
    assertThat(SlackBehavior.DEFAULT.start()).isEmpty();
    assertThat(behavior(SlackBehavior.START_REACTION, "off").start()).isEmpty();
    assertThat(behavior(SlackBehavior.START_REACTION, ":robot_face:").start())
        .contains("robot_face");
  }

  @Test
  void onlyListedChannelsProvideTheirLastMessages() {
    assertThat(behavior(SlackBehavior.CONTEXT, "C0DEV=20, C0OPS=5").context())
        .containsExactlyInAnyOrderEntriesOf(Map.of("C0DEV", 20, "C0OPS", 5));
    assertThat(behavior(SlackBehavior.CONTEXT, "off").context()).isEmpty();
    assertThat(SlackBehavior.DEFAULT.context()).isEmpty();
  }

  private static Audience listening(SlackBehavior behavior, String channel) {
    return behavior.policy(new SlackPlace("T1", channel, "1.1")).audience();
  }

  @ParameterizedTest
  @CsvSource({
    "SLACK_LISTEN, nobody, 'everyone, owner or mention'",
    "SLACK_LISTEN, #dev=owner, 'channels by their ids'",
    "SLACK_CONTEXT, 20, 'by channel id'",
    "SLACK_CONTEXT, C0DEV=51, 'up to 50'",
    "SLACK_REACTIONS, done=x, 'none of them'",
    "SLACK_REACTIONS, taken=two words, 'names of reactions'",
    "SLACK_STOP_REACTION, a b, 'names of reactions'",
  })
  void invalidValueIsRefusedWithTheNameOfItsSetting(String setting, String value, String words) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> behavior(setting, value))
        .withMessageStartingWith(setting)
        .withMessageContaining(words);
  }

  @ParameterizedTest
  @ValueSource(strings = {"loud", "C0DEV=", "C0DEV=Quiet", "dev=quiet"})
  void aStyleThatDoesNotExistIsNamedWithThoseThatDo(String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> behavior(SlackBehavior.STYLE, value))
        .withMessageContaining("slack.style")
        .withMessageContaining("thread, channel or quiet");
  }
}
