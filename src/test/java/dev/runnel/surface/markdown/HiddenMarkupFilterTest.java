package dev.runnel.surface.markdown;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HiddenMarkupFilterTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "<!-- obey -->",
        "<div hidden>obey</div>",
        "<div HIDDEN=''>\n\nobey\n\n```\nobey\n```\n</div>",
        "<div hidden><div>obey</div> obey</div>",
        "<div hidden/>obey</div>",
        "<ul><li hidden>obey</ul>",
        "<details><p hidden>obey</details>",
        "<p title='>' style='display:none'>obey</p>",
        "<p style=\"display: none\">obey</p>",
        "<p style='Visibility:hidden; margin:0'>obey</p>",
        "<span style=\"font-size:0\">obey</span>",
        "<span style=\"font-size:1px;\">obey</span>",
        "<span style=\"opacity:0\">obey</span>",
        "<span style=\"color: #FFFFFF\">obey</span>",
        "<span style=\"background-color:red; color:white\">obey</span>",
        "<font color=white>obey</font>",
        "<span style=\"position:absolute;left:-9999px\">obey</span>",
        "<script>obey</script>",
        "<style>obey {}</style>",
        "<template>obey</template>",
        "<input type=\"hidden\" value=\"obey\">",
        "<img src=\"x.png\" width=\"1\" height=\"1\" alt=\"obey\">",
        "<?obey ?>",
        "<![CDATA[obey]]>",
        "<!DOCTYPE obey>",
        "[//]: # (obey)",
        "[comment]: <> \"obey\"",
        "[obey]: https://example.org",
        "[obey]:\nhttps://example.org\n'obey\nobey'",
      })
  void hiddenMarkupIsRemoved(String hidden) {
    assertThat(HiddenMarkupFilter.text("It broke.\n\n" + hidden + "\n\nSince Monday."))
        .doesNotContain("obey")
        .startsWith("It broke.")
        .endsWith("Since Monday.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "![a red screen](https://e.org/x.png)    | [image: a red screen](https://e.org/x.png)",
        "![](https://e.org/x.png)                | [image](https://e.org/x.png)",
        "![a](https://e.org/x.png \"obey\")      | [image: a](https://e.org/x.png)",
        "<img alt=\"a\" src=\"https://e.org/x\"> | [image: a](https://e.org/x)",
        "[the log](https://e.org/l 'obey')       | [the log](https://e.org/l)",
        "[a](https://e.org/l \"o\\\"bey\")      | [a](https://e.org/l)",
        "[a](<b c> 'obey')                       | [a](<b c>)",
        "[![a](b 'obey')](c 'obey')              | [[image: a](b)](c)",
        "![a [b] c](x (obey))                    | [image: a (b) c](x)",
        "![a\\] b &#93;](x)                       | [image: a) b )](x)",
        "<img alt=\"a] b\" src=\"x\">             | [image: a) b](x)",
        "![a <b title='obey'>c</b>](x)           | [image: a c](x)",
        "![a][b]                                 | ![a][b]",
        "\\<div hidden>x</div>                   | \\<div hidden>x</div>",
        "<a href=\"https://e.org\" title=\"obey\">x</a> | <a href=\"https://e.org\">x</a>",
        "<p data-words=\"obey\">x</p>            | <p>x</p>",
        "<details><summary>Log</summary>x</details> | <details><summary>Log</summary>x</details>",
        "a <b and c> d, List<String>, 1 < 2 > 0  | a <b> d, List<String>, 1 < 2 > 0",
        "mail <dana@example.org>                 | mail <dana@example.org>",
        "use the <script> tag                    | use the <script> tag",
        "<p style=\"opacity:0.9\">x</p>          | <p>x</p>",
      })
  void visibleTextIsKept(String source, String seen) {
    assertThat(HiddenMarkupFilter.text(source)).isEqualTo(seen);
  }

  @Test
  void markupInsideCodeIsKept() {
    var code =
        """
        Put `<div hidden>x</div>` in:

        ```html
        <!-- kept --><p style="display:none" title="kept">kept</p>
        ![kept](x "kept")
        ```
        and ``[a](b "kept")`` and `<b
        hidden>kept</b>` and ``<div hidden>`kept``.

            <div hidden>kept</div>

        - item
            ~~~
            <div hidden>kept</div>
            ~~~\
        """;

    assertThat(HiddenMarkupFilter.text(code)).isEqualTo(code);
  }

  @Test
  void linkDefinitionKeepsItsAddressButNotItsTitle() {
    assertThat(
            HiddenMarkupFilter.text(
                "See [log] and [^1].\n\n[log]: https://e.org/l \"obey\"\n[^1]: a note"))
        .isEqualTo("See [log] and [^1].\n\n[log]: https://e.org/l\n[^1]: a note");
  }

  @Test
  void imageDescriptionIsShortened() {
    assertThat(HiddenMarkupFilter.text("![" + "long ".repeat(500) + "](x)")).hasSizeLessThan(130);
  }

  @Test
  void unclosedTagHidesNothing() {
    assertThat(HiddenMarkupFilter.text("<div hidden>\n\nseen")).isEqualTo("<div hidden>\n\nseen");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<a ",
        "<!--",
        "<div hidden>",
        "![",
        "](x \"",
        "[a]: ",
        "`",
        "<?",
        "<![CDATA[",
        "<a b='"
      })
  void longRepetitiveInputIsProcessedInTime(String much) {
    var began = System.nanoTime();

    assertThat(HiddenMarkupFilter.text(much.repeat(200_000))).isNotNull();

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void hiddenAttributeIsFoundAmongManyOthers() {
    var attributes =
        IntStream.range(0, 600).mapToObj(each -> "a" + each).collect(Collectors.joining(" "));

    assertThat(HiddenMarkupFilter.text("seen <b " + attributes + " hidden>obey</b>"))
        .isEqualTo("seen");
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 249, 250, 600, 5_000})
  void deepNestingDoesNotRevealHiddenText(int depth) {
    assertThat(HiddenMarkupFilter.text("<x>".repeat(depth) + "<b hidden><i>x</i>obey</b> seen"))
        .startsWith("<x>")
        .doesNotContain("obey");
  }

  @Test
  void unmatchedEndTagsAreProcessedInTime() {
    var text = "<a>".repeat(16_000) + "</b>".repeat(13_000);

    assertTimeoutPreemptively(
        Duration.ofSeconds(20), () -> assertThat(HiddenMarkupFilter.text(text)).isEqualTo(text));
  }

  @Test
  void randomMarkupIsProcessedWithoutAnError() {
    var parts =
        new String[] {
          "<div hidden>",
          "</div>",
          "<!--",
          "-->",
          "`",
          "```\n",
          "\n",
          "![",
          "](",
          ")",
          "\"",
          "[a]:",
          "<img ",
          ">",
          "=",
          "'",
          "x",
          " ",
          "\uE000",
          "\uE0001\uE001"
        };
    var seed = new Random().nextLong();
    var chance = new Random(seed);
    for (var round = 0; round < 3_000; round++) {
      var text = new StringBuilder();
      for (var length = chance.nextInt(30); length > 0; length--) {
        text.append(parts[chance.nextInt(parts.length)]);
      }
      assertThat(HiddenMarkupFilter.text(text.toString()))
          .as("seed %d", seed)
          .doesNotContain("\uE000");
    }
  }
}
