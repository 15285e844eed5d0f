package dev.runnel.app.server;

import dev.runnel.console.TranscriptReads;
import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.database.DatabaseException;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.store.audit.AuditLog;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Audits callers of the embedded service's API: changes of keys and schedules, what they do to
/// runs, and reads of transcripts and files. The person is the API key. The calls succeed even if
/// the entry cannot be written.
final class ServiceAudit implements ChangeListener {
  private static final Logger log = LoggerFactory.getLogger(ServiceAudit.class);
  private static final SurfaceId SURFACE = ApiRuns.SURFACE;

  private final AuditLog auditLog;
  private final InstantSource clock;
  private final TranscriptReads reads = new TranscriptReads();

  ServiceAudit(AuditLog auditLog, InstantSource clock) {
    this.auditLog = auditLog;
    this.clock = clock;
  }

  @Override
  public void changed(Caller caller, Kind kind, String what) {
    var verb =
        switch (kind) {
          case KEY -> Verb.KEY;
          case SCHEDULE -> Verb.SCHEDULE;
        };
    write(AuditEntry.of(clock.instant(), person(caller), verb, what));
  }

  /// What happens with the main key is Runnel's own work, whose people are audited where they act.
  @Override
  public void acted(Caller caller, Action action, String runId) {
    if (!caller.equals(Caller.MAIN)) {
      var verb =
          switch (action) {
            case START -> Verb.START;
            case SAY -> Verb.SAY;
            case STOP -> Verb.STOP;
          };
      write(
          AuditEntry.of(clock.instant(), person(caller), verb, "by the API")
              .about(new RunId(runId)));
    }
  }

  /// Reads with the main key are Runnel's own, for the console, which audits its visitors.
  @Override
  public void read(Caller caller, String runId) {
    var now = clock.instant();
    if (!caller.equals(Caller.MAIN) && reads.add(caller.uid(), runId, now)) {
      write(
          AuditEntry.of(now, person(caller), Verb.READ, "the transcript or files, by the API")
              .about(new RunId(runId)));
    }
  }

  private void write(AuditEntry entry) {
    try {
      auditLog.add(entry);
    } catch (DatabaseException e) {
      log.error(
          "audit entry not written by={} verb={} what={} error={}",
          entry.who().id(),
          entry.verb(),
          entry.details(),
          e.toString());
    }
  }

  private static AuditEntry.Person person(Caller caller) {
    return new AuditEntry.Person(
        SURFACE + ":" + caller.uid(),
        caller.equals(Caller.MAIN) ? "the holder of the main key" : caller.name(),
        Optional.empty(),
        SURFACE,
        Optional.empty());
  }
}
