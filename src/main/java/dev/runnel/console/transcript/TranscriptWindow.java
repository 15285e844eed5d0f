package dev.runnel.console.transcript;

import dev.runnel.console.transcript.Transcripts.Line;
import dev.runnel.core.model.run.RunId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// The part of a transcript that a page shows at first, and the hits of a search in all of it. A
/// transcript may have many thousand lines, so a page begins with the last few hundred, or with
/// those around a given one.
///
/// Public because the templates are in another package.
///
/// @param steps the lines shown
/// @param first the number of the first line shown; 0 if there is none
/// @param last the number of the last line shown; 0 if there is none
/// @param end the number of the transcript's last line
/// @param words the searched text; empty without a search
/// @param hits the first lines that contain it
/// @param error the last line of error output; empty if there is none
public record TranscriptWindow(
    List<StepView> steps,
    long first,
    long last,
    long end,
    String words,
    List<Hit> hits,
    Optional<Long> error) {
  /// Number of lines shown at first, and fetched at once.
  public static final int LINES = 400;

  /// Maximum number of hits shown.
  public static final int HITS = 200;

  private static final int BEFORE = 100;
  private static final int EXCERPT = 160;

  /// A line that contains the searched text.
  public record Hit(long number, String text) {}

  public TranscriptWindow {
    steps = List.copyOf(steps);
    hits = List.copyOf(hits);
  }

  /// @param around the line to show; empty for the end
  /// @param words the text to search for; blank for none
  /// @return empty if the run's transcript is not available here
  public static Optional<TranscriptWindow> of(
      Transcripts transcripts, RunId run, Optional<Long> around, String words) {
    var end = transcripts.last(run);
    var from = around.map(it -> it - BEFORE).orElse(end - LINES + 1);
    var after = Math.max(0, Math.min(from, end) - 1);
    var lines =
        around.isPresent()
            ? LinesOfPage.first(transcripts, run, after, LINES)
            : LinesOfPage.last(transcripts, run, after, Long.MAX_VALUE, LINES);
    return lines.map(
        shown ->
            new TranscriptWindow(
                StepView.of(shown),
                shown.isEmpty() ? 0 : shown.getFirst().number(),
                shown.isEmpty() ? 0 : shown.getLast().number(),
                end,
                words,
                words.isBlank()
                    ? List.of()
                    : transcripts.find(run, words, HITS).stream()
                        .map(TranscriptWindow::hit)
                        .toList(),
                transcripts.lastError(run)));
  }

  /// The lines before a given one, at most [#LINES], for a page that shows it already.
  public static List<Line> before(Transcripts transcripts, RunId run, long line) {
    return LinesOfPage.last(transcripts, run, Math.max(0, line - 1 - LINES), line, LINES)
        .orElse(List.of());
  }

  /// The lines after a given one, at most [#LINES].
  public static List<Line> after(Transcripts transcripts, RunId run, long line) {
    return LinesOfPage.first(transcripts, run, line, LINES).orElse(List.of());
  }

  private static Hit hit(Line line) {
    var text = line.text().strip();
    return new Hit(
        line.number(), text.length() > EXCERPT ? text.substring(0, EXCERPT) + "…" : text);
  }

  /// The line after which a stream continues: what is between the shown lines and the end is
  /// fetched by the visitor.
  public long continuesAfter() {
    return reachesEnd() ? last : end;
  }

  public boolean reachesEnd() {
    return last >= end;
  }

  public boolean hasEarlier() {
    return first > 1;
  }

  /// The query of the page that shows a hit.
  public String queryOf(Hit hit) {
    return "?q=%s&line=%d#L%d"
        .formatted(URLEncoder.encode(words, StandardCharsets.UTF_8), hit.number(), hit.number());
  }

  public boolean hasAllHits() {
    return hits.size() < HITS;
  }
}
