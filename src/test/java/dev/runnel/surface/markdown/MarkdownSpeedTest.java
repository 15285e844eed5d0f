package dev.runnel.surface.markdown;

import dev.runnel.testkit.ParserSpeed;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whatever a stranger writes, reading it takes linear time.
@Tag("slow")
class MarkdownSpeedTest {
  @Test
  void visibleLinesAreReadInLinearTime() throws Exception {
    ParserSpeed.assertLinear(Markdown::visibleLines);
  }

  @Test
  void hiddenMarkupIsRemovedInLinearTime() throws Exception {
    ParserSpeed.assertLinear(HiddenMarkupFilter::text);
  }

  @Test
  void inertTextIsMadeInLinearTime() throws Exception {
    ParserSpeed.assertLinear(text -> Markdown.inert(text, true));
    ParserSpeed.assertLinear(text -> Markdown.plain(text, 1_000));
  }

  @Test
  void answersAreParsedInLinearTime() throws Exception {
    ParserSpeed.assertLinear(MarkdownParser::parse);
  }

  @Test
  void htmlIsConvertedInLinearTime() throws Exception {
    ParserSpeed.assertLinear("<p>", text -> HtmlText.markdown(text, "x", _ -> Optional.empty()));
  }
}
