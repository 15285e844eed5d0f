package dev.runnel.console;

import dev.runnel.console.access.Form;
import dev.runnel.console.view.About;
import dev.runnel.console.view.ParkedItemView;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
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
                    work.inbox().parked(ParkedItemView.SHOWN).stream()
                        .map(each -> ParkedItemView.ofDelivery(each, about, redaction, now)),
                    work.outbox().parked(ParkedItemView.SHOWN).stream()
                        .map(each -> ParkedItemView.ofNotice(each, about, redaction, now)))
                .sorted(
                    Comparator.comparing((ParkedItemView each) -> Instant.parse(each.since()))
                        .reversed())
                .limit(ParkedItemView.SHOWN)
                .toList());
  }

  /// A parked item, by its queue and its id there.
  private record Item(String queue, String id) {
    static Item parse(String text) {
      var space = text.indexOf(' ');
      if (space < 0) {
        throw new IllegalArgumentException("Not an item");
      }
      return new Item(text.substring(0, space), text.substring(space + 1));
    }
  }

  /// Retries or discards the form's items in one commit; leaves out items that are no longer
  /// parked.
  ///
  /// @param who the person
  /// @throws IllegalArgumentException if the form asks for another action
  void act(Form form, Actor who) {
    var verb =
        switch (form.action()) {
          case "retry" -> Verb.RETRY;
          case "discard" -> Verb.DISCARD;
          default -> throw new IllegalArgumentException("No such action");
        };
    var items =
        form.items().isEmpty()
            ? List.of(new Item(form.queue(), form.id()))
            : form.items().stream().map(Item::parse).toList();
    var done =
        store.<List<Item>>commit(
            work -> {
              var acted = items.stream().filter(item -> act(work, verb, item)).toList();
              acted.forEach(item -> audit.itemHandled(work, who, verb, "parked item " + item.id()));
              return acted;
            });
    log.info("parked rows {} asked={} done={}", form.action(), items, done.size());
  }

  private static boolean act(Work work, Verb verb, Item item) {
    var isRetry = verb == Verb.RETRY;
    return switch (item.queue()) {
      case ParkedItemView.INBOX -> {
        var id = new DeliveryId(item.id());
        yield isRetry ? work.inbox().retry(id) : work.inbox().discard(id);
      }
      case ParkedItemView.OUTBOX -> {
        var id = new NoticeId(item.id());
        yield isRetry ? work.outbox().retry(id) : work.outbox().discard(id);
      }
      default -> throw new IllegalArgumentException("No such queue");
    };
  }
}
