package dev.runnel.store;

import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.run;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Store.Bindings;
import dev.runnel.core.port.Store.Parked;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.database.Database;
import dev.runnel.store.row.QueueTable;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Rows that a newer version wrote, or that were damaged.
class UnreadableRowsTest {
  @TempDir Path folder;
  private Database database;
  private SqlStore store;

  @BeforeEach
  void open() {
    database = Database.sqlite(folder.resolve("runnel.db"));
    store = new SqlStore(database, new SettableClock());
  }

  @AfterEach
  void close() {
    store.close();
    database.close();
  }

  private void damage(String table, String body, String id) {
    database.write(
        rows -> rows.change("UPDATE %s SET body = ? WHERE id = ?".formatted(table), body, id));
  }

  private Optional<Pending<Delivery>> next() {
    return store.commit(work -> work.inbox().next(THREAD, NINE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "",
        "null",
        "[]",
        "{\"intent\":{\"is\":\"Dream\"}}",
        "{\"id\":{\"value\":\"\"}}"
      })
  void aDeliveryIsParkedAndTheConversationGoesOn(String body) {
    store.accept(delivery("1", say("a")));
    store.accept(delivery("2", say("b")));
    damage("inbox", body, "fake:1");

    assertThat(store.due(QueueTable.INBOX, THREAD)).contains(NINE);
    assertThat(next()).map(each -> each.item().id().value()).contains("fake:2");
    assertThat(store.<List<Parked<Delivery>>>commit(work -> work.inbox().parked(10)))
        .singleElement()
        .satisfies(
            parked -> {
              assertThat(parked.item()).isEmpty();
              assertThat(parked.id()).isEqualTo("fake:1");
              assertThat(parked.why()).startsWith("This cannot be read");
            });
  }

  @Test
  void aDeliveryThatCanBeReadAgainIsRetried() {
    store.accept(delivery("1", say("a")));
    var body =
        database
            .<Optional<String>>read(
                rows -> rows.first("SELECT body FROM inbox", r -> r.getString(1)))
            .orElseThrow();
    damage("inbox", "{", "fake:1");
    assertThat(next()).isEmpty();
    damage("inbox", body, "fake:1");

    assertThat(store.<Boolean>commit(work -> work.inbox().retry(new DeliveryId("fake:1"))))
        .isTrue();
    assertThat(next()).map(Pending::item).contains(delivery("1", say("a")));
  }

  @Test
  void aNoticeIsParkedAndTheConversationGoesOn() {
    for (var id : List.of("n1", "n2")) {
      var told = new Update.Message(Samples.DANA, "a", true);
      store.change(
          work ->
              work.outbox().add(new Notice(new NoticeId(id), THREAD, told, Origin.NONE, NINE, 0)));
    }
    damage("outbox", "{", "n1");

    assertThat(store.<Optional<Pending<Notice>>>commit(work -> work.outbox().next(THREAD, NINE)))
        .map(each -> each.item().id().value())
        .contains("n2");
  }

  @Test
  void aBindingHidesNoOther() {
    binds(THREAD, "r1");
    binds(OTHER_THREAD, "r2");
    database.write(rows -> rows.change("UPDATE bindings SET body = '{' WHERE run = 'r1'"));

    assertThat(store.<List<Binding>>read(Bindings::active))
        .extracting(each -> each.run().id().value())
        .containsExactly("r2");
    assertThat(store.<List<Binding>>read(all -> all.recent(Optional.empty(), "", 10))).hasSize(1);
  }

  private void binds(Conversation conversation, String run) {
    store.change(
        work -> {
          var _ =
              work.bindings()
                  .save(
                      new Binding(
                          conversation,
                          run(run, RunState.RUNNING),
                          Samples.DANA,
                          Request.of("a"),
                          Origin.NONE,
                          Optional.empty(),
                          NINE,
                          false,
                          0));
        });
  }
}
