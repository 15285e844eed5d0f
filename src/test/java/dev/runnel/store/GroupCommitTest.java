package dev.runnel.store;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.database.DatabaseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GroupCommitTest {
  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void errorRefusesItsDeliveriesButNotTheNext() {
    var broken = new AtomicBoolean(true);
    try (var groupCommit =
        new GroupCommit(
            deliveries -> {
              if (broken.getAndSet(false)) {
                throw new StackOverflowError("too deep");
              }
              return List.of(true);
            },
            Runnable::run)) {
      assertThatThrownBy(() -> groupCommit.accept(delivery("1", say("a"))))
          .hasRootCauseMessage("too deep");
      assertThat(groupCommit.accept(delivery("1", say("a")))).isTrue();
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aDeliveryThatCannotBeKeptFailsAlone() throws Exception {
    var firstIsIn = new CountDownLatch(1);
    var restIsIn = new CountDownLatch(1);
    try (var senders = Executors.newVirtualThreadPerTaskExecutor();
        var groupCommit =
            new GroupCommit(
                deliveries -> {
                  firstIsIn.countDown();
                  awaited(restIsIn);
                  if (deliveries.stream().anyMatch(each -> each.id().value().equals("fake:7"))) {
                    throw new DatabaseException("no such character", null);
                  }
                  return deliveries.stream().map(_ -> true).toList();
                },
                Runnable::run)) {
      var kept = new ConcurrentSkipListSet<String>();
      var refused = new ConcurrentSkipListSet<String>();
      var calls = new ArrayList<Future<?>>();
      calls.add(senders.submit(() -> groupCommit.accept(delivery("first", say("a")))));
      firstIsIn.await();
      var offered = new CountDownLatch(20);
      for (int i = 0; i < 20; i++) {
        var id = Integer.toString(i);
        calls.add(
            senders.submit(
                () -> {
                  offered.countDown();
                  try {
                    groupCommit.accept(delivery(id, say("a")));
                    kept.add(id);
                  } catch (DatabaseException e) {
                    refused.add(id);
                  }
                }));
      }
      offered.await();
      restIsIn.countDown();
      for (var call : calls) {
        call.get();
      }

      assertThat(refused).containsExactly("7");
      assertThat(kept).hasSize(19);
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void waitingSenderTimesOutAndIsNotCommitted() {
    var goOn = new CountDownLatch(1);
    var kept = new CopyOnWriteArrayList<String>();
    try (var groupCommit =
        new GroupCommit(
            deliveries -> {
              awaited(goOn);
              deliveries.forEach(each -> kept.add(each.id().value()));
              return deliveries.stream().map(_ -> true).toList();
            },
            Runnable::run,
            Duration.ofMillis(300))) {
      assertThatThrownBy(() -> groupCommit.accept(delivery("1", say("a"))))
          .isInstanceOf(DatabaseException.class);
      assertThatThrownBy(() -> groupCommit.accept(delivery("2", say("a"))))
          .isInstanceOf(DatabaseException.class);
      goOn.countDown();

      assertThat(groupCommit.accept(delivery("3", say("a")))).isTrue();
      // The first was on its way already, and is known when it comes again.
      assertThat(kept).containsExactly("fake:1", "fake:3");
    }
  }

  /// Else deliveries for which nobody waits would fill the memory while the database stands still.
  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void lateDeliveryIsReleasedUnlessItIsBeingCommitted() throws Exception {
    var isIn = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    var released = new CopyOnWriteArrayList<String>();
    var allReleased = new CountDownLatch(2);
    try (var groupCommit =
        new GroupCommit(
            deliveries -> {
              isIn.countDown();
              awaited(goOn);
              return deliveries.stream().map(_ -> true).toList();
            },
            Runnable::run,
            Duration.ofMillis(300))) {
      var committing =
          groupCommit.acceptLater(
              delivery("1", say("a")),
              () -> {
                released.add("1");
                allReleased.countDown();
              });
      isIn.await();
      var waiting =
          groupCommit.acceptLater(
              delivery("2", say("a")),
              () -> {
                released.add("2");
                allReleased.countDown();
              });
      assertThatThrownBy(committing::join).hasCauseInstanceOf(DatabaseException.class);
      assertThatThrownBy(waiting::join).hasCauseInstanceOf(DatabaseException.class);

      assertThat(released).containsExactly("2");
      goOn.countDown();
      allReleased.await();
      assertThat(released).containsExactly("2", "1");
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void deliveryAfterTheEndIsRefusedAndReleased() {
    var groupCommit = new GroupCommit(_ -> List.of(true), Runnable::run);
    groupCommit.close();
    var released = new AtomicBoolean();

    var late = groupCommit.acceptLater(delivery("1", say("a")), () -> released.set(true));

    assertThat(late).isCompletedExceptionally();
    assertThat(released).isTrue();
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void singleDeliveryIsCommittedOnTheCallingThread() {
    try (var groupCommit =
        new GroupCommit(
            _ -> List.of(true),
            _ -> {
              throw new IllegalStateException("There is one delivery only");
            })) {
      assertThat(groupCommit.accept(delivery("1", say("a")))).isTrue();
    }
  }

  /// Two nodes that get the same deliveries in different orders would wait for each other.
  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void deliveriesThatWaitAreCommittedInTheOrderOfTheirConversations() throws Exception {
    var firstIsIn = new CountDownLatch(1);
    var restIsIn = new CountDownLatch(1);
    var committed = new CopyOnWriteArrayList<String>();
    try (var groupCommit =
        new GroupCommit(
            deliveries -> {
              firstIsIn.countDown();
              awaited(restIsIn);
              deliveries.forEach(each -> committed.add(each.id().value()));
              return deliveries.stream().map(_ -> true).toList();
            },
            Runnable::run,
            Duration.ofSeconds(9))) {
      var senders = new ArrayList<Thread>();
      senders.add(waitingSender(groupCommit, delivery("first", say("a"))));
      firstIsIn.await();
      for (var id : List.of("b1", "a1", "b2", "a2")) {
        var conversation = new Conversation(new SurfaceId("fake"), id.substring(0, 1));
        senders.add(waitingSender(groupCommit, delivery(id, say("a"), conversation)));
      }
      restIsIn.countDown();
      for (var sender : senders) {
        sender.join();
      }
    }

    assertThat(committed).containsExactly("fake:first", "fake:a1", "fake:a2", "fake:b1", "fake:b2");
  }

  /// Started, and waiting for its commit.
  private static Thread waitingSender(GroupCommit groupCommit, Delivery delivery) {
    var sender = Thread.ofPlatform().start(() -> groupCommit.accept(delivery));
    while (sender.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return sender;
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
