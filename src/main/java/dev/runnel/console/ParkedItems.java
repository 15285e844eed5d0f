package dev.runnel.console;

import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.port.Store;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lists parked items, and retries or discards them.
final class ParkedItems {
  private static final Logger log = LoggerFactory.getLogger(ParkedItems.class);
  private static final int SHOWN = 100;

  private final Store store;
  private final About about;
  private final InstantSource clock;

  ParkedItems(Store store, About about, InstantSource clock) {
    this.store = store;
    this.about = about;
    this.clock = clock;
  }

  /// All parked items, newest first.
  List<ParkedItemView> all() {
    var now = clock.instant();
    return store.<List<ParkedItemView>>commit(
        work ->
            Stream.concat(
                    work.inbox().parked(SHOWN).stream()
                        .map(each -> ParkedItemView.said(each, about, now)),
                    work.outbox().parked(SHOWN).stream()
                        .map(each -> ParkedItemView.told(each, about, now)))
                .sorted(
                    Comparator.comparing((ParkedItemView each) -> Instant.parse(each.since()))
                        .reversed())
                .limit(SHOWN)
                .toList());
  }

  /// Retries or discards an item; does nothing if that has happened already.
  ///
  /// @throws IllegalArgumentException if the form asks for another action
  void act(Form form) {
    var done =
        switch (form.lane() + " " + form.action()) {
          case ParkedItemView.SAID + " retry" ->
              store.<Boolean>commit(work -> work.inbox().retry(new DeliveryId(form.id())));
          case ParkedItemView.SAID + " discard" ->
              store.<Boolean>commit(work -> work.inbox().discard(new DeliveryId(form.id())));
          case ParkedItemView.TOLD + " retry" ->
              store.<Boolean>commit(work -> work.outbox().retry(new NoticeId(form.id())));
          case ParkedItemView.TOLD + " discard" ->
              store.<Boolean>commit(work -> work.outbox().discard(new NoticeId(form.id())));
          default -> throw new IllegalArgumentException("No such action");
        };
    log.info("parked row {} done={} lane={} id={}", form.action(), done, form.lane(), form.id());
  }
}
