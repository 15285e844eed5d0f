package dev.runnel.console.markup;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class MarkdownHtmlTest {
  private static final Pattern TAG =
      Pattern.compile(
          "</?(?:p|a|h[3-6]|em|strong|del|code|pre|ul|ol|li|table|thead|tbody|tr|th|td|blockquote"
              + "|br|hr)(?: (?:href|target|rel|class|start|align|tabindex)=\"[^\"<>]*\")*(?: /)?>");

  @Test
  void markdownTablesListsAndCodeAreRendered() {
    assertThat(MarkdownHtml.of("# Title\n\n- one\n- `two`\n\n| a |\n|---|\n| 1 |\n"))
        .contains("<h3>Title</h3>", "<li>one</li>", "<code>two</code>", "<td>1</td>");
  }

  @Test
  void webLinksOpenInANewTabWithoutAnOpener() {
    assertThat(MarkdownHtml.of("[here](https://a.example/x?a=1&b=2) and https://b.example/"))
        .contains("href=\"https://a.example/x?a=1&amp;b=2\"", "href=\"https://b.example/\"")
        .contains("rel=\"noopener nofollow\"", "target=\"_blank\"");
  }

  @Test
  void aLabelThatShowsAnotherHostIsReplacedByTheAddress() {
    assertThat(MarkdownHtml.of("[**https://good.example**/login](https://evil.example/x)"))
        .contains(">https://evil.example/x</a>")
        .doesNotContain("good.example");
  }

  @Test
  void anImageIsALinkSoThatNothingIsLoaded() {
    assertThat(MarkdownHtml.of("![a chart](https://a.example/x.png)"))
        .contains(">a chart</a>")
        .doesNotContain("<img");
  }

  @ParameterizedTest
  @FieldSource("dev.runnel.testkit.MarkdownAttacks#ALL")
  void activeMarkupBecomesText(String nasty) {
    var html = MarkdownHtml.of(nasty);

    assertThat(TAG.matcher(html).replaceAll("")).doesNotContain("<");
    assertThat(html.toLowerCase(java.util.Locale.ROOT))
        .doesNotContainPattern("href=\"(?!https?://)");
  }

  @Test
  void deeplyNestedAndLongTextIsRenderedInTime() {
    for (var part : new String[] {"> ", "- ", "[", "*a ", "`", "![", "| "}) {
      Assertions.assertTimeoutPreemptively(
          Duration.ofSeconds(20), () -> MarkdownHtml.of(part.repeat(20_000 / part.length())));
    }
  }
}
