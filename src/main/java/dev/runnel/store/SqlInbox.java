package dev.runnel.store;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Parked;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.database.Rows;
import dev.runnel.store.SqlWork.Touched;
import dev.runnel.store.row.QueueRows;
import dev.runnel.store.row.QueueTable;
import dev.runnel.store.row.RowSequence;
import dev.runnel.store.row.StoredJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Deliveries in the table `inbox`.
final class SqlInbox implements Store.Inbox {
  private final Rows rows;
  private final RowSequence sequence;
  private final Set<Touched> touched;
  private final QueueRows<Delivery> queue;

  SqlInbox(Rows rows, RowSequence sequence, Set<Touched> touched) {
    this.rows = rows;
    this.sequence = sequence;
    this.touched = touched;
    this.queue =
        new QueueRows<>(
            rows, QueueTable.INBOX, row -> StoredJson.read(row.getString("body"), Delivery.class));
  }

  @Override
  public boolean offer(Delivery delivery) {
    var isNew =
        QueueRows.sql(
                () ->
                    rows.change(
                        "INSERT INTO inbox (id, meaning, conversation, seq, overtakes, body,"
                            + " due_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                        delivery.id().value(),
                        delivery.conversation().surface() + ":" + delivery.meaning(),
                        delivery.conversation().id(),
                        sequence.next(),
                        delivery.intent().overtakes(),
                        StoredJson.write(delivery),
                        earlier(delivery.arrivedAt(), sequence.now())))
            == 1;
    if (isNew) {
      order(delivery);
      touched.add(new Touched(QueueTable.INBOX, delivery.conversation()));
    }
    return isNew;
  }

  /// Restores the order in which messages were sent, because deliveries may arrive out of order:
  /// moves a message before later ones that are still untried at the end of the queue.
  private void order(Delivery delivery) {
    if (!(delivery.intent() instanceof Intent.Say)) {
      return;
    }
    var said =
        QueueRows.sql(
                () ->
                    rows.list(
                        "SELECT * FROM inbox WHERE conversation = ? AND state = 0 AND overtakes = 0"
                            + " ORDER BY seq DESC",
                        row -> new Place(row.getLong("seq"), queue.pending(row)),
                        delivery.conversation().id()))
            .stream()
            .takeWhile(each -> each.isSaidAfter(delivery) || each.is(delivery))
            .toList();
    if (said.size() < 2) {
      return;
    }
    // The sequence numbers stay; each message gets the next one, and the new message the first.
    for (int i = 1; i < said.size(); i++) {
      place(said.get(i), said.get(i - 1).seq());
    }
    place(said.getFirst(), said.getLast().seq());
  }

  private void place(Place row, long seq) {
    row.pending().ifPresent(pending -> queue.change("seq = ?", seq, pending.item().id().value()));
  }

  private record Place(long seq, Optional<Pending<Delivery>> pending) {
    boolean is(Delivery delivery) {
      return pending.filter(each -> each.item().id().equals(delivery.id())).isPresent();
    }

    boolean isSaidAfter(Delivery delivery) {
      return pending
          .filter(each -> each.tries() == 0 && each.item().intent() instanceof Intent.Say)
          .filter(each -> each.item().saidAt().isAfter(delivery.saidAt()))
          .isPresent();
    }
  }

  /// The clock that stamps arrivals may be ahead of the workers' clock.
  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  @Override
  public Optional<Pending<Delivery>> next(Conversation conversation, Instant now) {
    return queue.next(now, () -> candidates("*", conversation, queue::candidate));
  }

  @Override
  public Optional<Instant> due(Conversation conversation) {
    return candidates("due_at", conversation, row -> Rows.instant(row, "due_at")).stream()
        .min(Instant::compareTo);
  }

  /// The rows that may be processed next: all that overtake, then the oldest of the others.
  private <R> List<R> candidates(String columns, Conversation conversation, Rows.Reader<R> reader) {
    return QueueRows.sql(
        () ->
            rows.list(
                "SELECT %s FROM inbox WHERE conversation = ? AND state = 0 AND (overtakes = 1 OR seq = (SELECT min(seq) FROM inbox WHERE conversation = ? AND state = 0 AND overtakes = 0)) ORDER BY overtakes DESC, seq"
                    .formatted(columns),
                reader,
                conversation.id(),
                conversation.id()));
  }

  @Override
  public List<Pending<Delivery>> waiting(Conversation conversation) {
    return queue.readable(
        "SELECT * FROM inbox WHERE conversation = ? AND state = 0 AND overtakes = 0 ORDER BY seq",
        conversation.id());
  }

  @Override
  public List<Pending<Delivery>> waitingInPlace(Conversation conversation) {
    var place = conversation.surface() + ":" + conversation.place();
    return queue.readable(
        "SELECT * FROM inbox WHERE substr(conversation, 1, length(?)) = ? AND state = 0 AND"
            + " overtakes = 0 ORDER BY seq",
        place,
        place);
  }

  @Override
  public List<Delivery> stops(Conversation conversation) {
    return queue
        .readable(
            "SELECT * FROM inbox WHERE conversation = ? AND overtakes = 1 AND state = 1 AND note IS"
                + " NOT NULL AND note <> '' AND note NOT LIKE ? ORDER BY seq DESC LIMIT 20",
            conversation.id(),
            REFUSED + "%")
        .stream()
        .map(Pending::item)
        .filter(each -> each.intent() instanceof Intent.Cancel(var run, _) && run.isEmpty())
        .toList();
  }

  @Override
  public void begin(DeliveryId id) {
    queue.begin(id.value());
  }

  @Override
  public boolean holds(DeliveryId id, Conversation conversation, int tries) {
    return QueueRows.sql(
            () ->
                rows.first(
                    "SELECT 1 FROM inbox WHERE id = ? AND state = 0 AND conversation = ? AND tries"
                        + " = ?",
                    row -> row.getInt(1),
                    id.value(),
                    conversation.id(),
                    tries))
        .isPresent();
  }

  @Override
  public boolean isWaiting(DeliveryId id) {
    return QueueRows.sql(
            () ->
                rows.first(
                    "SELECT 1 FROM inbox WHERE id = ? AND state = 0",
                    row -> row.getInt(1),
                    id.value()))
        .isPresent();
  }

  @Override
  public void saveRunBefore(DeliveryId id, Run before) {
    queue.change("seen = ?", StoredJson.write(before), id.value());
  }

  @Override
  public Optional<Run> runBefore(DeliveryId id) {
    return QueueRows.sql(
        () ->
            rows.first(
                "SELECT seen FROM inbox WHERE id = ? AND seen IS NOT NULL",
                row -> StoredJson.read(row.getString("seen"), Run.class),
                id.value()));
  }

  @Override
  public int countSameText(Delivery delivery) {
    var words = delivery.intent().words().map(Request::text);
    var done =
        QueueRows.sql(
            () ->
                rows.list(
                    "SELECT body FROM inbox WHERE conversation = ? AND state = 1 AND part_of IS"
                        + " NULL",
                    row -> StoredJson.read(row.getString("body"), Delivery.class),
                    delivery.conversation().id()));
    return (int)
        done.stream()
            .map(each -> each.intent().words().map(Request::text))
            .filter(each -> each.isPresent() && each.equals(words))
            .count();
  }

  @Override
  public void done(DeliveryId id) {
    queue.end(id.value(), sequence.now());
  }

  @Override
  public void note(DeliveryId id, String note) {
    queue.change("note = ?", note, id.value());
  }

  /// Without a semantic key this scans the whole table; used for questions of people only.
  @Override
  public List<DeliveryTrace> traces(
      Conversation conversation, Optional<String> meaning, int limit) {
    var column = meaning.isPresent() ? "meaning" : "conversation";
    return QueueRows.sql(
        () ->
            rows.list(
                "SELECT * FROM inbox WHERE %s = ? ORDER BY seq DESC LIMIT ?".formatted(column),
                this::trace,
                meaning.map(each -> conversation.surface() + ":" + each).orElse(conversation.id()),
                limit));
  }

  private DeliveryTrace trace(ResultSet row) throws SQLException {
    return new DeliveryTrace(
        queue.pending(row).map(Pending::item),
        switch (row.getInt("state")) {
          case 0 -> DeliveryTrace.State.WAITS;
          case 1 -> DeliveryTrace.State.DONE;
          default -> DeliveryTrace.State.PARKED;
        },
        row.getInt("tries"),
        Rows.instant(row, "due_at"),
        Rows.text(row, "note"),
        Rows.text(row, "why"));
  }

  @Override
  public void later(DeliveryId id, Instant dueAt, String why) {
    queue.later(id.value(), dueAt, why);
  }

  @Override
  public void later(DeliveryId id, Instant dueAt, String why, String service) {
    queue.later(id.value(), dueAt, why, service);
  }

  /// Makes everything due that waits for the service.
  void wake(String service) {
    queue
        .wake(service, sequence.now())
        .forEach(each -> touched.add(new Touched(QueueTable.INBOX, each)));
  }

  @Override
  public void park(DeliveryId id, String why) {
    queue.park(id.value(), sequence.now(), why);
  }

  @Override
  public List<Parked<Delivery>> parked(int limit) {
    return queue.parked(limit);
  }

  @Override
  public boolean retry(DeliveryId id) {
    var conversation = queue.parkedIn(id.value());
    conversation.ifPresent(it -> touched.add(new Touched(QueueTable.INBOX, it)));
    return queue.retry(id.value(), sequence.now());
  }

  @Override
  public boolean discard(DeliveryId id) {
    return QueueRows.sql(
        () ->
            rows.change(
                    "UPDATE inbox SET state = 1, ended_at = ? WHERE id = ? AND state = 2",
                    sequence.now(),
                    id.value())
                == 1);
  }

  @Override
  public void replace(Delivery delivery) {
    queue.change(
        "conversation = ?, body = ?, tries = 0, seen = NULL, why = NULL",
        delivery.conversation().id(),
        StoredJson.write(delivery),
        delivery.id().value());
    touched.add(new Touched(QueueTable.INBOX, delivery.conversation()));
  }

  @Override
  public void join(Delivery whole, List<Delivery> parts) {
    queue.change("body = ?", StoredJson.write(whole), whole.id().value());
    parts.forEach(part -> queue.change("part_of = ?", whole.id().value(), part.id().value()));
  }

  @Override
  public List<Delivery> joined(DeliveryId whole) {
    return QueueRows.sql(
        () ->
            rows.list(
                "SELECT body FROM inbox WHERE part_of = ? ORDER BY seq",
                row -> StoredJson.read(row.getString("body"), Delivery.class),
                whole.value()));
  }

  @Override
  public Optional<Known> findByMeaning(SurfaceId surface, String meaning) {
    return QueueRows.sql(
        () ->
            rows.first(
                "SELECT body, tries, state = 0 AND seen IS NULL AND part_of IS NULL AS waits FROM"
                    + " inbox WHERE meaning = ?",
                row ->
                    new Known(
                        StoredJson.read(row.getString("body"), Delivery.class),
                        row.getBoolean("waits"),
                        row.getInt("tries")),
                surface + ":" + meaning));
  }

  /// A row's sequence number is close to its time of arrival. This scans the whole table; used only
  /// for a few checks after a catch-up.
  @Override
  public List<Delivery> acceptedBetween(Conversation conversation, Instant from, Instant to) {
    return QueueRows.sql(
        () ->
            rows.list(
                "SELECT body FROM inbox WHERE conversation = ? AND seq BETWEEN ? AND ?",
                row -> StoredJson.read(row.getString("body"), Delivery.class),
                conversation.id(),
                from,
                to));
  }

  @Override
  public Optional<Instant> readThrough(SurfaceId surface) {
    return QueueRows.sql(
        () ->
            rows.first(
                "SELECT through FROM catch_ups WHERE surface = ?",
                row -> Rows.instant(row, "through"),
                surface.value()));
  }

  @Override
  public void readThrough(SurfaceId surface, Instant through) {
    QueueRows.sql(
        () ->
            rows.change(
                "INSERT INTO catch_ups (surface, through) VALUES (?, ?) ON CONFLICT (surface) DO"
                    + " UPDATE SET through = excluded.through",
                surface.value(),
                through));
  }
}
