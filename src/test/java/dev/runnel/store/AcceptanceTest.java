package dev.runnel.store;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

class AcceptanceTest {
  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anErrorRefusesItsDeliveriesAndTheNextAreTaken() {
    var broken = new AtomicBoolean(true);
    try (var acceptance =
        new Acceptance(
            deliveries -> {
              if (broken.getAndSet(false)) {
                throw new StackOverflowError("too deep");
              }
              return List.of(true);
            })) {
      assertThatThrownBy(() -> acceptance.accept(delivery("1", say("a"))))
          .hasRootCauseMessage("too deep");
      assertThat(acceptance.accept(delivery("1", say("a")))).isTrue();
    }
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aDeliveryThatCannotBeKeptFailsAlone() throws Exception {
    var firstIsIn = new CountDownLatch(1);
    var restIsIn = new CountDownLatch(1);
    try (var senders = Executors.newVirtualThreadPerTaskExecutor();
        var acceptance =
            new Acceptance(
                deliveries -> {
                  firstIsIn.countDown();
                  awaited(restIsIn);
                  if (deliveries.stream().anyMatch(each -> each.id().value().equals("fake:7"))) {
                    throw new DatabaseException("no such character", null);
                  }
                  return deliveries.stream().map(_ -> true).toList();
                })) {
      var kept = new ConcurrentSkipListSet<String>();
      var refused = new ConcurrentSkipListSet<String>();
      var calls = new ArrayList<Future<?>>();
      calls.add(senders.submit(() -> acceptance.accept(delivery("first", say("a")))));
      firstIsIn.await();
      var offered = new CountDownLatch(20);
      for (int i = 0; i < 20; i++) {
        var id = Integer.toString(i);
        calls.add(
            senders.submit(
                () -> {
                  offered.countDown();
                  try {
                    acceptance.accept(delivery(id, say("a")));
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
  void aSenderIsRefusedInTimeAndLeftOut() {
    var goOn = new CountDownLatch(1);
    var kept = new CopyOnWriteArrayList<String>();
    try (var acceptance =
        new Acceptance(
            deliveries -> {
              awaited(goOn);
              deliveries.forEach(each -> kept.add(each.id().value()));
              return deliveries.stream().map(_ -> true).toList();
            },
            Duration.ofMillis(300))) {
      assertThatThrownBy(() -> acceptance.accept(delivery("1", say("a"))))
          .isInstanceOf(DatabaseException.class);
      assertThatThrownBy(() -> acceptance.accept(delivery("2", say("a"))))
          .isInstanceOf(DatabaseException.class);
      goOn.countDown();

      assertThat(acceptance.accept(delivery("3", say("a")))).isTrue();
      // The first was on its way already, and is known when it comes again.
      assertThat(kept).containsExactly("fake:1", "fake:3");
    }
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
