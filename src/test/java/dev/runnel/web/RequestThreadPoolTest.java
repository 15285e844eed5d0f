package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestThreadPoolTest {
  private final RequestThreadPool pool = new RequestThreadPool();

  @AfterEach
  void stop() throws Exception {
    pool.stop();
  }

  @Test
  void connectionsContinueAfterAllResponsesOfTheirTask() throws Exception {
    pool.start();
    List<String> order = new CopyOnWriteArrayList<>();
    var done = new CountDownLatch(2);
    pool.responses()
        .execute(
            () -> {
              for (var each : List.of("1", "2")) {
                pool.execute(
                    () -> {
                      order.add("continue " + each);
                      done.countDown();
                    });
                order.add("respond " + each);
              }
            });
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(order).containsExactly("respond 1", "respond 2", "continue 1", "continue 2");
  }

  @Test
  void allConnectionsContinueUnderLoad() throws Exception {
    pool.start();
    var done = new CountDownLatch(500);
    pool.responses()
        .execute(
            () -> {
              for (int i = 0; i < 500; i++) {
                pool.execute(done::countDown);
              }
            });

    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aTaskThatFailsStillContinuesTheConnectionsThatItServed() throws Exception {
    pool.start();
    var done = new CountDownLatch(1);
    pool.responses()
        .execute(
            () -> {
              pool.execute(done::countDown);
              throw new IllegalStateException("broken");
            });

    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aConnectionThatFailsDoesNotKeepTheOthersFromContinuing() throws Exception {
    pool.start();
    var done = new CountDownLatch(40);
    pool.responses()
        .execute(
            () -> {
              for (int i = 0; i < 40; i++) {
                pool.execute(
                    () -> {
                      done.countDown();
                      throw new IllegalStateException("broken");
                    });
              }
            });

    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void responsesThatWaitWhenThePoolStopsAreStillWritten() throws Exception {
    pool.setStopTimeout(0);
    pool.start();
    var release = new CountDownLatch(1);
    var busy = new CountDownLatch(pool.getMaxThreads());
    for (int i = 0; i < pool.getMaxThreads(); i++) {
      pool.execute(
          () -> {
            busy.countDown();
            awaited(release);
          });
    }
    assertThat(busy.await(10, TimeUnit.SECONDS)).isTrue();
    var count = new AtomicInteger();
    pool.responses().execute(count::incrementAndGet);
    assertThat(count).hasValue(0);

    pool.stop();
    assertThat(count).hasValue(1);
    release.countDown();
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void responseRunsOnTheCallerWhileThePoolIsStopped() throws Exception {
    var count = new AtomicInteger();
    pool.responses().execute(count::incrementAndGet);
    assertThat(count).hasValue(1);

    pool.start();
    pool.stop();
    pool.responses().execute(count::incrementAndGet);
    assertThat(count).hasValue(2);
  }
}
