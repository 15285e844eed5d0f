package dev.runnel.core.redact;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.text.Redactor;
import dev.runnel.text.Sha256;
import dev.runnel.text.TerminalText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/// Wraps the run service, which may be an external one: redacts secrets in both directions, and
/// removes terminal control sequences from its responses.
public final class RedactedRuns implements AgentRuns {
  private static final int PIECE = 256 * 1024;

  /// More than any secret has.
  private static final int OVERLAP = 64 * 1024;

  private final AgentRuns runs;
  private final TextMapping redacted;
  private final TextMapping plain;

  public RedactedRuns(AgentRuns runs, Redactor redactor) {
    this.runs = runs;
    this.redacted = new TextMapping(redactor::redact);
    this.plain = new TextMapping(text -> redactor.redact(TerminalText.plain(text)));
  }

  @Override
  public Outcome start(Prompt prompt, DeliveryId key) {
    return withoutSecrets(runs.start(redacted.prompt(prompt), key));
  }

  @Override
  public Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
    return withoutSecrets(runs.findStarted(key, since, words.map(redacted::text)));
  }

  @Override
  public Outcome followUp(RunId run, String text, DeliveryId key) {
    return withoutSecrets(runs.followUp(run, redacted.text(text), key));
  }

  @Override
  public Outcome interrupt(RunId run, String text, DeliveryId key) {
    return withoutSecrets(runs.interrupt(run, redacted.text(text), key));
  }

  @Override
  public Arrival followUpArrival(Run before, String text, int timesSent) {
    return switch (runs.followUpArrival(before, redacted.text(text), timesSent)) {
      case Arrival.Unavailable(var after, var why) ->
          new Arrival.Unavailable(after, plain.text(why));
      case Arrival.Arrived arrived -> arrived;
      case Arrival.NotArrived notArrived -> notArrived;
      case Arrival.Unknowable unknowable -> unknowable;
    };
  }

  @Override
  public Outcome cancel(RunId run) {
    return withoutSecrets(runs.cancel(run));
  }

  @Override
  public Outcome find(RunId run) {
    return withoutSecrets(runs.find(run));
  }

  /// A file with a secret is withheld as a whole, because masking would corrupt it.
  @Override
  public FileContent content(RunFile file, long maxBytes) {
    return switch (runs.content(file, maxBytes)) {
      case FileContent.Read read -> checked(file, read);
      case FileContent.Withheld(var why) -> new FileContent.Withheld(plain.text(why));
      case FileContent.Later(var after, var why) -> new FileContent.Later(after, plain.text(why));
    };
  }

  private FileContent checked(RunFile file, FileContent.Read read) {
    try {
      if (hasSecret(read.copy())) {
        return withheld(read, "it contains a secret");
      }
      // The service may have checked the previous content.
      return isSame(file, read.copy()) ? read : withheld(read, "the agent changed it since");
    } catch (IOException e) {
      return new FileContent.Later(Optional.empty(), "The file could not be checked");
    }
  }

  private static FileContent withheld(FileContent.Read read, String why) throws IOException {
    Files.deleteIfExists(read.copy());
    return new FileContent.Withheld(why);
  }

  private static boolean isSame(RunFile file, Path copy) throws IOException {
    if (file.digest().isEmpty()) {
      return true;
    }
    try (var content = Files.newInputStream(copy)) {
      return file.digest().equals(Sha256.hex(content));
    }
  }

  /// Looks at pieces that overlap, so that a secret on an edge is in one of them.
  private boolean hasSecret(Path copy) throws IOException {
    try (var content = Files.newInputStream(copy)) {
      var piece = new byte[PIECE];
      int kept = 0;
      for (int read = content.readNBytes(piece, 0, PIECE);
          read > 0;
          read = content.readNBytes(piece, kept, PIECE - kept)) {
        var length = kept + read;
        if (hasSecret(piece, length)) {
          return true;
        }
        kept = Math.min(length, OVERLAP);
        System.arraycopy(piece, length - kept, piece, 0, kept);
      }
      return false;
    }
  }

  private boolean hasSecret(byte[] piece, int length) {
    // ISO 8859-1 maps each byte to a character, so that ASCII secrets are found in binary files,
    // too.
    return Stream.of(StandardCharsets.UTF_8, StandardCharsets.ISO_8859_1)
        .map(charset -> new String(piece, 0, length, charset))
        .anyMatch(text -> !redacted.text(text).equals(text));
  }

  @Override
  public RunListing changedSince(Instant since) {
    return withoutSecrets(runs.changedSince(since));
  }

  @Override
  public RunListing unfinished() {
    return withoutSecrets(runs.unfinished());
  }

  private Outcome withoutSecrets(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done(var run) -> new Outcome.Done(plain.run(run));
      case Outcome.Refused(var code, var why, var link) ->
          new Outcome.Refused(code, plain.text(why), link);
      case Outcome.Unavailable(var after, var why) ->
          new Outcome.Unavailable(after, plain.text(why));
      case Outcome.Missing missing -> missing;
    };
  }

  private RunListing withoutSecrets(RunListing runListing) {
    return switch (runListing) {
      case RunListing.Listed(var seen) ->
          new RunListing.Listed(seen.stream().map(plain::run).toList());
      case RunListing.Unavailable(var after, var why) ->
          new RunListing.Unavailable(after, plain.text(why));
    };
  }
}
