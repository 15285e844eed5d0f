package dev.runnel.console;

import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.AuditEntry.Verdict;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Audits the actions of people in the console. Messages to runs are audited as deliveries.
///
/// A page is shown and a session begins even if the entry cannot be written, because the console is
/// needed to find out why.
final class ConsoleAudit {
  private static final Logger log = LoggerFactory.getLogger(ConsoleAudit.class);
  private static final Actor BY_LINK = new Actor("link", "somebody with a link");

  private final Store store;
  private final InstantSource clock;
  private final TranscriptReads reads = new TranscriptReads();

  ConsoleAudit(Store store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  void signedIn(Actor who, String how) {
    write(entry(who, Verb.SIGN_IN, how));
  }

  /// @param rule the rule that decided; `wrong` for a wrong token
  void signInRefused(Actor who, String how, String rule) {
    write(entry(who, Verb.SIGN_IN, how).decided(Verdict.REFUSED, rule));
  }

  void signedOut(Actor who, String which) {
    write(entry(who, Verb.SIGN_OUT, which));
  }

  void read(Actor who, RunId run, String what) {
    var _ = isNew(who, run);
    write(entry(who, Verb.READ, what).about(run));
  }

  /// Somebody reads lines of the transcript, which a page fetches step by step: audited once an
  /// hour, and not if the person opened the page.
  void readLines(Actor who, RunId run) {
    if (isNew(who, run)) {
      write(entry(who, Verb.READ, "lines of the transcript").about(run));
    }
  }

  /// Somebody who is not signed in opens a link to a run.
  void readByLink(RunId run) {
    write(entry(BY_LINK, Verb.READ, "the run's page, by a link").about(run));
  }

  private boolean isNew(Actor who, RunId run) {
    return reads.add(who.id(), run.value(), clock.instant());
  }

  /// Somebody downloads the audit log.
  void readLog(Actor who) {
    write(entry(who, Verb.READ, "the audit log, as a file"));
  }

  /// Written in the transaction of the change.
  void itemHandled(Work work, Actor who, Verb verb, String item) {
    work.audit().add(entry(who, verb, item));
  }

  /// Somebody changes a schedule or a key.
  void changed(Actor who, Verb verb, String what) {
    write(entry(who, verb, what));
  }

  /// Somebody creates a link that shows a run.
  void shared(Actor who, RunId run) {
    write(entry(who, Verb.LINK, "a link that shows the run for 7 days").about(run));
  }

  private AuditEntry entry(Actor who, Verb verb, String details) {
    var person =
        new AuditEntry.Person(
            who.idOn(ConsoleSurface.ID),
            who.name(),
            Optional.empty(),
            ConsoleSurface.ID,
            Optional.empty());
    return AuditEntry.of(clock.instant(), person, verb, details);
  }

  private void write(AuditEntry entry) {
    try {
      store.change(work -> work.audit().add(entry));
    } catch (RuntimeException e) {
      log.warn("audit entry not written verb={} error={}", entry.verb(), e.toString());
    }
  }
}
