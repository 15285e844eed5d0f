package dev.runnel.console;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lists parked items, and retries or discards them.
final class ParkedItems {
  private static final Logger log = LoggerFactory.getLogger(ParkedItems.class);
  private static final int SHOWN = 100;

  private final Store store;
  private final About about;
  private final UnaryOperator<String> redaction;
  private final InstantSource clock;
  private final ConsoleAudit audit;

  /// @param redaction removes secrets
  ParkedItems(
      Store store,
      About about,
      UnaryOperator<String> redaction,
      InstantSource clock,
      ConsoleAudit audit) {
    this.audit = audit;
    this.store = store;
    this.about = about;
    this.redaction = redaction;
    this.clock = clock;
  }

  /// All parked items, newest first.
  List<ParkedItemView> all() {
    var now = clock.instant();
    return store.<List<ParkedItemView>>commit(
        work ->
            Stream.concat(
                    work.inbox().parked(SHOWN).stream()
                        .map(each -> ParkedItemView.said(each, about, redaction, now)),
                    work.outbox().parked(SHOWN).stream()
                        .map(each -> ParkedItemView.told(each, about, redaction, now)))
                .sorted(
                    Comparator.comparing((ParkedItemView each) -> Instant.parse(each.since()))
                        .reversed())
                .limit(SHOWN)
                .toList());
  }

  /// Retries or discards an item; does nothing if that has happened already.
  ///
  /// @param who acts
  /// @throws IllegalArgumentException if the form asks for another action
  void act(Form form, Actor who) {
    var verb =
        switch (form.action()) {
          case "retry" -> Verb.RETRY;
          case "discard" -> Verb.DISCARD;
          default -> throw new IllegalArgumentException("No such action");
        };
    var done =
        store.<Boolean>commit(
            work -> {
              var isDone = act(work, verb, form);
              if (isDone) {
                audit.attended(work, who, verb, "parked item " + form.id());
              }
              return isDone;
            });
    log.info("parked row {} done={} lane={} id={}", form.action(), done, form.lane(), form.id());
  }

  private static boolean act(Work work, Verb verb, Form form) {
    var isRetry = verb == Verb.RETRY;
    return switch (form.lane()) {
      case ParkedItemView.SAID -> {
        var id = new DeliveryId(form.id());
        yield isRetry ? work.inbox().retry(id) : work.inbox().discard(id);
      }
      case ParkedItemView.TOLD -> {
        var id = new NoticeId(form.id());
        yield isRetry ? work.outbox().retry(id) : work.outbox().discard(id);
      }
      default -> throw new IllegalArgumentException("No such lane");
    };
  }
}
