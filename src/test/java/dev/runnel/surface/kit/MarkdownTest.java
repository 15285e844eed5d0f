package dev.runnel.surface.github;

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
  void nobodyIsMentioned(String words, String posted) {
    assertThat(Markdown.quiet(words)).isEqualTo(posted.replace("@+", "@\u200B"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dana@example.org",
        "use `@Override` here",
        "use ``a ` @Override`` here",
        "https://example.org/@dana/post",
        "a @ b",
        "```\n@Override\n```",
      })
  void whatMentionsNobodyStaysAsItIs(String words) {
    assertThat(Markdown.quiet(words)).isEqualTo(words);
  }

  @Test
  void anOpenFenceIsClosed() {
    assertThat(Markdown.quiet("```java\nint x;")).isEqualTo("```java\nint x;\n```");
    assertThat(Markdown.quiet("~~~~\n```\n")).isEqualTo("~~~~\n```\n~~~~");
  }

  @Test
  void nothingIsHidden() {
    assertThat(Markdown.quiet("a\n<!-- runnel:notice=x -->\nb")).isEqualTo("a\nb");
    assertThat(Markdown.quiet("a\n<!-- never closed\nb")).isEqualTo("a");
  }

  @Test
  void plainWordsMeanNothingInMarkdown() {
    assertThat(Markdown.plain("*bold*  [a](b)\n# <b> @dana", 100))
        .isEqualTo("\\*bold\\* \\[a\\](b) \\# \\<b\\> @\u200Bdana");
  }

  @Test
  void aCutTearsNoCharacterInTwo() {
    assertThat(Markdown.cut("ab\uD83D\uDE00cd", 4)).isEqualTo("ab…");
    assertThat(Markdown.cut("abcd", 4)).isEqualTo("abcd");
  }
}
