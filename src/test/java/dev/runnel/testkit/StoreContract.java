package dev.runnel.testkit;

import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.cancel;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.run;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Subscriber;
import dev.runnel.core.model.Timing;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.model.run.PullRequest;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Approvals.Approval;
import dev.runnel.core.port.Store.Approvals.State;
import dev.runnel.core.port.Store.Issues.Claim;
import dev.runnel.core.port.Store.Issues.Participation;
import dev.runnel.core.port.Store.Parked;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Preferences.Preference;
import dev.runnel.core.port.Store.Schedules.Schedule;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.core.port.Store.Starts.Start;
import dev.runnel.core.port.Store.Starts.Sum;
import dev.runnel.core.watch.ScheduleStarter;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What every store promises.
public interface StoreContract {
  /// A fresh one.
  Store store();

  @Test
  default void aDeliverySentAgainIsKnown() {
    assertThat(store().accept(delivery("1", start("a")))).isTrue();
    assertThat(store().accept(delivery("1", start("a")))).isFalse();
  }

  @Test
  default void sameMeaningUnderAnotherIdIsADuplicate() {
    var mention = delivery("1", say("a"));
    var twin = mention.withId(new DeliveryId("fake:2"));

    assertThat(store().accept(mention)).isTrue();
    assertThat(store().accept(twin)).isFalse();
  }

  @Test
  default void onlyOneOfManySimultaneousDeliveriesIsNew() throws Exception {
    try (var senders = Executors.newVirtualThreadPerTaskExecutor()) {
      var sends =
          IntStream.range(0, 50)
              .<Callable<Boolean>>mapToObj(_ -> () -> store().accept(delivery("1", say("a"))))
              .toList();
      var isNew = 0;
      for (var send : senders.invokeAll(sends)) {
        isNew += send.get() ? 1 : 0;
      }
      assertThat(isNew).isOne();
    }
  }

  @Test
  default void aConversationMayHaveARunFromTheMomentAStartIsStored() {
    assertThat(mayHaveRunInAllWays()).isFalse();

    store().accept(delivery("1", start("a")));

    assertThat(mayHaveRunInAllWays()).isTrue();
  }

  @Test
  default void aThreadMayHaveARunWhileAStartInItsPlaceOpensOne() {
    assertThat(mayHaveRunInAllWays()).isFalse();
    var place = new Conversation(THREAD.surface(), THREAD.place() + "~command");
    var command = delivery("1", start("a"), place);

    store()
        .accept(
            command.withOrigin(
                new Origin(Optional.empty(), Optional.empty(), Optional.empty(), true)));

    assertThat(mayHaveRunInAllWays()).isTrue();
  }

  @Test
  default void aConversationMayHaveARunFromTheMomentABindingIsSaved() {
    assertThat(mayHaveRunInAllWays()).isFalse();

    save(binding(THREAD, run("r1", RunState.RUNNING)));

    assertThat(mayHaveRunInAllWays()).isTrue();
  }

  /// Asked twice, because an answer may be remembered.
  private boolean mayHaveRunInAllWays() {
    var mayHaveRun = store().mayHaveRun(THREAD);
    assertThat(store().mayHaveRun(THREAD)).isEqualTo(mayHaveRun);
    assertThat(store().mayHaveRunLater(THREAD).join()).isEqualTo(mayHaveRun);
    return mayHaveRun;
  }

  @Test
  default void anAuditEntryIsCommittedWithItsEffect() {
    var entry = AuditEntry.of(NINE, AuditEntry.Person.RUNNEL, AuditEntry.Verb.SETTINGS, "PORT");
    store().change(work -> work.audit().add(entry));

    assertThatThrownBy(
            () ->
                store()
                    .change(
                        work -> {
                          work.audit().add(entry);
                          throw new IllegalStateException("rolled back");
                        }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(audited()).isOne();
  }

  /// How many entries the audit log has.
  long audited();

  @Test
  default void aDeliveryIsReadAsItWasWritten() {
    var options =
        new RunOptions(
            Optional.of("web"),
            Optional.empty(),
            Optional.of("fast"),
            Optional.empty(),
            Optional.empty(),
            Optional.of("The \"title\""),
            Optional.empty());
    var text = "fix \"it\"\n\ud83d\ude80 \u05e9\u05dc\u05d5\u05dd \u0001 end";
    var intents =
        List.of(
            new Intent.Start(new Request(text, options)),
            say(text),
            new Intent.Cancel(Optional.of(new RunId("r")), Optional.of("the label was removed")),
            new Intent.Status(Optional.empty()),
            new Intent.Retry(Optional.of(new RunId("r"))),
            new Intent.ListRuns(),
            new Intent.ListRuns(Optional.of(Intent.ListRuns.Scope.MINE), List.of(RunState.FAILED)),
            new Intent.Help(Optional.of("list")),
            new Intent.New(new Request(text, options)),
            new Intent.SayTo(new RunId("r"), new Request(text, options)),
            new Intent.Link(new RunId("r")),
            new Intent.Linked(
                URI.create("https://example.com/1"), new Intent.Status(Optional.empty())),
            new Intent.CancelMine(),
            new Intent.Ask(new Question.Doctor()),
            new Intent.Ask(new Question.Explain(new Request(text, options))),
            new Intent.Ask(new Question.Why(URI.create("https://example.com/1"))),
            new Intent.Ask(
                new Question.Configure(
                    "model", Optional.of("fast"), Question.Configure.Level.HERE)),
            new Intent.Ask(
                new Question.ConfigureAll(
                    List.of(
                        new Question.Configure(
                            "model", Optional.empty(), Question.Configure.Level.ME)))),
            new Intent.Ask(new Question.Home()),
            new Intent.Ask(
                new Question.Compose(Optional.of(new Conversation(Samples.SURFACE, "a/b/1")), "x")),
            new Intent.Ask(new Question.Edit(Question.Configure.Level.WORKSPACE)),
            new Intent.Help(),
            new Intent.Unclear("why"));
    for (int i = 0; i < intents.size(); i++) {
      var conversation = new Conversation(Samples.SURFACE, "a/b/" + i);
      var written = delivery("read-" + i, intents.get(i), conversation);
      store().accept(written);

      assertThat(next(conversation)).map(Pending::item).contains(written);
    }
  }

  @Test
  default void deliveriesOfAConversationComeInTheirOrder() {
    store().accept(delivery("1", start("a")));
    store().accept(delivery("2", say("b")));
    store().accept(delivery("3", say("c"), OTHER_THREAD));

    assertThat(next(THREAD)).map(each -> each.item().id().value()).contains("fake:1");
    store().change(work -> work.inbox().done(new DeliveryId("fake:1")));
    assertThat(next(THREAD)).map(each -> each.item().id().value()).contains("fake:2");
    store().change(work -> work.inbox().done(new DeliveryId("fake:2")));
    assertThat(next(THREAD)).isEmpty();
    assertThat(next(OTHER_THREAD)).map(each -> each.item().id().value()).contains("fake:3");
  }

  @Test
  default void waitingDeliveryBlocksLaterOnesExceptAStop() {
    store().accept(delivery("1", start("a")));
    store().accept(delivery("2", say("b")));
    store()
        .change(
            work -> work.inbox().postpone(new DeliveryId("fake:1"), NINE.plusSeconds(60), "down"));

    assertThat(next(THREAD)).isEmpty();
    assertThat(due(THREAD)).contains(NINE.plusSeconds(60));

    store().accept(delivery("3", cancel()));

    assertThat(next(THREAD)).map(each -> each.item().id().value()).contains("fake:3");
    assertThat(due(THREAD)).contains(NINE);
    assertThat(
            store().<List<Pending<Delivery>>>commit(work -> work.inbox().waiting(THREAD)).stream()
                .map(each -> each.item().id().value()))
        .containsExactly("fake:1", "fake:2");
  }

  @Test
  default void wakeMakesOnlyWorkForThatServiceDue() {
    var later = NINE.plusSeconds(60);
    store().accept(delivery("1", start("a"), THREAD));
    store().accept(delivery("2", start("b"), OTHER_THREAD));
    var third = new Conversation(Samples.SURFACE, "a/b/3");
    store().accept(delivery("3", start("c"), third));
    store()
        .change(
            work -> {
              work.inbox().postpone(new DeliveryId("fake:1"), later, "down", "runs");
              work.inbox().postpone(new DeliveryId("fake:2"), later, "down", "slack");
              work.inbox().postpone(new DeliveryId("fake:3"), later, "down", "runs");
              work.inbox().postpone(new DeliveryId("fake:3"), later, "asked to slow down");
              work.outbox().add(notice("4", told("x")));
              work.outbox().postpone(new NoticeId("4"), later, "down", "runs");
            });
    assertThat(next(THREAD)).isEmpty();

    store().change(work -> work.wake("runs"));

    assertThat(next(THREAD)).map(each -> each.item().id().value()).contains("fake:1");
    assertThat(next(OTHER_THREAD)).isEmpty();
    assertThat(next(third)).isEmpty();
    assertThat(
            store()
                .<Optional<Pending<Notice>>>commit(work -> work.outbox().next(THREAD, NINE))
                .map(each -> each.item().id().value()))
        .contains("4");
  }

  @Test
  default void aPostponedDeliveryThatIsMadeDueIsNext() {
    var id = new DeliveryId("fake:1");
    store().accept(delivery("1", start("a"), THREAD));
    store()
        .change(
            work -> work.inbox().postpone(id, NINE.plus(Duration.ofHours(1)), "It waits", "runs"));
    assertThat(next(THREAD)).isEmpty();

    store().change(work -> work.inbox().makeDue(id, "It was decided"));

    assertThat(next(THREAD)).map(each -> each.item().id()).contains(id);
  }

  @Test
  default void holdAppliesUntilItIsLifted() {
    store().change(work -> work.holds().hold(Samples.SURFACE, "The token is old.", NINE));
    store().change(work -> work.holds().hold(Samples.SURFACE, "The token is gone.", NINE));
    assertThat(store().holds()).isEqualTo(Map.of(Samples.SURFACE, "The token is gone."));

    store().change(work -> work.holds().lift(Samples.SURFACE));
    assertThat(store().holds()).isEmpty();
  }

  @Test
  default void lateDeliveriesAreOrderedByWhenTheyWereWritten() {
    store().accept(saidAt("2", say("b"), 2));
    store().accept(saidAt("4", say("d"), 4));
    store().accept(saidAt("3", say("c"), 3));
    store().accept(saidAt("1", say("a"), 1));

    assertThat(waitingIds()).containsExactly("fake:1", "fake:2", "fake:3", "fake:4");
    assertThat(next(THREAD)).map(each -> each.item().id().value()).contains("fake:1");
  }

  @Test
  default void begunDeliveriesAndStartsKeepTheirPlace() {
    store().accept(saidAt("3", start("c"), 3));
    store().accept(saidAt("2", say("b"), 2));
    assertThat(waitingIds()).containsExactly("fake:3", "fake:2");

    store().change(work -> work.inbox().begin(new DeliveryId("fake:2")));
    store().accept(saidAt("1", say("a"), 1));
    assertThat(waitingIds()).containsExactly("fake:3", "fake:2", "fake:1");
  }

  @Test
  default void handledStopsAreFoundByTheirConversation() {
    for (var each : List.of("1", "2", "3")) {
      store().accept(delivery(each, cancel(), each.equals("3") ? OTHER_THREAD : THREAD));
    }
    for (var each : List.of("1", "3")) {
      store()
          .change(
              work -> {
                work.inbox().note(new DeliveryId("fake:" + each), "to stop it");
                work.inbox().done(new DeliveryId("fake:" + each));
              });
    }

    assertThat(store().<List<Delivery>>commit(work -> work.inbox().stops(THREAD)))
        .extracting(each -> each.id().value())
        .containsExactly("fake:1");
  }

  private static Delivery saidAt(String id, Intent intent, int second) {
    return delivery(id, intent)
        .withSnapshot(
            new Snapshot(
                Optional.of(NINE.plusSeconds(second)), Optional.empty(), Optional.empty()));
  }

  private List<String> waitingIds() {
    return store().<List<Pending<Delivery>>>commit(work -> work.inbox().waiting(THREAD)).stream()
        .map(each -> each.item().id().value())
        .toList();
  }

  @Test
  default void deliveryAttemptsAreCounted() {
    store().accept(delivery("1", start("a")));
    store().change(work -> work.inbox().begin(new DeliveryId("fake:1")));

    assertThat(next(THREAD)).map(Pending::tries).contains(1);
  }

  @Test
  default void attemptIsHeldUntilItRestartsEndsOrMoves() {
    var id = new DeliveryId("fake:1");
    store().accept(delivery("1", start("a")));
    store().change(work -> work.inbox().begin(id));
    assertThat(isHeld(1)).isTrue();
    assertThat(isHeld(2)).isFalse();

    store().change(work -> work.inbox().begin(id));
    assertThat(isHeld(1)).isFalse();
    assertThat(isHeld(2)).isTrue();

    store().change(work -> work.inbox().replace(delivery("1", start("a"), OTHER_THREAD)));
    store().change(work -> work.inbox().begin(id));
    assertThat(isHeld(1)).isFalse();

    assertThat(store().<Boolean>commit(work -> work.inbox().isWaiting(id))).isTrue();
    store().change(work -> work.inbox().done(id));
    assertThat(store().<Boolean>commit(work -> work.inbox().isWaiting(id))).isFalse();
    assertThat(store().<Boolean>commit(work -> work.inbox().isOwner(id, OTHER_THREAD, 1)))
        .isFalse();
  }

  private boolean isHeld(int tries) {
    return store()
        .<Boolean>commit(work -> work.inbox().isOwner(new DeliveryId("fake:1"), THREAD, tries));
  }

  @Test
  default void runStateBeforeAFollowUpIsStored() {
    var id = new DeliveryId("fake:1");
    var run = run("r", RunState.SUCCEEDED);
    store().accept(delivery("1", say("a")));
    assertThat(store().<Optional<Run>>commit(work -> work.inbox().runBefore(id))).isEmpty();

    store().change(work -> work.inbox().saveRunBefore(id, run));

    assertThat(store().<Optional<Run>>commit(work -> work.inbox().runBefore(id))).contains(run);
  }

  @Test
  default void earlierMessagesWithTheSameTextAreCounted() {
    for (var id : List.of("1", "2", "3")) {
      store().accept(delivery(id, id.equals("1") ? start("go on") : say("go on")));
    }
    store().accept(delivery("4", say("something else")));
    store().accept(delivery("5", say("go on"), OTHER_THREAD));
    for (var id : List.of("1", "2", "4", "5")) {
      store().change(work -> work.inbox().done(new DeliveryId("fake:" + id)));
    }

    assertThat(
            store()
                .<Integer>commit(work -> work.inbox().countSameText(delivery("3", say("go on")))))
        .isEqualTo(2);
  }

  @Test
  default void joinedDeliveryHasTheTextOfAllAndReplacesItsParts() {
    for (var id : List.of("1", "2", "3")) {
      store().accept(delivery(id, say("go on")));
    }
    var whole = delivery("1", say("go on\n\ngo on"));
    store().change(work -> work.inbox().join(whole, List.of(delivery("2", say("go on")))));

    assertThat(next(THREAD)).map(Pending::item).contains(whole);
    assertThat(store().<List<Delivery>>commit(work -> work.inbox().joined(whole.id())))
        .containsExactly(delivery("2", say("go on")));
    assertThat(known("said:2")).map(Store.Inbox.Known::waits).contains(false);
    for (var id : List.of("1", "2")) {
      store().change(work -> work.inbox().done(new DeliveryId("fake:" + id)));
    }
    assertThat(
            store()
                .<Integer>commit(work -> work.inbox().countSameText(delivery("3", say("go on")))))
        .isZero();
  }

  @Test
  default void deliveryIsFoundByItsMeaningWithItsState() {
    store().accept(delivery("1", say("a")));
    assertThat(known("said:1")).contains(new Store.Inbox.Known(delivery("1", say("a")), true, 0));
    assertThat(known("said:2")).isEmpty();

    store().change(work -> work.inbox().begin(new DeliveryId("fake:1")));
    store()
        .change(
            work ->
                work.inbox().saveRunBefore(new DeliveryId("fake:1"), run("r", RunState.RUNNING)));
    assertThat(known("said:1")).contains(new Store.Inbox.Known(delivery("1", say("a")), false, 1));
  }

  private static Notice notice(String id, Update update) {
    return new Notice(new NoticeId(id), THREAD, update, Origin.NONE, NINE, 0);
  }

  private Optional<Store.Inbox.Known> known(String meaning) {
    return store().commit(work -> work.inbox().findByMeaning(Samples.SURFACE, meaning));
  }

  @Test
  default void receiptsAndScheduledNoticesDelayNoOthers() {
    var message = new PostRef("m");
    var later = notice("later", told("later"));
    store().change(work -> work.outbox().addAt(NINE.plusSeconds(60), later));
    store().change(work -> work.outbox().add(notice("a", new Update.Received(message))));
    store().change(work -> work.outbox().add(notice("b", told("b"))));

    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("b");
    store().change(work -> work.outbox().posted(new NoticeId("b"), new PostRef("p")));
    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("a");
    store().change(work -> work.outbox().posted(new NoticeId("a"), message));
    assertThat(nextNotice()).isEmpty();
    assertThat(store().<Optional<Instant>>commit(work -> work.outbox().due(THREAD)))
        .contains(NINE.plusSeconds(60));

    store().change(work -> work.outbox().withdraw(later.id()));
    assertThat(store().<Optional<Instant>>commit(work -> work.outbox().due(THREAD))).isEmpty();
  }

  @Test
  default void aNoticeThatIsKnownIsNotAddedAgain() {
    store().change(work -> work.outbox().add(notice("a", told("a"))));
    store().change(work -> work.outbox().posted(new NoticeId("a"), new PostRef("p")));
    store().change(work -> work.outbox().add(notice("a", told("a"))));

    assertThat(nextNotice()).isEmpty();
  }

  @Test
  default void newProgressKeepsTheTimeOfTheWaitingOne() {
    var running = status(RunState.RUNNING);
    store().change(work -> work.outbox().addAt(NINE.plusSeconds(60), notice("old", running)));
    store().change(work -> work.outbox().add(notice("new", running)));

    assertThat(nextNotice()).isEmpty();
    assertThat(store().<Optional<Instant>>commit(work -> work.outbox().due(THREAD)))
        .contains(NINE.plusSeconds(60));
    assertThat(
            store()
                .<Optional<Pending<Notice>>>commit(
                    work -> work.outbox().next(THREAD, NINE.plusSeconds(60))))
        .map(each -> each.item().id().value())
        .contains("new");
  }

  @Test
  default void statusWithANewStateIsNotDelayedByProgress() {
    store()
        .change(
            work ->
                work.outbox().addAt(NINE.plusSeconds(60), notice("old", status(RunState.RUNNING))));
    store().change(work -> work.outbox().add(notice("new", status(RunState.SUCCEEDED))));

    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("new");
  }

  /// Whoever read it before it was replaced must not post it: nobody would know of its post.
  @Test
  default void aStatusThatANewerOneReplacedIsNotBegun() {
    var old = new NoticeId("old");
    store().change(work -> work.outbox().add(notice(old.value(), status(RunState.QUEUED))));
    var read = nextNotice();
    store().change(work -> work.outbox().add(notice("new", status(RunState.RUNNING))));

    assertThat(read).map(each -> each.item().id()).contains(old);
    assertThat(store().<Boolean>commit(work -> work.outbox().begin(old))).isFalse();
    assertThat(store().<Boolean>commit(work -> work.outbox().begin(new NoticeId("new")))).isTrue();
  }

  @Test
  default void newReceiptReplacesAPostedOrAttemptedOne() {
    var message = new PostRef("m");
    for (var messageStatus :
        List.of(MessageStatus.TAKEN, MessageStatus.QUEUED, MessageStatus.RUNNING)) {
      var id = new NoticeId(messageStatus.name());
      store()
          .change(
              work ->
                  work.outbox()
                      .add(notice(id.value(), new Update.Received(message, messageStatus))));
      if (messageStatus != MessageStatus.RUNNING) {
        store().change(work -> work.outbox().begin(id));
      }
      if (messageStatus == MessageStatus.TAKEN) {
        store().change(work -> work.outbox().posted(id, message));
      }
    }

    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("RUNNING");
    assertThat(store().<Set<MessageStatus>>commit(work -> work.outbox().reactions(THREAD, message)))
        .containsExactlyInAnyOrder(MessageStatus.TAKEN, MessageStatus.QUEUED);
    store().change(work -> work.outbox().begin(new NoticeId("RUNNING")));
    store().change(work -> work.outbox().posted(new NoticeId("RUNNING"), message));
    assertThat(store().<Set<MessageStatus>>commit(work -> work.outbox().reactions(THREAD, message)))
        .containsExactly(MessageStatus.RUNNING);
    assertThat(nextNotice()).isEmpty();
  }

  @Test
  default void parkedDeliveryDoesNotBlockLaterOnes() {
    store().accept(delivery("1", start("a")));
    store().accept(delivery("2", say("b")));
    store().change(work -> work.inbox().park(new DeliveryId("fake:1"), "why"));

    assertThat(next(THREAD)).map(each -> each.item().id().value()).contains("fake:2");
  }

  /// Somebody pressed "redeliver".
  @Test
  default void aParkedDeliveryThatIsSentAgainIsTriedAgain() {
    store().accept(delivery("1", start("a")));
    store().change(work -> work.inbox().park(new DeliveryId("fake:1"), "why"));

    assertThat(store().accept(delivery("1", start("a")))).isTrue();
    assertThat(next(THREAD)).map(each -> each.item().id().value()).contains("fake:1");
    assertThat(parked(10)).isEmpty();
    assertThat(store().accept(delivery("1", start("a")))).isFalse();
  }

  @Test
  default void deliveryMovesToItsOpenedThread() {
    var said = delivery("1", start("a"));
    store().accept(said);
    store().change(work -> work.inbox().begin(said.id()));
    store().change(work -> work.inbox().replace(said.movedTo(OTHER_THREAD)));

    assertThat(next(THREAD)).isEmpty();
    assertThat(next(OTHER_THREAD)).contains(new Pending<>(said.movedTo(OTHER_THREAD), 0, NINE));
  }

  @Test
  default void failedTransactionIsRolledBack() {
    assertThatThrownBy(
            () ->
                store()
                    .change(
                        work -> {
                          work.inbox().offer(delivery("1", start("a")));
                          work.bindings().save(binding(THREAD, run("r1", RunState.RUNNING)));
                          throw new IllegalStateException("crash");
                        }))
        .hasMessage("crash");

    assertThat(next(THREAD)).isEmpty();
    assertThat(store().<Integer>read(Store.Bindings::countActive)).isZero();
    assertThat(store().<Boolean>read(Store.Bindings::hasActive)).isFalse();
  }

  @Test
  default void aBindingIsFoundByConversationAndByRun() {
    var written =
        binding(
            THREAD,
            Samples.run(
                new RunId("r1"),
                "Title",
                RunState.UNKNOWN,
                "DREAMING",
                Optional.of("message"),
                true,
                Optional.of(URI.create("https://example.com/s")),
                List.of(new Artifact("PR", URI.create("https://example.com/pr"), true)),
                Optional.of("$0.42"),
                Optional.of(Duration.ofMinutes(2)),
                Optional.of(NINE.plusNanos(123_456_000)),
                Optional.of(new DeliveryId("fake:1"))));
    save(written);

    assertThat(of(THREAD)).contains(versioned(written, 1));
    assertThat(store().<Optional<Binding>>read(all -> all.of(new RunId("r1"))))
        .contains(versioned(written, 1));
    assertThat(store().<Optional<Binding>>read(all -> all.of(new RunId("r2")))).isEmpty();
  }

  @Test
  default void saveOfAnOutdatedBindingReturnsFalse() {
    save(binding(THREAD, run("r1", RunState.QUEUED)));
    var read = of(THREAD).orElseThrow();

    assertThat(save(read.seen(run("r1", RunState.RUNNING)))).isTrue();
    assertThat(save(read.seen(run("r1", RunState.FAILED)))).isFalse();
    assertThat(of(THREAD).orElseThrow().run().state()).isEqualTo(RunState.RUNNING);
  }

  @Test
  default void readAfterACommitSeesTheChange() {
    save(binding(THREAD, run("r1", RunState.QUEUED)));
    store().<Optional<Binding>>read(all -> all.of(new RunId("r1")));
    save(of(THREAD).orElseThrow().seen(run("r1", RunState.RUNNING)));

    assertThat(store().<Optional<Binding>>read(all -> all.of(new RunId("r1"))))
        .map(each -> each.run().state())
        .contains(RunState.RUNNING);
  }

  @Test
  default void aNewRunTakesTheConversationOverWithoutTheOldStatusPost() {
    save(binding(THREAD, run("r1", RunState.SUCCEEDED)));
    store()
        .change(
            work -> work.bindings().statusPosted(THREAD, new RunId("r1"), new PostRef("post-1")));
    assertThat(of(THREAD).flatMap(Binding::status)).contains(new PostRef("post-1"));

    save(binding(THREAD, run("r2", RunState.QUEUED)));

    assertThat(of(THREAD).map(each -> each.run().id())).contains(new RunId("r2"));
    assertThat(of(THREAD).flatMap(Binding::status)).isEmpty();
  }

  @Test
  default void aStatusPostShowsTheRunOfTheNewestPostedStatus() {
    assertThat(shown()).isEmpty();
    store().change(work -> work.outbox().add(notice("n1", status(RunState.QUEUED))));
    assertThat(shown()).isEmpty();
    store().change(work -> work.outbox().posted(new NoticeId("n1"), new PostRef("post-1")));

    store().change(work -> work.outbox().add(notice("n2", status(RunState.RUNNING))));
    assertThat(shown()).contains(RunState.QUEUED);
    store().change(work -> work.outbox().posted(new NoticeId("n2"), new PostRef("post-1")));
    assertThat(shown()).contains(RunState.RUNNING);

    store().change(work -> work.outbox().add(notice("n3", status(RunState.SUCCEEDED))));
    store().change(work -> work.outbox().park(new NoticeId("n3"), "It cannot be posted"));
    assertThat(shown()).contains(RunState.RUNNING);
  }

  private Optional<RunState> shown() {
    return store()
        .<Optional<Run>>commit(work -> work.outbox().shownRun(THREAD, new RunId("r1")))
        .map(Run::state);
  }

  @Test
  default void theNewestPostedQuestionOfARunIsFoundInItsConversation() {
    for (var id : List.of("q1", "q2", "q3", "q4")) {
      store()
          .change(
              work -> {
                work.outbox().add(notice(id, asks(Integer.parseInt(id.substring(1)))));
                if (!id.equals("q4")) {
                  work.outbox().posted(new NoticeId(id), new PostRef("post-" + id));
                }
              });
    }

    assertThat(questionPost(THREAD, asks(4))).contains(new PostRef("post-q3"));
    assertThat(questionPost(THREAD, asks(2)))
        .as("the run asked again meanwhile")
        .contains(new PostRef("post-q2"));
    assertThat(questionPost(THREAD, asks(0))).isEmpty();
    assertThat(questionPost(OTHER_THREAD, asks(4))).isEmpty();
  }

  @Test
  default void askedQuestionIsFoundWhetherPostedOrWaiting() {
    store()
        .change(
            work -> {
              work.outbox().add(notice("q1", asks(1)));
              work.outbox().add(notice("q2", asks(2)));
              work.outbox().add(notice("q3", asks(3)));
              work.outbox().posted(new NoticeId("q1"), new PostRef("post-q1"));
              work.outbox().park(new NoticeId("q3"), "no such channel");
            });
    var asking = asks(4).run();

    assertThat(asked(asking))
        .extracting(Store.Outbox.Asked::conversation)
        .containsExactly(THREAD, THREAD);
    assertThat(asked(asking))
        .extracting(each -> each.postedAt().isPresent())
        .containsExactly(true, false);
    assertThat(asked(asking.withMessage(Optional.of("Something else?")))).isEmpty();
    assertThat(asked(run("r2", RunState.BLOCKED))).isEmpty();
  }

  private List<Store.Outbox.Asked> asked(Run run) {
    return store().<List<Store.Outbox.Asked>>commit(work -> work.outbox().asked(run));
  }

  private static Update.Blocked asks(int second) {
    return new Update.Blocked(
        run("r1", RunState.BLOCKED).withUpdatedAt(Optional.of(NINE.plusSeconds(second))),
        Samples.DANA,
        "Which one?");
  }

  private Optional<PostRef> questionPost(Conversation conversation, Update.Blocked asked) {
    var closed =
        new Update.QuestionClosed(
            asked.run(), asked.question(), Optional.empty(), Optional.empty());
    return store()
        .<Optional<PostRef>>commit(work -> work.outbox().questionPost(conversation, closed));
  }

  @Test
  default void theStatusPostOfAnEarlierRunIsNotKeptForTheNextOne() {
    save(binding(THREAD, run("r2", RunState.QUEUED)));
    store()
        .change(
            work -> work.bindings().statusPosted(THREAD, new RunId("r1"), new PostRef("post-1")));

    assertThat(of(THREAD).flatMap(Binding::status)).isEmpty();
  }

  @Test
  default void onlyBindingsThatMayChangeAreActive() {
    save(binding(THREAD, run("r1", RunState.BLOCKED)));
    save(binding(OTHER_THREAD, run("r2", RunState.SUCCEEDED)));

    assertThat(store().<List<Binding>>read(Store.Bindings::active))
        .extracting(each -> each.run().id().value())
        .containsExactly("r1");

    var ended = of(OTHER_THREAD).orElseThrow();
    save(ended.reopenedAs(ended.run()));

    assertThat(store().<Integer>read(Store.Bindings::countActive)).isEqualTo(2);
    assertThat(store().<Boolean>read(Store.Bindings::hasActive)).isTrue();
  }

  @Test
  default void theNewestBindingsOfAPlaceComeFirst() {
    for (int i = 0; i < 3; i++) {
      save(
          Samples.binding(
              new Conversation(Samples.SURFACE, "team/channel/" + i),
              run("r" + i, RunState.RUNNING),
              Samples.DANA,
              Request.of("a"),
              Origin.NONE,
              Optional.empty(),
              NINE.plusSeconds(i),
              false,
              0));
    }
    save(
        binding(
            new Conversation(Samples.SURFACE, "team/elsewhere/1"), run("r9", RunState.RUNNING)));
    save(binding(new Conversation(Samples.SURFACE, "team/Channel/1"), run("r8", RunState.RUNNING)));

    assertThat(
            store()
                .<List<Binding>>read(
                    all -> all.recent(Optional.of(Samples.SURFACE), "team/channel/", 10)))
        .hasSize(3);
    assertThat(
            store()
                .<List<Binding>>read(
                    all -> all.recent(Optional.of(Samples.SURFACE), "team/channel/", 2)))
        .extracting(each -> each.run().id().value())
        .containsExactly("r2", "r1");
    assertThat(store().<List<Binding>>read(all -> all.recent(Optional.empty(), "", 10))).hasSize(5);
  }

  @Test
  default void bindingsAreFoundByAPrefixOfTheirRunId() {
    save(binding(THREAD, run("7777-1", RunState.SUCCEEDED)));
    save(binding(THREAD, run("7777-2", RunState.RUNNING)));
    save(binding(OTHER_THREAD, run("7778", RunState.RUNNING)));

    assertThat(startingWith("7777", 5)).containsExactlyInAnyOrder("7777-1", "7777-2");
    assertThat(startingWith("777", 2)).hasSize(2);
    assertThat(startingWith("7778", 5)).containsExactly("7778");
    assertThat(startingWith("77%", 5)).isEmpty();
  }

  private List<String> startingWith(String id, int limit) {
    return store().<List<Binding>>read(bindings -> bindings.startingWith(id, limit)).stream()
        .map(each -> each.run().id().value())
        .toList();
  }

  @Test
  default void noticesOfAConversationComeInTheirOrder() {
    add("n1", told("a"));
    add("n2", told("b"));

    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("n1");
    store().change(work -> work.outbox().postpone(new NoticeId("n1"), NINE.plusSeconds(9), "429"));
    assertThat(nextNotice()).isEmpty();
    assertThat(store().<Optional<Instant>>commit(work -> work.outbox().due(THREAD)))
        .contains(NINE.plusSeconds(9));
    store().change(work -> work.outbox().posted(new NoticeId("n1"), new PostRef("p1")));
    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("n2");
    store().change(work -> work.outbox().park(new NoticeId("n2"), "gone"));
    assertThat(nextNotice()).isEmpty();
  }

  @Test
  default void anUnpostedStatusGivesWayToANewerOne() {
    add("n1", status(RunState.QUEUED));
    add("n2", told("a"));
    add("n3", status(RunState.RUNNING));

    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("n2");
  }

  @Test
  default void statusWithAStartedPostIsNotReplaced() {
    add("n1", status(RunState.QUEUED));
    store().change(work -> work.outbox().begin(new NoticeId("n1")));
    add("n2", status(RunState.RUNNING));

    assertThat(nextNotice())
        .map(each -> each.item().id().value() + " " + each.item().tries())
        .contains("n1 1");
  }

  @Test
  default void parkedItemsAreListedNewestFirst() {
    store().accept(delivery("1", start("a")));
    store().accept(delivery("2", say("b")));
    store().accept(delivery("3", say("c")));
    store().change(work -> work.inbox().park(new DeliveryId("fake:1"), "first"));
    store().change(work -> work.inbox().park(new DeliveryId("fake:2"), "second"));
    add("n1", told("a"));
    store().change(work -> work.outbox().park(new NoticeId("n1"), "gone"));

    assertThat(parked(10)).extracting(Parked::id).containsExactly("fake:2", "fake:1");
    assertThat(parked(1)).extracting(Parked::why).containsExactly("second");
    assertThat(parked(1).getFirst().item()).contains(delivery("2", say("b")));
    assertThat(store().<List<Parked<Notice>>>commit(work -> work.outbox().parked(10)))
        .extracting(Parked::conversation)
        .containsExactly(THREAD);
  }

  @Test
  default void aParkedDeliveryThatIsRetriedIsDueAndRemembersThatItWasTried() {
    store().accept(delivery("1", start("a")));
    store().accept(delivery("2", say("b")));
    for (int i = 0; i < 3; i++) {
      store().change(work -> work.inbox().begin(new DeliveryId("fake:1")));
    }
    store().change(work -> work.inbox().park(new DeliveryId("fake:1"), "why"));

    assertThat(store().<Boolean>commit(work -> work.inbox().retry(new DeliveryId("fake:1"))))
        .isTrue();
    assertThat(next(THREAD)).contains(new Pending<>(delivery("1", start("a")), 1, NINE));
    assertThat(parked(10)).isEmpty();
    assertThat(store().<Boolean>commit(work -> work.inbox().retry(new DeliveryId("fake:1"))))
        .isFalse();
  }

  @Test
  default void aParkedDeliveryThatIsDiscardedStaysKnown() {
    store().accept(delivery("1", start("a")));
    store().change(work -> work.inbox().park(new DeliveryId("fake:1"), "why"));

    assertThat(store().<Boolean>commit(work -> work.inbox().discard(new DeliveryId("fake:1"))))
        .isTrue();
    assertThat(parked(10)).isEmpty();
    assertThat(next(THREAD)).isEmpty();
    assertThat(store().accept(delivery("1", start("a")))).isFalse();
  }

  @Test
  default void onlyParkedItemsCanBeRetriedOrDiscarded() {
    store().accept(delivery("1", start("a")));
    add("n1", told("a"));

    assertThat(store().<Boolean>commit(work -> work.inbox().retry(new DeliveryId("fake:1"))))
        .isFalse();
    assertThat(store().<Boolean>commit(work -> work.inbox().discard(new DeliveryId("fake:1"))))
        .isFalse();
    assertThat(store().<Boolean>commit(work -> work.outbox().discard(new NoticeId("n1"))))
        .isFalse();
    assertThat(next(THREAD)).isPresent();
    assertThat(nextNotice()).isPresent();
  }

  @Test
  default void aParkedNoticeThatIsRetriedRemembersThatItWasTried() {
    add("n1", told("a"));
    store().change(work -> work.outbox().begin(new NoticeId("n1")));
    store().change(work -> work.outbox().park(new NoticeId("n1"), "gone"));

    assertThat(store().<Boolean>commit(work -> work.outbox().retry(new NoticeId("n1")))).isTrue();
    assertThat(nextNotice()).map(each -> each.item().tries()).contains(1);

    store().change(work -> work.outbox().park(new NoticeId("n1"), "gone"));
    assertThat(store().<Boolean>commit(work -> work.outbox().discard(new NoticeId("n1")))).isTrue();
    assertThat(nextNotice()).isEmpty();
  }

  @Test
  default void parkedStatusIsNotRetriedIfANewerOneFollowed() {
    add("n1", status(RunState.QUEUED));
    store().change(work -> work.outbox().park(new NoticeId("n1"), "gone"));
    add("n2", status(RunState.RUNNING));
    store().change(work -> work.outbox().posted(new NoticeId("n2"), new PostRef("p1")));

    assertThat(store().<Boolean>commit(work -> work.outbox().retry(new NoticeId("n1")))).isTrue();
    assertThat(nextNotice()).isEmpty();
    assertThat(store().<List<Parked<Notice>>>commit(work -> work.outbox().parked(10))).isEmpty();
  }

  @Test
  default void aStatusThatWaitsForItsPlatformDelaysNoNewerOne() {
    store()
        .change(
            work ->
                work.outbox().addAt(NINE.plusSeconds(5), notice("n1", status(RunState.RUNNING))));
    store()
        .change(
            work ->
                work.outbox().postpone(new NoticeId("n1"), NINE.plusSeconds(60), "down", "fake"));

    add("n2", status(RunState.RUNNING));

    assertThat(nextNotice()).map(each -> each.item().id().value()).contains("n2");
  }

  @Test
  default void onlyTheLastParkedStatusOfARunIsKept() {
    add("n1", status(RunState.QUEUED));
    store().change(work -> work.outbox().park(new NoticeId("n1"), "gone"));
    add("n2", told("a"));
    store().change(work -> work.outbox().park(new NoticeId("n2"), "gone"));
    add("n3", status(RunState.RUNNING));
    store().change(work -> work.outbox().park(new NoticeId("n3"), "gone"));

    assertThat(store().<List<Parked<Notice>>>commit(work -> work.outbox().parked(10)))
        .extracting(Parked::id)
        .containsExactlyInAnyOrder("n2", "n3");
  }

  private List<Parked<Delivery>> parked(int limit) {
    return store().commit(work -> work.inbox().parked(limit));
  }

  private Optional<Pending<Delivery>> next(Conversation conversation) {
    return store().commit(work -> work.inbox().next(conversation, NINE));
  }

  private Optional<Instant> due(Conversation conversation) {
    return store().commit(work -> work.inbox().due(conversation));
  }

  private Optional<Binding> of(Conversation conversation) {
    return store().commit(work -> work.bindings().of(conversation));
  }

  @Test
  default void secondRunBecomesCurrentAndTheFirstStaysActive() {
    save(binding(THREAD, run("r1", RunState.RUNNING)));
    save(binding(THREAD, run("r2", RunState.QUEUED)));

    assertThat(current()).contains("r2");
    assertThat(of(new RunId("r1"))).map(Binding::conversation).contains(THREAD);
    assertThat(store().<Integer>read(Store.Bindings::countActive)).isEqualTo(2);
    assertThat(store().<List<Binding>>read(Store.Bindings::active)).hasSize(2);
    assertThat(
            store()
                .<List<Binding>>read(
                    bindings -> bindings.recent(Optional.of(Samples.SURFACE), "team/", 5)))
        .hasSize(2);
  }

  @Test
  default void runThatIsNotCurrentIsStillUpdated() {
    save(binding(THREAD, run("r1", RunState.RUNNING)));
    var first = of(new RunId("r1")).orElseThrow();
    save(binding(THREAD, run("r2", RunState.QUEUED)));

    assertThat(save(first.seen(run("r1", RunState.SUCCEEDED)))).isTrue();
    assertThat(save(first.seen(run("r1", RunState.FAILED)))).as("the compare").isFalse();
    store()
        .change(
            work -> work.bindings().statusPosted(THREAD, new RunId("r1"), new PostRef("post-1")));

    assertThat(current()).contains("r2");
    assertThat(of(new RunId("r1")).orElseThrow().run().state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(of(new RunId("r1")).orElseThrow().status()).contains(new PostRef("post-1"));
    assertThat(of(new RunId("r2")).orElseThrow().status()).isEmpty();
    assertThat(store().<Integer>read(Store.Bindings::countActive)).isOne();
  }

  @Test
  default void earlierRunCanBecomeCurrentAgain() {
    save(binding(THREAD, run("r1", RunState.RUNNING)));
    save(binding(THREAD, run("r2", RunState.QUEUED)));
    save(binding(THREAD, run("r1", RunState.RUNNING)));

    assertThat(current()).contains("r1");
    assertThat(store().<Integer>read(Store.Bindings::countActive)).isEqualTo(2);
  }

  @Test
  default void releasedRunHasNoConversation() {
    save(binding(THREAD, run("r1", RunState.RUNNING)));
    store().change(work -> work.bindings().release(THREAD, new RunId("r1")));

    assertThat(of(THREAD)).isEmpty();
    assertThat(of(new RunId("r1"))).isEmpty();
  }

  private Optional<String> current() {
    return of(THREAD).map(binding -> binding.run().id().value());
  }

  private Optional<Binding> of(RunId run) {
    return store().<Optional<Binding>>commit(work -> work.bindings().of(run));
  }

  @Test
  default void firstRunToShowAPullRequestCountsAsItsOpener() {
    var seven =
        new Artifact(
            "seven", URI.create("https://git.example/acme/Shop/pull/7"), true, Optional.of("fix"));
    var mentioned = new Artifact("nine", URI.create("https://git.example/acme/shop/pull/9"), true);
    var plan = new Artifact("plan", URI.create("https://git.example/acme/shop/pull/8"), false);
    for (var id : List.of("r1", "r2")) {
      var thread = id.equals("r1") ? THREAD : OTHER_THREAD;
      var quiet = run(id, RunState.RUNNING);
      store().change(work -> work.bindings().save(bound(thread, quiet)));
      assertThat(opener("https://git.example/acme/shop/pull/7")).isNotEqualTo(Optional.of(id));
      store()
          .change(
              work -> {
                var binding = work.bindings().of(quiet.id()).orElseThrow();
                work.bindings().save(binding.seen(showing(quiet, seven, mentioned, plan)));
              });
    }

    assertThat(opener("https://git.example/acme/shop/pull/7")).contains("r1");
    assertThat(opener("https://git.example/Acme/shop/pull/7/files?w=1#r8")).contains("r1");
    assertThat(opener("https://git.example/acme/shop/pull/8")).isEmpty();
    assertThat(opener("https://git.example/acme/shop/pull/9")).isEmpty();
    assertThat(opener("https://git.example/acme/shop/pull/77")).isEmpty();
  }

  @Test
  default void openPullRequestsAreThoseOpenedByRunsAndNotYetEnded() {
    var links =
        Stream.of("shop/pull/7", "shop/pull/8", "shop/pull/9", "shop2/pull/7", "s_op/pull/7")
            .map(path -> URI.create("https://git.example/acme/" + path))
            .toList();
    var running = run("r1", RunState.RUNNING);
    store().change(work -> work.bindings().save(bound(THREAD, running)));
    store()
        .change(
            work -> {
              var binding = work.bindings().of(running.id()).orElseThrow();
              var all =
                  links.stream()
                      .map(link -> new Artifact("a", link, true, Optional.of("fix")))
                      .toArray(Artifact[]::new);
              work.bindings().save(binding.seen(showing(running, all)));
            });
    became(PullRequest.of(links.get(0)).orElseThrow(), PullRequestState.OPEN, 10);
    became(PullRequest.of(links.get(1)).orElseThrow(), PullRequestState.CLOSED, 10);

    assertThat(openIn("https://git.example/Acme/shop"))
        .containsExactlyInAnyOrder("git.example/acme/shop/pull/7", "git.example/acme/shop/pull/9");
    assertThat(openIn("https://git.example/acme/s_op"))
        .containsExactly("git.example/acme/s_op/pull/7");
    assertThat(openIn("https://git.example/acme/nothing")).isEmpty();
  }

  private List<String> openIn(String repository) {
    return store()
        .<List<PullRequest>>commit(work -> work.pullRequests().open(URI.create(repository)))
        .stream()
        .map(PullRequest::address)
        .toList();
  }

  @Test
  default void latestReportDeterminesTheStateOfAPullRequest() {
    var pullRequest =
        PullRequest.of(URI.create("https://git.example/acme/shop/pull/7")).orElseThrow();
    assertThat(stateOf(pullRequest)).isEmpty();

    assertThat(became(pullRequest, PullRequestState.DRAFT, 10)).isTrue();
    assertThat(became(pullRequest, PullRequestState.MERGED, 30)).isTrue();
    assertThat(became(pullRequest, PullRequestState.MERGED, 40)).isFalse();
    assertThat(became(pullRequest, PullRequestState.OPEN, 20)).isFalse();

    assertThat(stateOf(pullRequest)).contains(PullRequestState.MERGED);
  }

  private boolean became(PullRequest pullRequest, PullRequestState state, int second) {
    return store()
        .<Boolean>commit(
            work ->
                work.pullRequests()
                    .saveState(pullRequest, state, Instant.ofEpochSecond(1_790_000_000L + second)));
  }

  private Optional<PullRequestState> stateOf(PullRequest pullRequest) {
    return store().commit(work -> work.pullRequests().state(pullRequest));
  }

  private Optional<String> opener(String link) {
    return store()
        .<Optional<RunId>>commit(
            work -> work.pullRequests().opener(PullRequest.of(URI.create(link)).orElseThrow()))
        .map(RunId::value);
  }

  private static Run showing(Run run, Artifact... artifacts) {
    return Samples.run(
        run.id(),
        run.title(),
        run.state(),
        run.stateName(),
        run.message(),
        run.retryable(),
        run.session(),
        List.of(artifacts),
        run.cost(),
        run.runTime(),
        run.updatedAt(),
        run.delivery());
  }

  private static Binding bound(Conversation conversation, Run run) {
    return Samples.binding(
        conversation,
        run,
        Samples.DANA,
        Request.of("fix it"),
        Origin.NONE,
        Optional.empty(),
        NINE,
        false,
        0);
  }

  @Test
  default void subscriberIsStoredUntilTheUnsubscribeOrTheAnswer() {
    var here = new Subscriber(THREAD, Samples.DANA, Origin.NONE);
    var there = new Subscriber(OTHER_THREAD, Samples.DANA, Origin.NONE);
    var again = new Subscriber(OTHER_THREAD, Samples.SAM, Origin.NONE);
    var run = new RunId("r1");
    for (var subscriber : List.of(here, there, again)) {
      store().change(work -> work.pullRequests().subscribe(run, subscriber));
    }
    store().change(work -> work.pullRequests().subscribe(new RunId("r2"), there));

    assertThat(askers("r1")).containsExactly(here, again);
    store().change(work -> work.pullRequests().unsubscribe(run, THREAD));
    assertThat(askers("r1")).containsExactly(again);
    store().change(work -> work.pullRequests().unsubscribeAll(run));
    assertThat(askers("r1")).isEmpty();
    assertThat(askers("r2")).containsExactly(there);
  }

  private List<Subscriber> askers(String run) {
    return store()
        .<List<Subscriber>>commit(work -> work.pullRequests().subscribers(new RunId(run)));
  }

  @Test
  default void pullRequestGetsOneFollowUpPerCause() {
    var pullRequest =
        PullRequest.of(URI.create("https://git.example/acme/shop/pull/7")).orElseThrow();
    var delivery = new DeliveryId("github:1");

    assertThat(follows(pullRequest, "checks:1a2b", delivery)).isTrue();
    assertThat(follows(pullRequest, "checks:1a2b", new DeliveryId("github:2"))).isFalse();
    assertThat(sent(delivery)).contains(pullRequest);
    assertThat(sent(delivery)).isEmpty();
    assertThat(sent(new DeliveryId("github:2"))).isEmpty();
    assertThat(
            store()
                .<List<Store.PullRequests.FollowUp>>commit(
                    work -> work.pullRequests().followUps(pullRequest)))
        .containsExactly(new Store.PullRequests.FollowUp(delivery, true));
  }

  private boolean follows(PullRequest pullRequest, String cause, DeliveryId delivery) {
    return store()
        .<Boolean>commit(work -> work.pullRequests().addFollowUp(pullRequest, cause, delivery));
  }

  private Optional<PullRequest> sent(DeliveryId delivery) {
    return store().commit(work -> work.pullRequests().markFollowUpSent(delivery));
  }

  @Test
  default void issueHasOneClaimUntilItIsReplaced() {
    var issue = new Conversation(new SurfaceId("tracker"), "acme/shop#7");
    var first = new Claim(THREAD, new DeliveryId("slack:1"));
    var second = new Claim(OTHER_THREAD, new DeliveryId("slack:2"));

    assertThat(claim(issue, first)).isEqualTo(first);
    assertThat(claim(issue, second)).isEqualTo(first);
    assertThat(replace(issue, second, second)).isFalse();
    assertThat(replace(issue, first, second)).isTrue();
    assertThat(claim(issue, first)).isEqualTo(second);
  }

  @Test
  default void participationIsStoredFromTheQuestionToTheLeave() {
    var asked = new Participation(new RunId("r1"), Optional.of("said:1"));
    var joined = new Participation(new RunId("r1"), Optional.empty());
    assertThat(participation()).isEmpty();

    store().change(work -> work.issues().join(THREAD, asked));
    assertThat(participation()).contains(asked);
    store().change(work -> work.issues().join(THREAD, joined));
    assertThat(participation()).contains(joined);
    store().change(work -> work.issues().leave(THREAD));
    assertThat(participation()).isEmpty();
  }

  private Claim claim(Conversation issue, Claim claim) {
    return store().commit(work -> work.issues().claim(issue, claim));
  }

  private boolean replace(Conversation issue, Claim before, Claim now) {
    return store().<Boolean>commit(work -> work.issues().replace(issue, before, now));
  }

  private Optional<Participation> participation() {
    return store().commit(work -> work.issues().participation(THREAD));
  }

  private static Schedule schedule(String id, Timing timing, Optional<Instant> next) {
    var request = new Intent.New(new Request("check the build", RunOptions.NONE));
    return new Schedule(id, delivery(id, request), timing, ZoneId.of("Europe/Berlin"), next);
  }

  @Test
  default void schedulesAreStoredUnchanged() {
    var weekly = new Timing.Weekly(Set.of(DayOfWeek.MONDAY, DayOfWeek.FRIDAY), LocalTime.NOON);
    var all =
        Stream.<Timing>of(
                weekly,
                new Timing.Monthly(31, LocalTime.of(9, 30)),
                new Timing.Periodic(2, ChronoUnit.WEEKS, Optional.of(LocalTime.MIDNIGHT)),
                new Timing.In(3, ChronoUnit.MONTHS, Optional.empty()),
                new Timing.On(LocalDate.of(2026, 12, 24), LocalTime.NOON),
                new Timing.Next(DayOfWeek.SUNDAY, LocalTime.NOON))
            .map(it -> schedule(it.getClass().getSimpleName(), it, Optional.of(NINE)))
            .toList();
    store().change(work -> all.forEach(work.schedules()::add));

    assertThat(schedules()).containsExactlyInAnyOrderElementsOf(all);
    assertThat(store().<List<Schedule>>commit(work -> work.schedules().of(new SurfaceId("other"))))
        .isEmpty();
  }

  @Test
  default void eachTimeOfAScheduleIsDueOnce() {
    var timing = new Timing.Periodic(1, ChronoUnit.HOURS, Optional.empty());
    store().change(work -> work.schedules().add(schedule("s1", timing, Optional.of(NINE))));
    assertThat(due(NINE.minusMillis(1))).isEmpty();
    assertThat(due(NINE)).contains("s1");

    var ten = NINE.plusSeconds(3600);
    assertThat(advance(NINE, Optional.of(ten))).isTrue();
    assertThat(advance(NINE, Optional.of(ten))).isFalse();
    assertThat(due(NINE)).isEmpty();
    assertThat(due(ten)).contains("s1");

    store().change(work -> work.schedules().setNext("s1", Optional.empty()));
    assertThat(due(ten)).isEmpty();
    assertThat(advance(ten, Optional.empty())).isFalse();
    store().change(work -> work.schedules().setNext("s1", Optional.of(ten)));
    assertThat(advance(ten, Optional.empty())).isTrue();
    assertThat(schedules()).isEmpty();
  }

  @Test
  default void dueScheduleStartsOnceOnSeveralNodes() throws Exception {
    var timing = new Timing.Periodic(1, ChronoUnit.HOURS, Optional.empty());
    store().change(work -> work.schedules().add(schedule("s1", timing, Optional.of(NINE))));

    try (var nodes = Executors.newFixedThreadPool(4)) {
      var all =
          IntStream.range(0, 4)
              .mapToObj(_ -> nodes.submit(() -> new ScheduleStarter(store()).step(NINE)))
              .toList();
      for (var each : all) {
        each.get();
      }
    }

    assertThat(
            store().<List<Pending<Delivery>>>commit(work -> work.inbox().waiting(THREAD)).stream()
                .map(each -> each.item().id().value()))
        .containsExactly("fake:s1:at:" + NINE.getEpochSecond());
    assertThat(due(NINE)).isEmpty();
  }

  private List<Schedule> schedules() {
    return store().commit(work -> work.schedules().of(THREAD.surface()));
  }

  private Optional<String> due(Instant now) {
    return store().commit(work -> work.schedules().due(now).map(Schedule::id));
  }

  private boolean advance(Instant planned, Optional<Instant> next) {
    return store().<Boolean>commit(work -> work.schedules().advance("s1", planned, next));
  }

  @Test
  default void preferenceIsSetReplacedAndRemoved() {
    var fast = new Preference("slack:T1", "model", "fast", "U1", NINE);
    var slow = new Preference("slack:T1", "model", "slow", "U2", NINE.plusSeconds(1));
    var mine = new Preference("slack:@U1", "model", "mine", "U1", NINE);
    for (var preference : List.of(fast, slow, mine)) {
      store().change(work -> work.preferences().set(preference));
    }

    assertThat(store().preferences(Set.of("slack:T1", "slack:T2"))).containsExactly(slow);
    assertThat(store().preferences(Set.of())).isEmpty();
    assertThat(store().<Boolean>commit(work -> work.preferences().unset("slack:T1", "model")))
        .isTrue();
    assertThat(store().<Boolean>commit(work -> work.preferences().unset("slack:T1", "model")))
        .isFalse();
    assertThat(store().preferences(Set.of("slack:T1", "slack:@U1"))).containsExactly(mine);
  }

  @Test
  default void traceShowsWhatBecameOfAMessage() {
    store().accept(delivery("1", say("a")));
    store().accept(delivery("2", say("b")));
    store().accept(delivery("3", say("c")));
    store()
        .change(
            work -> {
              work.inbox().begin(new DeliveryId("fake:1"));
              work.inbox().note(new DeliveryId("fake:1"), "to start a run");
              work.inbox().done(new DeliveryId("fake:1"));
              work.inbox().postpone(new DeliveryId("fake:2"), NINE.plusSeconds(5), "503");
              work.inbox().park(new DeliveryId("fake:3"), "gone");
            });

    assertThat(traces(Optional.of("said:1")))
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.state()).isEqualTo(DeliveryTrace.State.DONE);
              assertThat(it.note()).contains("to start a run");
              assertThat(it.tries()).isOne();
            });
    assertThat(traces(Optional.empty()))
        .extracting(DeliveryTrace::state, DeliveryTrace::why)
        .containsExactly(
            tuple(DeliveryTrace.State.PARKED, Optional.of("gone")),
            tuple(DeliveryTrace.State.WAITS, Optional.of("503")),
            tuple(DeliveryTrace.State.DONE, Optional.empty()));
    assertThat(traces(Optional.of("said:404"))).isEmpty();
  }

  private List<DeliveryTrace> traces(Optional<String> meaning) {
    return store().<List<DeliveryTrace>>commit(work -> work.inbox().traces(THREAD, meaning, 5));
  }

  private boolean save(Binding binding) {
    return store().<Boolean>commit(work -> work.bindings().save(binding));
  }

  @Test
  default void callWithoutAPauseIsNotDelayed() {
    assertThat(turn("a", NINE)).isEqualTo(NINE);
    assertThat(turn("b", NINE)).isEqualTo(NINE);
  }

  @Test
  default void callsAfterAPauseAreOneSecondApart() {
    var over = NINE.plusSeconds(30);
    hold("channel", over);

    assertThat(turn("a", NINE)).isEqualTo(over);
    assertThat(turn("b", NINE)).isEqualTo(over.plusSeconds(1));
    assertThat(turn("a", NINE.plusSeconds(5))).isEqualTo(over);

    assertThat(turn("a", over)).isEqualTo(over);
    assertThat(turn("c", over)).isEqualTo(over.plusSeconds(2));
    var turnOfB = over.plusSeconds(1);
    assertThat(turn("b", turnOfB)).isEqualTo(turnOfB);
  }

  @Test
  default void callsAtTheEndOfAPauseDoNotAllRunAtOnce() {
    hold("channel", NINE.plusSeconds(30));
    var over = NINE.plusSeconds(30);

    assertThat(turn("a", over)).isEqualTo(over);
    assertThat(turn("b", over)).isEqualTo(over.plusSeconds(1));
  }

  @Test
  default void longerPauseDelaysAssignedTurns() {
    hold("channel", NINE.plusSeconds(10));
    assertThat(turn("a", NINE)).isEqualTo(NINE.plusSeconds(10));

    hold("channel", NINE.plusSeconds(40));

    assertThat(turn("a", NINE.plusSeconds(10))).isEqualTo(NINE.plusSeconds(40));
  }

  @Test
  default void pauseExpiresAMinuteAfterTheLastTurn() {
    hold("channel", NINE.plusSeconds(10));
    var later = NINE.plusSeconds(71);

    assertThat(turn("a", later)).isEqualTo(later);
    assertThat(turn("b", later)).isEqualTo(later);
  }

  @Test
  default void pauseOfOneLimitDoesNotAffectAnother() {
    hold("elsewhere", NINE.plusSeconds(10));

    assertThat(turn("a", NINE)).isEqualTo(NINE);
  }

  @Test
  default void anApprovalWaitsUntilItIsDecidedOnce() {
    var asked = approval("1a2b3c4d", "1");
    store().change(work -> work.approvals().add(asked));
    store().change(work -> work.approvals().add(asked));

    assertThat(approvals()).containsExactly(asked);
    assertThat(
            store()
                .<Boolean>commit(
                    work ->
                        work.approvals()
                            .decide(
                                asked.delivery(),
                                State.APPROVED,
                                Optional.of(new Actor("E1", "Eve")),
                                NINE)))
        .isTrue();
    assertThat(
            store()
                .<Boolean>commit(
                    work ->
                        work.approvals()
                            .decide(
                                asked.delivery(),
                                State.DECLINED,
                                Optional.of(new Actor("M1", "Max")),
                                NINE)))
        .isFalse();
    assertThat(approvals()).isEmpty();
    assertThat(store().<Optional<Approval>>commit(work -> work.approvals().of(asked.delivery())))
        .hasValueSatisfying(
            it -> {
              assertThat(it.state()).isEqualTo(State.APPROVED);
              assertThat(it.decidedBy()).contains("Eve");
            });
  }

  @Test
  default void anApprovalIsFoundByTheFirstCharactersOfItsId() {
    store().change(work -> work.approvals().add(approval("1a2b3c4d", "1")));
    store().change(work -> work.approvals().add(approval("1a2bffff", "2")));

    assertThat(startingWith("1A2B3")).containsExactly("1a2b3c4d");
    assertThat(startingWith("1a2b")).containsExactlyInAnyOrder("1a2b3c4d", "1a2bffff");
    assertThat(startingWith("ffff")).isEmpty();
  }

  private List<String> startingWith(String id) {
    return store().<List<Approval>>commit(work -> work.approvals().startingWith(id)).stream()
        .map(Approval::id)
        .toList();
  }

  private List<Approval> approvals() {
    return store().commit(work -> work.approvals().waiting(Optional.of(THREAD)));
  }

  private static Approval approval(String id, String delivery) {
    return new Approval(
        id,
        new DeliveryId("fake:" + delivery),
        THREAD,
        Samples.DANA,
        "policy.approve[0]",
        List.of("platform"),
        true,
        Request.of("fix it"),
        NINE,
        NINE.plusSeconds(60),
        State.WAITING,
        Optional.empty());
  }

  @Test
  default void startsAreCountedByPersonPlaceAndEnvironmentSinceATime() {
    started("1", "slack:U1", "slack:T1/C1", "web", NINE);
    started("1", "slack:U1", "slack:T1/C1", "web", NINE);
    started("2", "slack:U1", "slack:T1/C2", "", NINE.plusSeconds(10));
    started("3", "slack:U2", "slack:T1/C1", "web", NINE.plusSeconds(20));

    var before = NINE.minusSeconds(1);
    assertThat(sum("slack:U1", null, null, before).runs()).isEqualTo(2);
    assertThat(sum(null, "slack:T1/C1", null, before).runs()).isEqualTo(2);
    assertThat(sum(null, null, "web", before).runs()).isEqualTo(2);
    assertThat(sum(null, null, null, NINE.plusSeconds(5)).since()).contains(NINE.plusSeconds(10));
    assertThat(sum("slack:U3", null, null, before))
        .isEqualTo(new Sum(0, Duration.ZERO, 0, Duration.ZERO, Optional.empty()));
  }

  @Test
  default void firstStartOfAPersonIsRecognized() {
    assertThat(isFirst("slack:U1")).isTrue();
    started("1", "slack:U1", "slack:T1/C1", "", NINE);
    assertThat(isFirst("slack:U1")).isFalse();
    assertThat(isFirst("slack:U2")).isTrue();
  }

  @Test
  default void aStartThatDidNotHappenIsNotCounted() {
    started("1", "slack:U1", "slack:T1/C1", "", NINE);
    store().change(work -> work.starts().remove(new DeliveryId("fake:1")));

    assertThat(isFirst("slack:U1")).isTrue();
  }

  @Test
  default void savingABindingStoresTimeAndCostOfItsRun() {
    started("1", "slack:U1", "slack:T1/C1", "", NINE);
    var run =
        Samples.run("run-1", RunState.SUCCEEDED)
            .withDelivery(Optional.of(new DeliveryId("fake:1")))
            .withRunTime(Optional.of(Duration.ofSeconds(90)))
            .withCost(Optional.of("$0.42"));
    save(binding(THREAD, run));

    var sum = sum("slack:U1", null, null, NINE.minusSeconds(1));
    assertThat(sum.time()).isEqualTo(Duration.ofSeconds(90));
    assertThat(sum.micros()).isEqualTo(420_000);
    assertThat(sum.unpriced()).isZero();
  }

  @Test
  default void timeOfUnpricedRunsIsSummedSeparately() {
    started("1", "slack:U1", "slack:T1/C1", "", NINE);
    started("2", "slack:U1", "slack:T1/C1", "", NINE);
    store()
        .change(
            work -> {
              work.starts().saveUsage(new DeliveryId("fake:1"), "run-1", Duration.ofSeconds(90), 0);
              work.starts().saveUsage(new DeliveryId("fake:2"), "run-2", Duration.ofSeconds(60), 5);
            });

    var sum = sum("slack:U1", null, null, NINE.minusSeconds(1));
    assertThat(sum.time()).isEqualTo(Duration.ofSeconds(150));
    assertThat(sum.unpriced()).isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  default void freezeLastsUntilItIsLifted() {
    var freeze = new Freeze(new Actor("E1", "Eve"), Optional.of("a deployment"), NINE);
    store().change(work -> work.starts().freeze(freeze));

    assertThat(store().<Optional<Freeze>>commit(work -> work.starts().freeze())).contains(freeze);
    assertThat(store().<Boolean>commit(work -> work.starts().unfreeze())).isTrue();
    assertThat(store().<Boolean>commit(work -> work.starts().unfreeze())).isFalse();
    assertThat(store().<Optional<Freeze>>commit(work -> work.starts().freeze())).isEmpty();
  }

  private void started(String id, String person, String place, String environment, Instant at) {
    store()
        .change(
            work -> {
              work.starts().lock();
              work.starts()
                  .add(new Start(new DeliveryId("fake:" + id), person, place, environment, at));
            });
  }

  private boolean isFirst(String person) {
    return store().<Boolean>commit(work -> work.starts().isFirst(person));
  }

  private Sum sum(
      @Nullable String person,
      @Nullable String place,
      @Nullable String environment,
      Instant since) {
    return store()
        .commit(
            work ->
                work.starts()
                    .sum(
                        Optional.ofNullable(person),
                        Optional.ofNullable(place),
                        Optional.ofNullable(environment),
                        since));
  }

  @Test
  default void pausesAreListedUntilTheyAreOver() {
    hold("channel", NINE.plusSeconds(30));
    hold("channel", NINE.plusSeconds(60));
    hold("other", NINE.plusSeconds(10));

    assertThat(paused(NINE))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("channel", NINE.plusSeconds(60), "other", NINE.plusSeconds(10)));
    assertThat(paused(NINE.plusSeconds(10))).containsOnlyKeys("channel");
    assertThat(paused(NINE.plusSeconds(60))).isEmpty();
  }

  private Map<String, Instant> paused(Instant now) {
    return store().<Map<String, Instant>>commit(work -> work.limits().paused(now));
  }

  private Instant turn(String holder, Instant now) {
    return store().commit(work -> work.limits().reserve("channel", holder, now));
  }

  private void hold(String limit, Instant until) {
    store().change(work -> work.limits().hold(limit, until));
  }

  private void add(String id, Update update) {
    store()
        .change(
            work ->
                work.outbox()
                    .add(new Notice(new NoticeId(id), THREAD, update, Origin.NONE, NINE, 0)));
  }

  private Optional<Pending<Notice>> nextNotice() {
    return store().commit(work -> work.outbox().next(THREAD, NINE));
  }

  private static Update told(String text) {
    return new Update.Message(Samples.DANA, text, true);
  }

  private static Update status(RunState state) {
    return new Update.Status(run("r1", state), Samples.DANA, Request.of("a"), NINE, NINE);
  }

  private static Binding binding(Conversation conversation, Run run) {
    return Samples.binding(
        conversation,
        run,
        Samples.DANA,
        Request.of("a"),
        Origin.NONE,
        Optional.empty(),
        NINE,
        false,
        0);
  }

  private static Binding versioned(Binding binding, long version) {
    return Samples.binding(
        binding.conversation(),
        binding.run(),
        binding.requester(),
        binding.request(),
        binding.origin(),
        binding.status(),
        binding.since(),
        binding.reopened(),
        version);
  }
}
