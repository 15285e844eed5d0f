package dev.runnel.console.transcript;

import dev.runnel.core.model.run.RunId;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Redacts secrets in the requests of transcripts. The run service redacts the output of agents,
/// but not their requests.
///
/// @param redaction removes secrets
public record RedactedTranscripts(Transcripts transcripts, UnaryOperator<String> redaction)
    implements Transcripts {
  @Override
  public Optional<Part> after(RunId run, long line) {
    return transcripts.after(run, line).map(it -> new Part(redacted(it.lines()), it.mayGrow()));
  }

  @Override
  public long last(RunId run) {
    return transcripts.last(run);
  }

  @Override
  public List<Line> find(RunId run, String text, int most) {
    return redacted(transcripts.find(run, text, most));
  }

  @Override
  public Optional<Long> lastError(RunId run) {
    return transcripts.lastError(run);
  }

  private List<Line> redacted(List<Line> lines) {
    return lines.stream()
        .map(
            it ->
                it.kind() == Kind.ASKED
                    ? new Line(
                        it.number(), it.execution(), it.kind(), it.at(), redaction.apply(it.text()))
                    : it)
        .toList();
  }
}
