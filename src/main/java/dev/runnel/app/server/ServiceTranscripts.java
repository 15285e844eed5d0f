package dev.runnel.app.server;

import dev.runnel.console.transcript.Transcripts;
import dev.runnel.core.model.run.RunId;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.TranscriptPart;
import java.util.List;
import java.util.Optional;

/// Maps the embedded service's transcripts to the console's types; neither package knows the other.
record ServiceTranscripts(AgentRunService service) implements Transcripts {
  @Override
  public Optional<Part> after(RunId run, long line) {
    return service.transcript(run.value(), line).map(ServiceTranscripts::part);
  }

  @Override
  public long last(RunId run) {
    return service.lastLine(run.value());
  }

  @Override
  public List<Line> find(RunId run, String text, int most) {
    return service.findLines(run.value(), text, most).stream()
        .map(ServiceTranscripts::line)
        .toList();
  }

  @Override
  public Optional<Long> lastError(RunId run) {
    return Optional.of(service.lastError(run.value())).filter(it -> it > 0);
  }

  private static Part part(TranscriptPart part) {
    return new Part(part.lines().stream().map(ServiceTranscripts::line).toList(), part.mayGrow());
  }

  private static Line line(TranscriptLine line) {
    var kind =
        switch (line.kind()) {
          case ASKED -> Kind.ASKED;
          case SAID -> Kind.SAID;
          case DID -> Kind.DID;
          case RESULT -> Kind.RESULT;
          case STATUS -> Kind.STATUS;
          case QUESTION -> Kind.QUESTION;
          case ERROR -> Kind.ERROR;
          case NOTE -> Kind.NOTE;
        };
    return new Line(line.number(), line.execution(), kind, line.at(), line.text());
  }
}
