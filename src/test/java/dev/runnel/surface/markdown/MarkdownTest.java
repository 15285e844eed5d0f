package dev.runnel.surface.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// In the expected texts `@+` stands for an @ with a zero-width space behind it.
class MarkdownTest {
  @ParameterizedTest
  @CsvSource({
    "thanks @dana, thanks @+dana,",
    "(@acme/team), (@+acme/team)",
    "\\`@dana\\`, \\`@+dana\\`",
    "a ` b @dana, a ` b @+dana",
  })
  void mentionsAreNeutralized(String words, String posted) {
    assertThat(Markdown.inert(words, false)).isEqualTo(posted.replace("@+", "@\u200B"));
  }

  /// Also where an invisible character hides the start of the comment.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Fix <!-- not this --> it",
        "Fix <!\u200B-- not this --> it",
        "Fix\u200B\r\n<!--\nnot this\n-->\n\tit ",
        " Fix \u2028 it",
      })
  void aTitleOnOneLineHasItsVisibleTextOnly(String title) {
    assertThat(Markdown.visibleLine(title, 100)).isEqualTo("Fix it");
  }

  /// It looks like code or a link, but is neither in what a tracker shows.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "- ```\n  x\n  ```\n@dana",
        "1. ~~~\n   x\n   ~~~\n@dana",
        "```\n\t```\n```\n@dana\n",
        "<div>\n~~~\n@dana\n~~~\n</div>",
        "<div>\nhttps://e.org/@dana\n</div>",
        "a ` b\nc ` @dana ` d",
        "<a title=\"`\">@dana<a title=\"`\">",
        "<https://e.org/`>@dana<https://e.org/`>",
        "https://e.org/` @dana `",
        "| a | b |\n|---|---|\n| ` @dana | ` |",
        "| a |\n|---|\n| \\|\\|\\|\\|\\|\\|\\|\\|@dana `12345` |",
        "https://@dana",
        "https://e/@dana",
        "https://a_b.c_d/@dana",
        "xhttps://e.org/@dana",
        "_a_@dana",
        "@&#100;ana",
        "&#64;dana",
        "&#x0040;dana",
        "&commat;dana",
        "@<5f8d-dana>",
        "@_dana",
      })
  void mentionsInTextThatResemblesCodeOrLinksAreNeutralized(String words) {
    assertThat(Markdown.inert(words, false))
        .containsPattern("(@|&#64;|&#x0040;|&commat;)\u200B")
        .doesNotContainPattern("(@|&#64;|&#x0040;|&commat;)(?!\u200B)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dana@example.org",
        "use `@Override` here",
        "use ``a ` @Override`` here",
        "https://example.org/@dana/post",
        "see <https://example.org/@dana> and [it](https://example.org/@dana)",
        "- ```\n  @Override\n  ```",
        "a @ b",
        "```\n@Override\n```",
      })
  void textWithoutMentionsStaysUnchanged(String words) {
    assertThat(Markdown.inert(words, false)).isEqualTo(words);
  }

  /// Whoever looked at it would ask a server for a picture, with words in its address.
  @ParameterizedTest
  @CsvSource({
    "look: ![a](https://e.org/?b), look: \\![a](https://e.org/?b)",
    "![a][b], \\![a][b]",
    "<img src=x>, \\<img src=x>",
    "a <IMG src=x/> b, a \\<IMG src=x/> b",
    "<picture><source srcset=x></picture>, \\<picture>\\<source srcset=x></picture>",
    "\\![a](b), \\![a](b)",
    "`![a](b)` is! [c](d), `![a](b)` is! [c](d)",
    "<images>, <images>",
  })
  void imagesAreEscapedSoThatNothingIsFetched(String words, String posted) {
    assertThat(Markdown.inert(words, false)).isEqualTo(posted);
  }

  @Test
  void anOpenFenceIsClosed() {
    assertThat(Markdown.inert("```java\nint x;", false)).isEqualTo("```java\nint x;\n```");
    assertThat(Markdown.inert("~~~~\n```\n", false)).isEqualTo("~~~~\n```\n~~~~");
  }

  @ParameterizedTest
  @CsvSource({
    "/close this, \\/close this",
    "'a\n /assign @dana', 'a\n \\/assign @+dana'",
    "see a/b, see a/b",
    "'```\n/close\n```', '```\n /close\n```'",
    "'````\n/close\n````', '````\n /close\n````'",
    "'~~~\n/close\n~~~', '~~~\n /close\n~~~'",
    "'- ```\n  x\n  ```\n/close', '- ```\n  x\n  ```\n\\/close'",
  })
  void slashCommandsAreEscaped(String words, String posted) {
    assertThat(Markdown.inert(words.replace("\\n", "\n"), true))
        .isEqualTo(posted.replace("\\n", "\n").replace("@+", "@\u200B"));
  }

  /// GitLab takes the first three lines for front matter, not for the start of a block.
  @Test
  void slashCommandsAreEscapedEvenInCodeAndFrontMatter() {
    assertThat(Markdown.inert("---\n~~~\n---\n/merge\n/merge\n~~~", true))
        .isEqualTo("---\n~~~\n---\n /merge\n /merge\n~~~");
  }

  @Test
  void htmlCommentsAreRemoved() {
    assertThat(Markdown.inert("a\n<!-- runnel:notice=x -->\nb", false)).isEqualTo("a\nb");
    assertThat(Markdown.inert("a\n<!-- never closed\nb", false)).isEqualTo("a");
    assertThat(Markdown.inert("- ```\n  x\n  ```\n<!-- runnel:notice=x -->\nb", false))
        .isEqualTo("- ```\n  x\n  ```\nb");
  }

  /// One backtick alone begins no code, so the comment is not shown.
  @Test
  void htmlCommentBehindAnOddBacktickIsRemoved() {
    assertThat(Markdown.inert("it`s <!-- unseen --> here", false)).isEqualTo("it`s  here");
    assertThat(Markdown.inert("`` a ` <!-- unseen --> b", false)).isEqualTo("`` a `  b");
    assertThat(Markdown.inert("a ` b\n<!-- unseen -->\nc", false)).isEqualTo("a ` b\nc");
  }

  @Test
  void htmlCommentInCodeStays() {
    assertThat(Markdown.inert("see `<!-- a -->` and `` `<!-- b --> ``", false))
        .isEqualTo("see `<!-- a -->` and `` `<!-- b --> ``");
  }

  @Test
  void plainTextIsEscapedInMarkdown() {
    assertThat(Markdown.plain("*bold*  [a](b)\n# <b> @dana", 100))
        .isEqualTo("\\*bold\\* \\[a\\](b) \\# \\<b\\> @\u200Bdana");
  }
}
