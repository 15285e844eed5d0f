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
import dev.runnel.core.port.Store.Pending;
import dev.runnel.database.Rows;
import dev.runnel.store.SqlWork.Touched;
import dev.runnel.store.row.QueueTable;
import dev.runnel.store.row.RowSequence;
import dev.runnel.store.row.Statements;
import dev.runnel.store.row.StoredJson;
import dev.runnel.store.row.Urgency;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Deliveries in the table `inbox`.
final class SqlInbox extends SqlQueue<DeliveryId, Delivery> implements Store.Inbox {
  SqlInbox(Statements rows, RowSequence sequence, Set<Touched> touched) {
    super(
        rows,
        sequence,
        touched,
        QueueTable.INBOX,
        DeliveryId::value,
        row -> StoredJson.read(row.getString("body"), Delivery.class));
  }

  @Override
  public boolean offer(Delivery delivery) {
    var isNew =
        rows.change(
                "INSERT INTO inbox (id, meaning, conversation, seq, overtakes, body,"
                    + " due_at, person, urgency) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                    + " ON CONFLICT DO NOTHING",
                delivery.id().value(),
                delivery.conversation().surface() + ":" + delivery.meaning(),
                delivery.conversation().id(),
                sequence.next(),
                delivery.intent().overtakes(),
                StoredJson.write(delivery),
                earlier(delivery.arrivedAt(), sequence.now()),
                person(delivery),
                Urgency.of(delivery).number())
            == 1;
    if (isNew) {
      order(delivery);
      touch(turn(delivery));
    }
    return isNew;
  }

  private static Turn turn(Delivery delivery) {
    return new Turn(delivery.conversation(), Urgency.of(delivery), person(delivery));
  }

  private static String person(Delivery delivery) {
    return delivery.actor().idOn(delivery.id().surface());
  }

  /// Restores the order in which messages were sent, because deliveries may arrive out of order:
  /// moves a message before later ones at the end of the queue that were not attempted yet.
  private void order(Delivery delivery) {
    if (!(delivery.intent() instanceof Intent.Say)) {
      return;
    }
    var messages =
        rows
            .list(
                "SELECT * FROM inbox WHERE conversation = ? AND state = 0 AND overtakes = 0"
                    + " ORDER BY seq DESC",
                row -> new Place(row.getLong("seq"), pending(row)),
                delivery.conversation().id())
            .stream()
            .takeWhile(each -> each.isLaterThan(delivery) || each.is(delivery))
            .toList();
    if (messages.size() < 2) {
      return;
    }
    // The set of sequence numbers stays: each later message gets the next one, the new one the
    // first.
    for (int i = 1; i < messages.size(); i++) {
      place(messages.get(i), messages.get(i - 1).seq());
    }
    place(messages.getFirst(), messages.getLast().seq());
  }

  private void place(Place row, long seq) {
    row.pending().ifPresent(pending -> change("seq = ?", seq, pending.item().id().value()));
  }

  private record Place(long seq, Optional<Pending<Delivery>> pending) {
    boolean is(Delivery delivery) {
      return pending.filter(each -> each.item().id().equals(delivery.id())).isPresent();
    }

    boolean isLaterThan(Delivery delivery) {
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
  public List<Pending<Delivery>> waiting(Conversation conversation) {
    return readable(
        "SELECT * FROM inbox WHERE conversation = ? AND state = 0 AND overtakes = 0 ORDER BY seq",
        conversation.id());
  }

  @Override
  public List<Pending<Delivery>> waitingInPlace(Conversation conversation) {
    var place = conversation.surface() + ":" + conversation.place();
    return readable(
        "SELECT * FROM inbox WHERE substr(conversation, 1, length(?)) = ? AND state = 0 AND"
            + " overtakes = 0 ORDER BY seq",
        place,
        place);
  }

  @Override
  public List<Delivery> stops(Conversation conversation) {
    return readable(
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
  public boolean isOwner(DeliveryId id, Conversation conversation, int tries) {
    return rows.first(
            "SELECT 1 FROM inbox WHERE id = ? AND state = 0 AND conversation = ? AND tries"
                + " = ?",
            row -> row.getInt(1),
            id.value(),
            conversation.id(),
            tries)
        .isPresent();
  }

  @Override
  public boolean isWaiting(DeliveryId id) {
    return rows.first(
            "SELECT 1 FROM inbox WHERE id = ? AND state = 0", row -> row.getInt(1), id.value())
        .isPresent();
  }

  @Override
  public void saveRunBefore(DeliveryId id, Run before) {
    change("seen = ?", StoredJson.write(before), id.value());
  }

  @Override
  public Optional<Run> runBefore(DeliveryId id) {
    return rows.first(
        "SELECT seen FROM inbox WHERE id = ? AND seen IS NOT NULL",
        row -> StoredJson.read(row.getString("seen"), Run.class),
        id.value());
  }

  @Override
  public int countSameText(Delivery delivery) {
    var words = delivery.intent().agentRequest().map(Request::text);
    var done =
        readable(
            "SELECT * FROM inbox WHERE conversation = ? AND state = 1 AND part_of IS NULL",
            delivery.conversation().id());
    return (int)
        done.stream()
            .map(each -> each.item().intent().agentRequest().map(Request::text))
            .filter(each -> each.isPresent() && each.equals(words))
            .count();
  }

  @Override
  public void done(DeliveryId id) {
    change("state = 1, ended_at = ?, why = NULL", sequence.now(), id.value());
  }

  @Override
  public void note(DeliveryId id, String note) {
    change("note = ?", note, id.value());
  }

  /// Without a semantic key this scans the whole table; used for questions of people only.
  @Override
  public List<DeliveryTrace> traces(
      Conversation conversation, Optional<String> meaning, int limit) {
    var column = meaning.isPresent() ? "meaning" : "conversation";
    return rows.list(
        "SELECT * FROM inbox WHERE %s = ? ORDER BY seq DESC LIMIT ?".formatted(column),
        this::trace,
        meaning.map(each -> conversation.surface() + ":" + each).orElse(conversation.id()),
        limit);
  }

  private DeliveryTrace trace(ResultSet row) throws SQLException {
    return new DeliveryTrace(
        pending(row).map(Pending::item),
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
  public boolean discard(DeliveryId id) {
    return rows.change(
            "UPDATE inbox SET state = 1, ended_at = ? WHERE id = ? AND state = 2",
            sequence.now(),
            id.value())
        == 1;
  }

  @Override
  public void replace(Delivery delivery) {
    change(
        "conversation = ?, body = ?, urgency = ?, tries = 0, seen = NULL, why = NULL",
        delivery.conversation().id(),
        StoredJson.write(delivery),
        Urgency.of(delivery).number(),
        delivery.id().value());
    touch(turn(delivery));
  }

  @Override
  public void join(Delivery whole, List<Delivery> parts) {
    change("body = ?", StoredJson.write(whole), whole.id().value());
    parts.forEach(part -> change("part_of = ?", whole.id().value(), part.id().value()));
  }

  @Override
  public List<Delivery> joined(DeliveryId whole) {
    return readable("SELECT * FROM inbox WHERE part_of = ? ORDER BY seq", whole.value()).stream()
        .map(Pending::item)
        .toList();
  }

  @Override
  public Optional<Known> findByMeaning(SurfaceId surface, String meaning) {
    return rows.first(
        "SELECT body, tries, state = 0 AND seen IS NULL AND part_of IS NULL AS waits FROM"
            + " inbox WHERE meaning = ?",
        row ->
            new Known(
                StoredJson.read(row.getString("body"), Delivery.class),
                row.getBoolean("waits"),
                row.getInt("tries")),
        surface + ":" + meaning);
  }

  /// A row's sequence number is close to its time of arrival. This scans the whole table; used only
  /// for a few checks after a catch-up.
  @Override
  public List<Delivery> acceptedBetween(Conversation conversation, Instant from, Instant to) {
    return readable(
            "SELECT * FROM inbox WHERE conversation = ? AND seq BETWEEN ? AND ?",
            conversation.id(),
            from,
            to)
        .stream()
        .map(Pending::item)
        .toList();
  }

  @Override
  public Optional<Instant> readThrough(SurfaceId surface) {
    return rows.first(
        "SELECT through FROM catch_ups WHERE surface = ?",
        row -> Rows.instant(row, "through"),
        surface.value());
  }

  @Override
  public void readThrough(SurfaceId surface, Instant through) {
    rows.change(
        "INSERT INTO catch_ups (surface, through) VALUES (?, ?) ON CONFLICT (surface) DO"
            + " UPDATE SET through = excluded.through",
        surface.value(),
        through);
  }
}
