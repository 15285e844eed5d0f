package dev.runnel.surface.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MentionTest {
  private final Mention mention = new Mention("agent");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@agent fix it",
        "/agent fix it",
        "@Agent fix it",
        "/AGENT fix it",
        "  @agent fix it",
        "@agent, fix it",
        "@agent: fix it",
        "@agent\tfix it",
        "@agent\u00A0fix it",
        "@agent\nfix it",
        "@agent\r\nfix it",
        "Hello!\n@agent fix it",
        "> what now?\n\n@agent fix it",
        "```\n@agent not this\n```\n@agent fix it",
        "<!-- @agent not this -->\n@agent fix it",
        "@agent fix it <!-- unseen -->",
        "@agent fi\u200Bx it",
      })
  void lineThatBeginsWithTheMentionAddressesUs(String comment) {
    assertThat(mention.in(comment)).contains("fix it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "fix it",
        "please @agent fix it",
        "mail@agent fix it",
        "@agents fix it",
        "@agent-two fix it",
        "@agent_two fix it",
        "@agent/team fix it",
        "@agentä fix it",
        "@agent's work is good",
        "/agent/config.yml is wrong",
        "@ agent fix it",
        "\\@agent fix it",
        "`@agent fix it`",
        "- @agent fix it",
        "> @agent fix it",
        "  > @agent fix it",
        ">@agent fix it",
        "    @agent fix it",
        "\t@agent fix it",
        "```\n@agent fix it\n```",
        "~~~ sh\n@agent fix it\n~~~",
        "````\n```\n@agent fix it\n````",
        "```\n@agent fix it, and the fence is never closed",
        "<!-- @agent fix it -->",
        "<!--\n@agent fix it\n-->",
        "<!--\n\n@agent fix it",
        "seen <!-- unseen\n@agent fix it\n--> seen",
        "<!-->-->\n<!--\n@agent fix it\n-->",
      })
  void mentionElsewhereInTheTextIsIgnored(String comment) {
    assertThat(mention.in(comment)).isEmpty();
  }

  @Test
  void allTextAfterTheMentionIsTheRequest() {
    assertThat(
            mention.in(
                """
                Thanks.

                @agent fix it like this:

                ```java
                // <!-- kept, it is code -->
                @Override
                ```

                > as said before

                @agent and quickly
                """))
        .contains(
            """
            fix it like this:

            ```java
            // <!-- kept, it is code -->
            @Override
            ```

            > as said before

            @agent and quickly\
            """);
  }

  @Test
  void mentionAloneIsAnEmptyRequest() {
    assertThat(mention.in("@agent")).contains("");
    assertThat(mention.in("@agent!")).contains("");
  }

  @Test
  void unclosedCommentMarksStayText() {
    assertThat(mention.in("@agent why is <!-- in the page?\n\nSee above."))
        .contains("why is <!-- in the page?\n\nSee above.");
    assertThat(mention.in("@agent escape `<!--` and `-->`")).contains("escape `<!--` and `-->`");
  }

  @Test
  void mentionNameIsConfigurable() {
    assertThat(new Mention("run.nel").in("@run.nel go")).contains("go");
    assertThat(new Mention("run.nel").in("@runXnel go")).isEmpty();
  }
}
