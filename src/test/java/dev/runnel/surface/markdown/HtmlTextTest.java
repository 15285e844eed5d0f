package dev.runnel.surface.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HtmlTextTest {
  private static String markdown(String html) {
    return HtmlText.markdown(
        html, "data-person", id -> id.equals("1") ? Optional.of("@agent") : Optional.empty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '¦',
      textBlock =
          """
          <div>one</div><div>two</div> ¦ one~two
          one<br>two<br/>three ¦ one~two~three
          <p>one</p><p>two</p> ¦ one~~two
          <div>  many \t spaces&nbsp;here </div> ¦ many spaces here
          <div><b>bold</b> and <i>not</i></div> ¦ bold and not
          <h2>Head</h2><div>text</div> ¦ ## Head~~text
          <ul><li>a</li><li>b</li></ul>c ¦ - a~- b~~c
          <ol><li>a</li><li>b</li></ol> ¦ 1. a~2. b
          <ul><li>a<ul><li>b</li></ul></li><li>c</li></ul> ¦ - a~  - b~- c
          <blockquote>said<br>so</blockquote>no ¦ > said~> so~~no
          a <code>x < y</code> ¦ a `x < y`
          <code>a ` b</code> ¦ ``a ` b``
          <pre>a~  b</pre> ¦ ```~a~  b~```
          <a href="https://x.example/a b">x</a> ¦ [x](<https://x.example/ab>)
          <a href="#top">x</a> ¦ x
          <img src="https://x.example/y" alt="a]b"> ¦ ![a b](<https://x.example/y>)
          <table><tr><td>a</td><td>b</td></tr></table> ¦ a | b
          a &lt;!-- b --&gt; ¦ a &lt;!-- b -->
          <a data-person="1">@Runnel</a> fix it ¦ @agent fix it
          <a data-person="2">@Lee</a> look ¦ @Lee look
          """,
      maxCharsPerColumn = 500)
  void htmlBecomesMarkdown(String html, String markdown) {
    assertThat(markdown(html.replace('~', '\n'))).isEqualTo(markdown.replace('~', '\n'));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<div>seen<div style='display:none'>hidden</div></div>",
        "<div>seen<span style='color: white'>hidden</span></div>",
        "<div>seen<span style='font-size:0px'>hidden</span></div>",
        "<div>seen<!-- hidden --></div>",
        "<div>seen</div><script>hidden</script>",
        "<div>seen</div><style>hidden</style>",
        "<div>seen</div><template>hidden</template>",
        "<div title='hidden' onclick='hidden()'>seen</div>",
        "<div hidden>hidden</div>seen",
        "<pre>seen<span style='opacity:0'>hidden</span></pre>",
        "seen\n\n    <div style='display:none'>hidden</div>",
      })
  void hiddenHtmlIsRemoved(String html) {
    assertThat(markdown(html)).contains("seen").doesNotContain("hidden");
  }

  @Test
  void deeplyNestedHtmlIsConverted() {
    assertThat(markdown("<div>".repeat(50_000) + "deep")).hasSizeLessThan(200);
    assertThat(markdown("<ul><li>".repeat(200) + "deep")).endsWith("deep");
  }

  @Test
  void emptyHtmlBecomesEmptyText() {
    assertThat(markdown("<div><br></div>")).isEmpty();
    assertThat(markdown("")).isEmpty();
  }

  /// Each line has a sign for each quote around it, and the parser repeats elements that do not
  /// end.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "<blockquote>*200|a<br>*15000",
        "<blockquote>*200|<pre>*1|a\n*40000",
        "<ul><li>*100|a<br>*15000",
        "<ul><li>*10000|deep*1",
        "<blockquote>*8000|deep*1",
        "<a href='*1|x*40000|'>*1|<p>x*10000",
        "<b><i>*10000|deep*1",
        "<p><b>*12000|deep*1",
      })
  @Timeout(10)
  void markdownIsNotMuchLongerThanItsHtml(String parts) {
    var html =
        Arrays.stream(parts.split("\\|"))
            .map(part -> part.split("\\*"))
            .map(part -> part[0].replace("\\n", "\n").repeat(Integer.parseInt(part[1])))
            .collect(Collectors.joining());

    assertThat(markdown(html).length()).isBetween(1, 300_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<img src='s' alt='a`'>WORDS<img src='s' alt='b`'>",
        "<img src='s' alt='a\\'>WORDS](u)",
        "<img src='s\\' alt='a'>WORDS>)",
        "![WORDS](u)",
        "!<b>[WORDS](u)</b>",
        "!<a href='u'>WORDS</a>",
      })
  void picturesHideNoVisibleText(String html) {
    var words = "words that people see ".repeat(9);

    assertThat(HiddenMarkupFilter.text(markdown(html.replace("WORDS", words))))
        .contains(words.strip());
  }

  @Test
  void imageDescriptionIsShortened() {
    assertThat(markdown("seen<img src='s' alt='" + "hidden ".repeat(1_000) + "'>"))
        .hasSizeLessThan(200);
  }
}
