package dev.runnel.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SupervisedThreadTest {
  @Test
  void endOfReturningWorkIsToldWithoutAnError() throws Exception {
    var told = new CompletableFuture<Optional<Throwable>>();

    SupervisedThread.virtual("work", () -> {}, told::complete);

    assertThat(told.get(1, TimeUnit.MINUTES)).isEmpty();
  }

  @Test
  void errorOfAnyKindIsTold() throws Exception {
    var overflow = new StackOverflowError();
    var told = new CompletableFuture<Optional<Throwable>>();

    SupervisedThread.daemon(
        "work",
        () -> {
          throw overflow;
        },
        told::complete);

    assertThat(told.get(1, TimeUnit.MINUTES)).contains(overflow);
  }

  @Test
  void interruptedWorkEndsWithoutAnError() throws Exception {
    var told = new CompletableFuture<Optional<Throwable>>();

    var thread =
        SupervisedThread.virtual("work", () -> Thread.sleep(Duration.ofDays(1)), told::complete);
    thread.interrupt();

    assertThat(told.get(1, TimeUnit.MINUTES)).isEmpty();
  }

  @Test
  void failedStepIsRepeated() throws Exception {
    var steps = new AtomicInteger();
    var work =
        SupervisedThread.repeating(
            "work",
            () -> {
              if (steps.incrementAndGet() == 1) {
                throw new StackOverflowError();
              }
            },
            Duration.ZERO,
            () -> steps.get() < 2);

    work.run();

    assertThat(steps).hasValue(2);
  }

  @Test
  void failureOfARepeatableStepDoesNotReachTheScheduler() {
    var step =
        SupervisedThread.repeatable(
            "work",
            () -> {
              throw new NoClassDefFoundError();
            });

    step.run();
  }
}
