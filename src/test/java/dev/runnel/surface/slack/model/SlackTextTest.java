package dev.runnel.surface.slack.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlackTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '¦',
      quoteCharacter = '§',
      value = {
        "a &lt; b &amp;&amp; c &gt; d             ¦ a < b && c > d",
        "&amp;lt; stays                           ¦ &lt; stays",
        "<https://e.x/a?b=1&amp;c=2>              ¦ https://e.x/a?b=1&c=2",
        "<https://e.x|the page>                   ¦ the page (https://e.x)",
        "<http://Main.java|Main.java>             ¦ Main.java",
        "<mailto:ann@e.x|ann@e.x>                 ¦ ann@e.x",
        "<https://e.x|https://e.x>                ¦ https://e.x",
        "<#C0DEV|dev> <#C0OPS|> <#C0ALL>          ¦ #dev #C0OPS #C0ALL",
        "<!here> <!subteam^S1|@ops> <!date^1^x|1970> ¦ @here @ops 1970",
        "<@U0ANN> and <@U0BOB|bob>                ¦ <@U0ANN> and @bob",
        "List<String> and <not a link>            ¦ List<String> and <not a link>",
        "&lt;@U0ANN&gt;                           ¦ <@U0ANN>",
        "costs $1 \\1                             ¦ costs $1 \\1",
      })
  void slackMarkupBecomesTheTypedText(String text, String plain) {
    assertThat(SlackText.plain(text)).isEqualTo(plain);
  }

  @Test
  void peopleAreCalledByNameWhereItIsKnown() {
    assertThat(
            SlackText.plain(
                "<@U0ANN> and <@U0BOB>",
                user -> user.equals("U0ANN") ? Optional.of("Ann $1") : Optional.empty()))
        .isEqualTo("@Ann $1 and <@U0BOB>");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '¦',
      quoteCharacter = '§',
      value = {
        "<@U0RUNNEL> fix it                 ¦ fix it",
        "<@U0RUNNEL>: fix it                ¦ fix it",
        "<@U0RUNNEL|runnel>, fix it         ¦ fix it",
        "hey <@U0ANN> ask <@U0RUNNEL> to fix ¦ hey <@U0ANN> ask to fix",
        "<@U0RUNNEL> and <@U0RUNNEL> fix    ¦ and fix",
        "<@U0RUNNEL2> fix it                ¦ <@U0RUNNEL2> fix it",
      })
  void onlyOurOwnMentionIsRemoved(String text, String rest) {
    assertThat(SlackText.withoutMentions(text, List.of("U0RUNNEL"))).isEqualTo(rest);
  }

  @Test
  void mentionMatchesTheExactUserId() {
    assertThat(SlackText.mentions("<@U0RUNNEL2>", List.of("U0RUNNEL"))).isFalse();
    assertThat(SlackText.mentions("hi <@U0RUNNEL>", List.of("U0RUNNEL"))).isTrue();
    assertThat(SlackText.mentions("&lt;@U0RUNNEL&gt;", List.of("U0RUNNEL"))).isFalse();
  }
}
