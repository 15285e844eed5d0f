package dev.runnel.console;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.AuditEntry.Verdict;
import dev.runnel.core.model.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes what people do in the console to the audit log. What they send to runs is audited as a
/// delivery.
///
/// A page is shown and a session begins even if the database does not take the entry, because the
/// console is needed to find out why.
final class ConsoleAudit {
  private static final Logger log = LoggerFactory.getLogger(ConsoleAudit.class);
  private static final AuditEntry.Person PERSON =
      new AuditEntry.Person(
          ConsoleSurface.ID + ":" + ConsoleSurface.PERSON.id(),
          ConsoleSurface.PERSON.name(),
          Optional.empty(),
          ConsoleSurface.ID,
          Optional.empty());

  private final Store store;
  private final InstantSource clock;

  ConsoleAudit(Store store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  void signedIn(String how) {
    write(entry(Verb.SIGN_IN, how));
  }

  void signInRefused(String how) {
    write(entry(Verb.SIGN_IN, how).ruled(Verdict.REFUSED, "wrong"));
  }

  void signedOut(String which) {
    write(entry(Verb.SIGN_OUT, which));
  }

  void read(RunId run, String what) {
    write(entry(Verb.READ, what).about(run));
  }

  /// Somebody gets a copy of the audit log.
  void readLog() {
    write(entry(Verb.READ, "the audit log, as a file"));
  }

  /// In the commit of the change.
  void attended(Work work, Verb verb, String item) {
    work.audit().add(entry(verb, item));
  }

  private AuditEntry entry(Verb verb, String details) {
    return AuditEntry.of(clock.instant(), PERSON, verb, details);
  }

  private void write(AuditEntry entry) {
    try {
      store.change(work -> work.audit().add(entry));
    } catch (RuntimeException e) {
      log.warn("audit entry not written verb={} error={}", entry.verb(), e.toString());
    }
  }
}
