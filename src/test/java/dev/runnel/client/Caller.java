package dev.runnel.client;

import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// Somebody who calls on a thread of their own.
final class Caller {
  final Thread thread;

  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

  Caller(ThrowingCallable call) {
    thread = Thread.ofVirtual().start(() -> failure.complete(catchThrowable(call)));
  }

  Throwable failure() throws Exception {
    return failure.get(10, TimeUnit.SECONDS);
  }
}
