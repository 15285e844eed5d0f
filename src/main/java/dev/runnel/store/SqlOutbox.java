package dev.runnel.store;

import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import dev.runnel.store.SqlWork.Touched;
import dev.runnel.store.row.QueueTable;
import dev.runnel.store.row.RowSequence;
import dev.runnel.store.row.Statements;
import dev.runnel.store.row.StoredJson;
import dev.runnel.store.row.Urgency;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Notices in the table `outbox`.
final class SqlOutbox extends SqlQueue<NoticeId, Notice> implements Store.Outbox {
  SqlOutbox(Statements rows, RowSequence sequence, Set<Touched> touched) {
    super(
        rows,
        sequence,
        touched,
        QueueTable.OUTBOX,
        NoticeId::value,
        row -> {
          var notice = StoredJson.read(row.getString("body"), Notice.class);
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
    var due =
        notice.update() instanceof Update.Status status
            ? delayedUntil(notice, status)
            : Optional.<Instant>empty();
    if (due.isPresent()) {
      // The conversation is scheduled for that time already, so no worker is woken.
      insert(notice, due.get(), true);
    } else {
      add(notice, notice.createdAt(), notice.update() instanceof Update.Received);
    }
  }

  /// The due time of a delayed status from which the new one differs in progress only.
  private Optional<Instant> delayedUntil(Notice notice, Update.Status status) {
    return readable(
            "SELECT * FROM outbox WHERE conversation = ? AND state = 0 AND status_of = ? AND"
                + " tries = 0 AND aside = 1 AND waits_for IS NULL AND due_at > ?",
            notice.conversation().id(),
            status.run().id().value(),
            notice.createdAt())
        .stream()
        .filter(
            waiting ->
                waiting.item().update() instanceof Update.Status other
                    && other.state().equals(status.state()))
        .map(Store.Pending::dueAt)
        .findFirst();
  }

  @Override
  public void addAt(Instant due, Notice notice) {
    add(notice, due, true);
  }

  private void add(Notice notice, Instant due, boolean aside) {
    var urgency = insert(notice, due, aside);
    touch(new Turn(notice.conversation(), urgency, person(notice).orElse("")));
  }

  /// @return the class of the new row
  private Urgency insert(Notice notice, Instant due, boolean aside) {
    var statusOf = statusOf(notice);
    var isEdit =
        notice.update() instanceof Update.Status status
            && statusPost(notice.conversation(), status.run().id()).isPresent();
    var urgency = Urgency.of(notice.update(), isEdit);
    if (statusOf != null) {
      // An attempted notice stays, because it may be posted already.
      rows.change(
          "DELETE FROM outbox WHERE conversation = ? AND state = 0 AND status_of = ? AND"
              + " tries = 0",
          notice.conversation().id(),
          statusOf);
    }
    if (notice.update() instanceof Update.Received) {
      // An older reaction may be set already, but must not be set after this one.
      rows.change(
          "UPDATE outbox SET state = 1, ended_at = ? WHERE conversation = ? AND state = 0 AND"
              + " status_of = ?",
          sequence.now(),
          notice.conversation().id(),
          statusOf);
    }
    rows.change(
        "INSERT INTO outbox (id, conversation, seq, status_of, question_of, body, due_at,"
            + " aside, person, urgency) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            + " ON CONFLICT (id) DO NOTHING",
        notice.id().value(),
        notice.conversation().id(),
        sequence.next(),
        statusOf,
        notice.update() instanceof Update.Blocked(var run, _, _) ? run.id().value() : null,
        StoredJson.write(notice),
        due,
        aside,
        person(notice).orElse(null),
        urgency.number());
    return urgency;
  }

  /// For whom the notice is; empty where it is for nobody in particular.
  private static Optional<String> person(Notice notice) {
    var surface = notice.conversation().surface();
    var actor =
        switch (notice.update()) {
          case Update.Reply reply -> Optional.of(reply.to());
          case Update.Status status -> Optional.of(status.requester());
          case Update.Still(var status) -> Optional.of(status.requester());
          case Update.Blocked blocked -> Optional.of(blocked.requester());
          case Update.Succeeded succeeded -> Optional.of(succeeded.requester());
          case Update.Failed failed -> Optional.of(failed.requester());
          case Update.Cancelled cancelled -> Optional.of(cancelled.requester());
          case Update.FileMade made -> Optional.of(made.requester());
          case Update.Reminder reminder -> Optional.of(reminder.requester());
          case Update.QuestionClosed _, Update.Received _ -> Optional.<Actor>empty();
        };
    return actor.map(it -> it.idOn(surface));
  }

  private static @Nullable String statusOf(Notice notice) {
    return switch (notice.update()) {
      case Update.Status status -> status.run().id().value();
      case Update.Received received -> reactionOn(received.message());
      case Update.Reminder reminder -> "reminder:" + reminder.run().id();
      case Update.Screened(_, Screen.Home _) -> "home";
      case Update.Still(Update.Status status) -> "still:" + status.run().id();
      case Update.OfRun _, Update.Reply _ -> null;
    };
  }

  private static String reactionOn(PostRef message) {
    return "sign:" + message;
  }

  @Override
  public void withdraw(NoticeId id) {
    rows.change("DELETE FROM outbox WHERE id = ? AND state = 0", id.value());
  }

  @Override
  public Set<MessageStatus> reactions(Conversation conversation, PostRef message) {
    var reactions =
        readable(
            "SELECT * FROM outbox WHERE status_of = ? AND conversation = ? AND tries > 0"
                + " AND seq >= coalesce((SELECT max(seq) FROM outbox WHERE status_of = ?"
                + " AND conversation = ? AND state = 1 AND post IS NOT NULL), 0)",
            reactionOn(message),
            conversation.id(),
            reactionOn(message),
            conversation.id());
    return reactions.stream()
        .map(each -> each.item().update())
        .filter(Update.Received.class::isInstance)
        .map(update -> ((Update.Received) update).receipt())
        .collect(Collectors.toSet());
  }

  @Override
  public void posted(NoticeId id, PostRef ref) {
    change(
        "state = 1, ended_at = ?, post = ?, why = NULL", sequence.now(), ref.value(), id.value());
  }

  @Override
  public Optional<PostRef> statusPost(Conversation conversation, RunId run) {
    return rows.first(
        "SELECT post FROM outbox WHERE conversation = ? AND status_of = ? AND state = 1"
            + " ORDER BY seq DESC LIMIT 1",
        row -> new PostRef(row.getString("post")),
        conversation.id(),
        run.value());
  }

  private record QuestionPost(PostRef post, Optional<Notice> notice) {}

  @Override
  public Optional<PostRef> questionPost(Conversation conversation, Update.QuestionClosed closed) {
    var posts =
        rows.list(
            "SELECT * FROM outbox WHERE question_of = ? AND conversation = ? AND"
                + " state = 1 AND post IS NOT NULL ORDER BY seq DESC",
            row -> new QuestionPost(new PostRef(row.getString("post")), item(row)),
            closed.run().id().value(),
            conversation.id());
    return posts.stream()
        .filter(
            each ->
                each.notice()
                    .filter(
                        notice ->
                            notice.update() instanceof Update.Blocked asked && closed.closes(asked))
                    .isPresent())
        .map(QuestionPost::post)
        .findFirst();
  }

  private record QuestionRow(Asked asked, Update update) {}

  @Override
  public List<Asked> asked(Run run) {
    var question = AskedQuestion.of(run);
    return rows
        .list(
            "SELECT conversation, state, ended_at, body FROM outbox WHERE question_of = ?"
                + " AND state IN (0, 1) ORDER BY seq",
            row ->
                new QuestionRow(
                    new Asked(
                        Conversation.parse(row.getString("conversation")),
                        row.getInt("state") == 1
                            ? Optional.of(Rows.instant(row, "ended_at"))
                            : Optional.empty()),
                    StoredJson.read(row.getString("body"), Notice.class).update()),
            run.id().value())
        .stream()
        .filter(
            row ->
                row.update() instanceof Update.Blocked asked
                    && AskedQuestion.of(asked.run()).equals(question))
        .map(QuestionRow::asked)
        .toList();
  }

  @Override
  public Optional<Run> postedRun(Conversation conversation, RunId run) {
    return newestRun("state <> 2", conversation, run);
  }

  @Override
  public Optional<Run> shownRun(Conversation conversation, RunId run) {
    return newestRun("state = 1", conversation, run);
  }

  private Optional<Run> newestRun(String condition, Conversation conversation, RunId run) {
    return rows.first(
            "SELECT * FROM outbox WHERE conversation = ? AND status_of = ? AND "
                + condition
                + " ORDER BY seq DESC LIMIT 1",
            this::item,
            conversation.id(),
            run.value())
        .flatMap(notice -> notice)
        .flatMap(
            notice ->
                notice.update() instanceof Update.Status status
                    ? Optional.of(status.run())
                    : Optional.empty());
  }

  /// Discards the earlier statuses of its run that were parked, if it is a status: while a
  /// conversation cannot be written to, each progress of the run is parked.
  @Override
  public void park(NoticeId id, String why) {
    rows.first("SELECT * FROM outbox WHERE id = ? AND state = 0", this::item, id.value())
        .flatMap(notice -> notice)
        .filter(notice -> notice.update() instanceof Update.Status)
        .ifPresent(
            notice ->
                rows.change(
                    "DELETE FROM outbox WHERE conversation = ? AND status_of = ? AND state = 2",
                    notice.conversation().id(),
                    statusOf(notice)));
    super.park(id, why);
  }

  /// A status with a newer one behind it is discarded instead.
  @Override
  public boolean retry(NoticeId id) {
    var isOld =
        rows.first(
            "SELECT 1 FROM outbox AS old JOIN outbox AS newer ON newer.conversation ="
                + " old.conversation AND newer.status_of = old.status_of AND newer.seq >"
                + " old.seq AND newer.state <> 2 WHERE old.id = ? AND old.state = 2",
            _ -> true,
            id.value());
    if (isOld.isPresent()) {
      return discard(id);
    }
    return super.retry(id);
  }

  @Override
  public boolean discard(NoticeId id) {
    return rows.change("DELETE FROM outbox WHERE id = ? AND state = 2", id.value()) == 1;
  }
}
