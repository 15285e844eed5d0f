package dev.runnel.console;

import dev.runnel.console.numbers.Numbers;
import dev.runnel.console.operation.Operation;
import dev.runnel.console.transcript.RedactedTranscripts;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.AuditReader;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.port.Store;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// Where the console reads what it shows.
///
/// @param isUnavailable whether an error of these says that the database cannot be used now
public record ConsoleData(
    Store store,
    AgentRuns runs,
    RunCatalog catalog,
    Transcripts transcripts,
    AuditReader auditLog,
    Numbers numbers,
    Operation operation,
    Predicate<Throwable> isUnavailable) {
  /// A copy whose transcripts contain no secrets.
  ///
  /// @param redaction removes secrets from a text
  ConsoleData withRedactedTranscripts(UnaryOperator<String> redaction) {
    return new ConsoleData(
        store,
        runs,
        catalog,
        new RedactedTranscripts(transcripts, redaction),
        auditLog,
        numbers,
        operation,
        isUnavailable);
  }
}
