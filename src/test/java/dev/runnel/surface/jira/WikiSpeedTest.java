package dev.runnel.surface.jira;

import dev.runnel.testkit.ParserSpeed;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whatever a stranger writes in Jira, reading it takes linear time.
@Tag("slow")
class WikiSpeedTest {
  @Test
  void wikiMarkupIsReadInLinearTime() throws Exception {
    ParserSpeed.assertLinear(text -> WikiReader.markdown(text, UnaryOperator.identity()));
  }

  @Test
  void wikiMarkupIsWrittenInLinearTime() throws Exception {
    ParserSpeed.assertLinear(text -> WikiText.of(Adf.document(text)));
  }
}
