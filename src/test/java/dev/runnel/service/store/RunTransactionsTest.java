package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.testkit.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RunTransactionsTest {
  private static final int CREATIONS = 20;

  @Test
  void changeOfARunWaitsForOneCreationAtMost() throws Exception {
    try (var database = ServiceTables.migrate(Database.inMemory())) {
      var transactions = new RunTransactions(database, new SettableClock());
      var order = Collections.synchronizedList(new ArrayList<String>());
      var isBusy = new CountDownLatch(1);
      var goOn = new CountDownLatch(1);
      var threads = new ArrayList<Thread>();
      threads.add(
          Thread.ofVirtual()
              .start(
                  () ->
                      transactions.change(
                          (_, _) -> {
                            isBusy.countDown();
                            awaitUninterrupted(goOn);
                            return "";
                          })));
      isBusy.await();
      for (int i = 0; i < CREATIONS; i++) {
        threads.add(
            waiting(
                () ->
                    transactions.create("create", Optional.empty(), (_, _) -> add(order, "new"))));
      }
      threads.add(waiting(() -> transactions.change((_, _) -> add(order, "change"))));

      goOn.countDown();
      for (var thread : threads) {
        thread.join();
      }

      assertThat(order).hasSize(CREATIONS + 1);
      assertThat(order.indexOf("change")).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void repeatWithoutAKeyIsRecognizedForFiveMinutes() {
    try (var database = ServiceTables.migrate(Database.inMemory())) {
      var clock = new SettableClock();
      var transactions = new RunTransactions(database, clock);
      var first = once(transactions, "0", "first");

      clock.advance(Duration.ofMinutes(5));
      assertThat(once(transactions, "1", "second")).isEqualTo(first);
      clock.advance(Duration.ofSeconds(1));
      assertThat(once(transactions, "1", "third")).isEqualTo("third");
    }
  }

  private static String once(RunTransactions transactions, String tries, String response) {
    var key = IdempotencyKey.ofTries(tries, "hash", Caller.MAIN);
    return transactions.once("create", Optional.of(key), (_, _) -> response);
  }

  private static String add(List<String> order, String what) {
    order.add(what);
    return what;
  }

  /// Starts work that waits for its turn when this returns.
  private static Thread waiting(Runnable work) {
    var thread = Thread.ofVirtual().start(work);
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
