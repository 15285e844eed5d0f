package dev.runnel.app.data;

import dev.runnel.console.Transcripts;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.TranscriptPart;

/// Maps the embedded service's transcripts to the console's types; neither package knows the other.
public final class ServiceTranscripts {
  private ServiceTranscripts() {}

  public static Transcripts of(AgentRunService service) {
    return (run, line) -> service.transcript(run.value(), line).map(ServiceTranscripts::part);
  }

  private static Transcripts.Part part(TranscriptPart part) {
    return new Transcripts.Part(
        part.lines().stream().map(ServiceTranscripts::line).toList(), part.mayGrow());
  }

  private static Transcripts.Line line(TranscriptLine line) {
    var kind =
        switch (line.kind()) {
          case ASKED -> Transcripts.Kind.ASKED;
          case SAID -> Transcripts.Kind.SAID;
          case DID -> Transcripts.Kind.DID;
          case RESULT -> Transcripts.Kind.RESULT;
          case STATUS -> Transcripts.Kind.STATUS;
          case QUESTION -> Transcripts.Kind.QUESTION;
          case ERROR -> Transcripts.Kind.ERROR;
          case NOTE -> Transcripts.Kind.NOTE;
        };
    return new Transcripts.Line(line.number(), line.execution(), kind, line.at(), line.text());
  }
}
