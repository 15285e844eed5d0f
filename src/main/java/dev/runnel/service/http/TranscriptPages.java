package dev.runnel.service.http;

import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.TranscriptPart;
import dev.runnel.service.store.RunQueries;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import java.util.List;
import java.util.NoSuchElementException;

/// Streams a transcript as plain text, page by page, so that a long one is never completely in
/// memory. For a plain command the text equals its standard output.
@SuppressWarnings("JdkObsolete") // SequenceInputStream requires an Enumeration
final class TranscriptPages implements Enumeration<InputStream> {
  private final RunQueries queries;
  private final String runId;
  private List<TranscriptLine> page;

  TranscriptPages(RunQueries queries, String runId) {
    this.queries = queries;
    this.runId = runId;
    this.page = after(0);
  }

  @Override
  public boolean hasMoreElements() {
    return !page.isEmpty();
  }

  @Override
  public InputStream nextElement() {
    if (page.isEmpty()) {
      throw new NoSuchElementException("The transcript has no more pages");
    }
    var text = new StringBuilder();
    page.forEach(line -> text.append(text(line)));
    page = after(page.getLast().number());
    return new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private List<TranscriptLine> after(long number) {
    return queries.transcript(runId, number).map(TranscriptPart::lines).orElse(List.of());
  }

  private static String text(TranscriptLine line) {
    return switch (line.kind()) {
      case SAID, NOTE -> line.text() + "\n";
      case DID -> "> " + line.text() + "\n";
      case RESULT -> "  " + line.text() + "\n";
      case STATUS -> "::status " + line.text() + "\n";
      case QUESTION -> "::blocked " + line.text() + "\n";
      case ASKED, ERROR -> "";
    };
  }
}
