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
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store.Bindings;
import dev.runnel.core.port.Store.Parked;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.watch.MissedDeliveryPoller;
import dev.runnel.core.watch.Watcher;
import dev.runnel.database.Database;
import dev.runnel.store.row.QueueTable;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
  void unreadableDeliveryIsParkedAndTheConversationContinues(String body) {
    store.accept(delivery("1", say("a")));
    store.accept(delivery("2", say("b")));
    damage("inbox", body, "fake:1");

    assertThat(store.next(QueueTable.INBOX, THREAD).map(SqlStore.NextTurn::due)).contains(NINE);
    assertThat(next()).map(each -> each.item().id().value()).contains("fake:2");
    assertThat(store.<List<Parked<Delivery>>>commit(work -> work.inbox().parked(10)))
        .singleElement()
        .satisfies(
            parked -> {
              assertThat(parked.item()).isEmpty();
              assertThat(parked.id()).isEqualTo("fake:1");
              assertThat(parked.why()).startsWith("This row cannot be read");
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
  void unreadableNoticeIsParkedAndTheConversationContinues() {
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
  void unreadableBindingDoesNotHideOthers() {
    binds(THREAD, "r1");
    binds(OTHER_THREAD, "r2");
    database.write(rows -> rows.change("UPDATE bindings SET body = '{' WHERE run = 'r1'"));

    assertThat(store.<List<Binding>>read(Bindings::active))
        .extracting(each -> each.run().id().value())
        .containsExactly("r2");
    assertThat(store.<List<Binding>>read(all -> all.recent(Optional.empty(), "", 10))).hasSize(1);
  }

  @Test
  void unreadableBindingDoesNotPreventTheWatchOfOtherRuns() {
    var clock = new SettableClock();
    var runs = new FakeAgentRuns(clock);
    for (var conversation : List.of(THREAD, OTHER_THREAD)) {
      var run = runs.addsStranger("a");
      binds(conversation, run.id().value());
      clock.advance(Duration.ofSeconds(1));
      runs.moves(run.id(), RunState.SUCCEEDED, "Done.");
    }
    database.write(
        rows -> rows.change("UPDATE bindings SET body = '{' WHERE conversation = ?", THREAD.id()));

    new Watcher(store, runs, RunChangeListener.NONE).step(clock.instant());

    assertThat(store.<Optional<Binding>>read(all -> all.of(OTHER_THREAD)))
        .map(each -> each.run().state())
        .contains(RunState.SUCCEEDED);
  }

  @Test
  void unreadableRowsDoNotPreventTheCatchUp() {
    binds(THREAD, "r1");
    binds(OTHER_THREAD, "r2");
    var status =
        new Update.Status(
            run("r2", RunState.RUNNING),
            Samples.DANA,
            Request.of("a"),
            NINE,
            NINE,
            Optional.empty());
    store.change(
        work -> {
          work.outbox()
              .add(new Notice(new NoticeId("n1"), OTHER_THREAD, status, Origin.NONE, NINE, 0));
          work.outbox().posted(new NoticeId("n1"), new PostRef("p1"));
        });
    database.write(rows -> rows.change("UPDATE bindings SET body = '{' WHERE run = 'r1'"));
    damage("outbox", "{", "n1");
    var surface = new FakeSurface();
    var poller =
        new MissedDeliveryPoller(store, Surfaces.of(List.of(surface)), InstantSource.fixed(NINE));
    poller.step(NINE);
    surface.lists(
        new MissedDeliveries.Listed(
            List.of(
                new MissedDeliveries.ListedDelivery(
                    delivery("1", say("a"), OTHER_THREAD), NINE, true))));

    poller.step(NINE);

    assertThat(store.next(QueueTable.INBOX, OTHER_THREAD)).isPresent();
  }

  /// The post of a question that cannot be read loses no buttons.
  @Test
  void unreadableQuestionDoesNotBlockPosts() {
    var asked = run("r1", RunState.BLOCKED);
    binds(THREAD, "r1");
    adds("n1", new Update.Blocked(asked, Samples.DANA, "Which?"));
    store.change(work -> work.outbox().posted(new NoticeId("n1"), new PostRef("p1")));
    damage("outbox", "{", "n1");
    var closed = new Update.QuestionClosed(asked, "Which?", Optional.empty(), Optional.empty());

    assertThat(store.<Optional<PostRef>>commit(work -> work.outbox().questionPost(THREAD, closed)))
        .isEmpty();
  }

  @Test
  void unreadableReactionDoesNotBlockPosts() {
    var message = new PostRef("m1");
    adds("n1", new Update.Received(message, MessageStatus.TAKEN));
    store.change(work -> work.outbox().begin(new NoticeId("n1")));
    damage("outbox", "{", "n1");

    assertThat(store.<Set<MessageStatus>>commit(work -> work.outbox().reactions(THREAD, message)))
        .isEmpty();
  }

  @Test
  void unreadableDoneDeliveryDoesNotBreakQueries() {
    store.accept(delivery("1", say("a")));
    store.change(work -> work.inbox().done(new DeliveryId("fake:1")));
    damage("inbox", "{", "fake:1");

    assertThat(
            store.<List<Delivery>>commit(
                work ->
                    work.inbox().acceptedBetween(THREAD, Instant.EPOCH, NINE.plusSeconds(3600))))
        .isEmpty();
    assertThat(store.<Integer>commit(work -> work.inbox().countSameText(delivery("2", say("a")))))
        .isZero();
  }

  private void adds(String id, Update update) {
    store.change(
        work ->
            work.outbox().add(new Notice(new NoticeId(id), THREAD, update, Origin.NONE, NINE, 0)));
  }

  private void binds(Conversation conversation, String run) {
    store.change(
        work -> {
          var _ =
              work.bindings()
                  .save(
                      Samples.binding(
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
