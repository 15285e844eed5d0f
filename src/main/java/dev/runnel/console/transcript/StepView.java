package dev.runnel.console.transcript;

import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.transcript.Transcripts.Line;
import java.util.ArrayList;
import java.util.List;

/// A step of a transcript: one line, or a tool call with its results, which can be folded.
///
/// Public because the templates are in another package.
///
/// @param showsTime whether its time differs from that of the step before
/// @param results lines of results; empty for all but tool calls
public record StepView(LineView line, boolean showsTime, List<LineView> results) {
  private static final int MAX_OPEN = 12;

  public StepView {
    results = List.copyOf(results);
  }

  /// Whether it can be folded.
  public boolean folds() {
    return !results.isEmpty();
  }

  /// Whether it is short enough to show its results at first.
  public boolean isOpen() {
    return results.size() <= MAX_OPEN;
  }

  public static List<StepView> of(List<Line> lines) {
    var steps = new ArrayList<StepView>();
    var shown = "";
    for (int i = 0; i < lines.size(); i++) {
      var line = lines.get(i);
      var results = new ArrayList<LineView>();
      if (line.kind() == Kind.DID) {
        while (i + 1 < lines.size() && lines.get(i + 1).kind() == Kind.RESULT) {
          results.add(LineView.of(lines.get(++i)));
        }
      }
      var view = LineView.of(line);
      steps.add(new StepView(view, !view.clock().equals(shown), results));
      shown = view.clock();
    }
    return steps;
  }
}
