package dev.runnel.store;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.SAM;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.run;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.database.Database;
import dev.runnel.store.row.QueueTable;
import dev.runnel.store.row.Urgency;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whose turn a row is, as it is read again after a restart.
class StoredTurnsTest {
  private final NoticeId posted = new NoticeId("posted");

  @TempDir Path folder;
  private Database database;
  private SqlStore store;

  @BeforeEach
  void open() {
    database = Database.sqlite(folder.resolve("runnel.db"));
    store = new SqlStore(database, () -> NINE);
  }

  @AfterEach
  void close() {
    store.close();
    database.close();
  }

  @Test
  void startIsOrdinaryAndAStopIsFirst() {
    assertThat(store.accept(delivery("1", start("x")))).isTrue();
    assertThat(turn(QueueTable.INBOX)).isEqualTo(new Turn(THREAD, Urgency.ORDINARY, "fake:U1"));

    assertThat(store.accept(delivery("2", cancel()).withActor(SAM))).isTrue();
    assertThat(turn(QueueTable.INBOX).urgency()).isEqualTo(Urgency.FIRST);
  }

  @Test
  void firstStatusIsOrdinaryItsEditsAreLastAndTheEndIsFirst() {
    add(posted, status(RunState.QUEUED));
    assertThat(turn(QueueTable.OUTBOX)).isEqualTo(new Turn(THREAD, Urgency.ORDINARY, "fake:U1"));

    store.change(work -> work.outbox().posted(posted, new PostRef("p1")));
    add(new NoticeId("edit"), status(RunState.RUNNING));
    assertThat(turn(QueueTable.OUTBOX).urgency()).isEqualTo(Urgency.LAST);

    store.change(work -> work.outbox().posted(new NoticeId("edit"), new PostRef("p1")));
    add(new NoticeId("end"), new Update.Succeeded(run("r1", RunState.SUCCEEDED), DANA, NINE, NINE));
    assertThat(turn(QueueTable.OUTBOX).urgency()).isEqualTo(Urgency.FIRST);
  }

  @Test
  void turnsArePagedByConversation() {
    for (var key : List.of("t/c/1", "t/c/2", "t/c/3")) {
      var thread = new Conversation(THREAD.surface(), key);
      assertThat(store.accept(delivery(key, start("x"), thread))).isTrue();
    }

    var first = store.nextTurns(QueueTable.INBOX, NINE, "", 2);
    var rest = store.nextTurns(QueueTable.INBOX, NINE, "fake:t/c/2", 2);

    assertThat(first).extracting(it -> it.turn().conversation().key()).contains("t/c/1", "t/c/2");
    assertThat(rest).extracting(it -> it.turn().conversation().key()).containsExactly("t/c/3");
    assertThat(store.nextTurns(QueueTable.INBOX, NINE.minusSeconds(1), "", 2)).isEmpty();
  }

  private void add(NoticeId id, Update update) {
    store.change(work -> work.outbox().add(new Notice(id, THREAD, update, Origin.NONE, NINE, 0)));
  }

  private static Update status(RunState state) {
    return new Update.Status(run("r1", state), DANA, Request.of("x"), NINE, NINE);
  }

  private Turn turn(QueueTable queueTable) {
    return store.nextTurns(queueTable, NINE.plus(Duration.ofMinutes(1)), "", 1).getFirst().turn();
  }
}
