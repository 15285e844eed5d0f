package dev.runnel.surface.slack.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Actor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MrkdwnTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '¦',
      quoteCharacter = '§',
      value = {
        "**bold** and __bold__             ¦ *bold* and *bold*",
        "*italic* and _italic_             ¦ _italic_ and _italic_",
        "***both***                        ¦ _*both*_",
        "~~gone~~                          ¦ ~gone~",
        "`**code** <b>`                    ¦ `**code** &lt;b&gt;`",
        "# A **big** heading #             ¦ *A big heading*",
        "- item                            ¦ • item",
        "x<br>                             ¦ x",
        "- [ ] open                        ¦ ☐ open",
        "* [x] closed                      ¦ ☑ closed",
        "1. first                          ¦ 1. first",
        "> quoted                          ¦ > quoted",
        "> > **deep**                      ¦ > *deep*",
        "<details>                         ¦ §§",
        "<summary>Log</summary>            ¦ Log",
        "two<br>lines                      ¦ twolines",
        "[![build](https://e.x/b.svg)](https://e.x) ¦ <https://e.x|build>",
        "* * *                             ¦ ———",
        "[text](https://e.x/a?b&c)         ¦ <https://e.x/a?b&amp;c|text>",
        "[a|b](https://e.x/(x))            ¦ <https://e.x/(x)|ab>",
        "![image](https://e.x/i.png)       ¦ <https://e.x/i.png|image>",
        "[file](src/Main.java)             ¦ file (src/Main.java)",
        "[bad](javascript:alert)           ¦ bad (javascript:alert)",
        "<https://e.x>                     ¦ <https://e.x>",
        "see https://e.x/a_b_c.            ¦ see <https://e.x/a_b_c>.",
        "(https://e.x)                     ¦ (<https://e.x>)",
        "2 * 3 * 4 and snake_case_name     ¦ 2 * 3 * 4 and snake_case_name",
        "\\*not italic\\*                  ¦ *not italic*",
        "a & b < c                         ¦ a &amp; b &lt; c",
        "<!channel> <@U0BOB> <@W1|x>       ¦ &lt;!channel&gt; @U0BOB &lt;@W1|x&gt;",
        "&lt;!channel&gt; &amp; &#60;!here>  ¦ &lt;!channel&gt; &amp; &lt;!here&gt;",
        "[https://good.x/l](https://e.x/l) ¦ <https://e.x/l>",
        "[my_file.java](https://e.x/f)     ¦ <https://e.x/f|my_file.java>",
        "[**a** [b] `c`](https://e.x)      ¦ <https://e.x|a [b] c>",
        "[x](<https://e.x/a b>)            ¦ <https://e.x/a%20b|x>",
        "``a ` b``                         ¦ `a ' b`",
        "# a **b *c***                     ¦ *a b _c_*",
        "<b>bold</b>                       ¦ &lt;b&gt;bold&lt;/b&gt;",
      })
  void markdownIsConvertedToMrkdwn(String markdown, String mrkdwn) {
    assertThat(Mrkdwn.fromMarkdown(markdown)).isEqualTo(mrkdwn);
  }

  @Test
  void codeBlocksKeepTheirTextAndAreClosed() {
    assertThat(Mrkdwn.fromMarkdown("see\n~~~~ java\n**a** < ```\n~~~\n  b"))
        .isEqualTo("see\n```\n**a** &lt; '''\n~~~\n  b\n```");
  }

  @Test
  void codeBlockEndsAtItsMarkerOnALineByItself() {
    assertThat(Mrkdwn.fromMarkdown("```\n```java\na\n```\nand ```b```"))
        .isEqualTo("```\n'''java\na\n```\nand `b`");
  }

  @Test
  void aCodeBlockInAListAndOneWithFencesInsideStayWhole() {
    assertThat(
            Mrkdwn.fromMarkdown(
                "- see\n    ```sh\n    ls\n    ```\n````md\n```\nx\n```\n````\nend"))
        .isEqualTo("• see\n```\nls\n```\n\n```\n'''\nx\n'''\n```\nend");
  }

  @Test
  void listsKeepTheirIndentationAndBlankLines() {
    assertThat(
            Mrkdwn.fromMarkdown(
                """
                3. one
                   more
                3. two

                   - [ ] open
                     - inner

                     said

                -
                - last
                """))
        .isEqualTo(
            """
            3. one
               more
            4. two

               ☐ open
                 ◦ inner

                 said

            •\s
            • last\
            """);
  }

  @Test
  void aQuoteKeepsItsLinesAndShowsCodeOutside() {
    assertThat(Mrkdwn.fromMarkdown("> a\nlazy\n>\n> - b\n>   > c\n>\n> ```\n> x\n> ```\n\n> d"))
        .isEqualTo("> a\n> lazy\n> \n> • b\n>   c\n> \n```\nx\n```\n\n> d");
  }

  @Test
  void aReferenceIsALinkAndItsDefinitionIsNotShown() {
    assertThat(Mrkdwn.fromMarkdown("See [the log][1].\n\n[1]: https://e.x/l \"Log\"\n\nEnd"))
        .isEqualTo("See <https://e.x/l|the log>.\n\n\nEnd");
  }

  @Test
  void otherHeadingsAndCodeAreRead() {
    assertThat(Mrkdwn.fromMarkdown("Title\n=====\n\n    code <b>\n\n`over\nlines`"))
        .isEqualTo("*Title*\n\n```\ncode &lt;b&gt;\n```\n\n`over lines`");
  }

  @Test
  void aTableWithTooManyCellsIsText() {
    var columns = 2_000;
    var table = "|a".repeat(columns) + "\n" + "|-".repeat(columns) + "\n|" + "x|\n|".repeat(500);

    assertThat(Mrkdwn.fromMarkdown(table)).contains("|a|a|a");
  }

  @Test
  void aTableIsAlignedInACodeBlock() {
    var table =
        """
        | test | **time** | ok |
        |:-----|-------:|:--:|
        | `a<b` | 3 s | \u2713 |
        | \u65e5\u672c | 12 s |

        done\
        """;

    assertThat(Mrkdwn.fromMarkdown(table))
        .isEqualTo(
            """
            ```
            test  time  ok
            ----  ----  --
            a&lt;b    3 s  \u2713
            \u65e5\u672c  12 s
            ```

            done\
            """);
  }

  @Test
  void tableWithoutOuterBarsIsRecognized() {
    assertThat(Mrkdwn.fromMarkdown("a | b\n--|--\n1 | 2\n\nend"))
        .isEqualTo("```\na  b\n-  -\n1  2\n```\n\nend");
  }

  @Test
  void aTableThatIsTooWideOrHasLinksIsAList() {
    assertThat(
            Mrkdwn.fromMarkdown(
                "| file | why |\n|---|---|\n| **A** | "
                    + "long ".repeat(20).strip()
                    + " |\n| B | |"))
        .isEqualTo("• *A* · why: " + "long ".repeat(20).strip() + "\n• B");
    assertThat(Mrkdwn.fromMarkdown("| pr | by |\n|---|---|\n| [#7](https://e.x/7) | a\\|b |"))
        .isEqualTo("• <https://e.x/7|#7> · by: a|b");
  }

  @Test
  void barsOutsideATableStayText() {
    assertThat(Mrkdwn.fromMarkdown("a | b\n| x |")).isEqualTo("a | b\n| x |");
  }

  @Test
  void invisibleCharactersAreRemoved() {
    assertThat(Mrkdwn.fromMarkdown("a\u0000b\u202ec\ud83d d \udc00e \ud83d\ude80"))
        .isEqualTo("abc d e \ud83d\ude80");
  }

  @Test
  void aCodeBlockThatIsSplitIsClosedAndOpenedAgain() {
    var split = Mrkdwn.split("```\n" + "0123456789\n".repeat(10) + "```\nend", 60, 9);

    assertThat(split.whole()).isTrue();
    assertThat(split.pieces()).hasSizeGreaterThan(2);
    assertThat(split.pieces())
        .allSatisfy(
            it -> {
              assertThat(it.length()).isLessThanOrEqualTo(60);
              assertThat(it).startsWith("```\n");
              assertThat(it).containsPattern("```(?:\nend)?$");
            });
  }

  @Test
  void aLongLineIsSplitBetweenWordsAndNeverInALinkOrACharacter() {
    var line = "word ".repeat(8) + "<https://e.x|two words> &amp; \ud83d\ude80";

    for (var longest = 60; longest < 150; longest++) {
      var pieces = Mrkdwn.split(line, longest, 99).pieces();
      assertThat(String.join(" ", pieces).replaceAll("\\s+", " "))
          .contains("<https://e.x|two words>", "&amp;", "\ud83d\ude80");
    }
  }

  @Test
  void splitReportsThatTextIsMissing() {
    var split = Mrkdwn.split("0123456789\n".repeat(100), 100, 2);

    assertThat(split.whole()).isFalse();
    assertThat(split.pieces()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "**",
        "* ",
        "**a **b",
        "_",
        "`",
        "``a",
        "[",
        "[a](",
        "()",
        "[a](()",
        "<",
        "- ",
        "-",
        "# ",
        "#",
        " ",
        " a",
        "> ",
        "| ",
        "https://e.x/()",
        "https://e.x/.",
        "~~",
        "\\",
        "\n```\n",
        "&"
      })
  void hostileTextsAreProcessedCompletely(String part) {
    var text = "# https://e.x/" + part.repeat(20_000 / part.length());

    for (var each : List.of(text, part.repeat(20_000 / part.length()), "[x](y" + text)) {
      assertThat(Mrkdwn.split(Mrkdwn.fromMarkdown(each), 2_900, 3).pieces()).hasSizeLessThan(4);
      assertThat(Mrkdwn.plain(each)).isNotNull();
    }
  }

  @Test
  void plainTextKeepsItsCharacters() {
    assertThat(Mrkdwn.plain("a *b* `c < d` https://e.x/?a&b. <!here>"))
        .isEqualTo("a *b* `c &lt; d` <https://e.x/?a&amp;b>. &lt;!here&gt;");
  }

  @Test
  void onlyAPersonOfSlackIsMentioned() {
    assertThat(Mrkdwn.mention(new Actor("U0ANN", "ann"))).isEqualTo("<@U0ANN>");
    assertThat(Mrkdwn.mention(new Actor("octocat", "octo <!channel>")))
        .isEqualTo("octo &lt;!channel&gt;");
    assertThat(Mrkdwn.mention(new Actor("github:U0ANN", "U0ANN"))).isEqualTo("U0ANN");
  }
}
