package dev.runnel.store;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.database.Rows;
import dev.runnel.store.SqlWork.Touched;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Notices in the table `outbox`.
final class SqlOutbox implements Store.Outbox {
  private static final String IN_ORDER = "ORDER BY seq";

  private final Rows rows;
  private final Sequence sequence;
  private final Set<Touched> touched;
  private final Queue<Notice> queue;

  SqlOutbox(Rows rows, Sequence sequence, Set<Touched> touched) {
    this.rows = rows;
    this.sequence = sequence;
    this.touched = touched;
    this.queue =
        new Queue<>(
            rows,
            Lane.OUTBOX,
            row -> {
              var notice = Json.read(row.getString("body"), Notice.class);
              return new Notice(
                  notice.id(),
                  notice.conversation(),
                  notice.update(),
                  notice.origin(),
                  notice.createdAt(),
                  row.getInt("tries"));
            });
  }

  @Override
  public void add(Notice notice) {
    var statusOf = statusOf(notice);
    Queue.sql(
        () -> {
          if (statusOf != null) {
            // One whose post was begun stays: it may be in the thread already.
            rows.change(
                "DELETE FROM outbox WHERE conversation = ? AND state = 0 AND status_of = ? AND"
                    + " tries = 0",
                notice.conversation().id(),
                statusOf);
          }
          return rows.change(
              "INSERT INTO outbox (id, conversation, seq, status_of, body, due_at) VALUES (?, ?, ?,"
                  + " ?, ?, ?)",
              notice.id().value(),
              notice.conversation().id(),
              sequence.next(),
              statusOf,
              Json.write(notice),
              notice.createdAt());
        });
    touched.add(new Touched(Lane.OUTBOX, notice.conversation()));
  }

  private static @Nullable String statusOf(Notice notice) {
    return notice.update() instanceof Update.Status status ? status.run().id().value() : null;
  }

  @Override
  public Optional<Pending<Notice>> next(Conversation conversation, Instant now) {
    return queue.head(conversation, IN_ORDER).filter(each -> !each.dueAt().isAfter(now));
  }

  @Override
  public Optional<Instant> due(Conversation conversation) {
    return queue.head(conversation, IN_ORDER).map(Pending::dueAt);
  }

  @Override
  public void begin(NoticeId id) {
    queue.begin(id.value());
  }

  @Override
  public void posted(NoticeId id, PostRef ref) {
    queue.change(
        "state = 1, ended_at = ?, post = ?, why = NULL", sequence.now(), ref.value(), id.value());
  }

  @Override
  public Optional<PostRef> statusPost(Conversation conversation, RunId run) {
    return Queue.sql(
        () ->
            rows.first(
                "SELECT post FROM outbox WHERE conversation = ? AND status_of = ? AND state = 1"
                    + " ORDER BY seq DESC LIMIT 1",
                row -> new PostRef(row.getString("post")),
                conversation.id(),
                run.value()));
  }

  @Override
  public Optional<Run> shown(Conversation conversation, RunId run) {
    return Queue.sql(
            () ->
                rows.first(
                    "SELECT body FROM outbox WHERE conversation = ? AND status_of = ? AND state <>"
                        + " 2 ORDER BY seq DESC LIMIT 1",
                    row -> Json.read(row.getString("body"), Notice.class).update(),
                    conversation.id(),
                    run.value()))
        .flatMap(
            update ->
                update instanceof Update.Status status
                    ? Optional.of(status.run())
                    : Optional.empty());
  }

  @Override
  public void later(NoticeId id, Instant dueAt, String why) {
    queue.later(id.value(), dueAt, why);
  }

  @Override
  public void park(NoticeId id, String why) {
    queue.park(id.value(), sequence.now(), why);
  }
}
