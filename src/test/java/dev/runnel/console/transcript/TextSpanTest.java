package dev.runnel.console.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.transcript.TextSpan.Code;
import dev.runnel.console.transcript.TextSpan.Link;
import dev.runnel.console.transcript.TextSpan.Plain;
import org.junit.jupiter.api.Test;

class TextSpanTest {
  @Test
  void linksAndCodeAreFoundAndPunctuationStaysOutside() {
    assertThat(TextSpan.of("See https://a.example/x?y=1, or run `list`."))
        .containsExactly(
            new Plain("See "),
            new Link("https://a.example/x?y=1"),
            new Plain(", or run "),
            new Code("list"),
            new Plain("."));
  }

  @Test
  void onlyWebAddressesAreLinks() {
    assertThat(TextSpan.of("javascript:alert(1) file:///etc/passwd"))
        .containsExactly(new Plain("javascript:alert(1) file:///etc/passwd"));
  }

  @Test
  void aLinkEndsBeforeAQuoteOrATag() {
    assertThat(TextSpan.of("https://a.example/\"><script>"))
        .containsExactly(new Link("https://a.example/"), new Plain("\"><script>"));
  }

  @Test
  void programOutputLosesItsColoursAndKeepsItsBackticks() {
    assertThat(TextSpan.output("\u001B[1;32mok\u001B[0m `x`")).containsExactly(new Plain("ok `x`"));
  }
}
