package dev.runnel.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Several calls that belong together. Nothing happens before [#send] or [#sendAsync].
///
/// @param <T> what comes of them
@CheckReturnValue
public final class Operation<T> {
  private final ClientContext context;
  private final Supplier<T> steps;

  Operation(ClientContext context, Supplier<T> steps) {
    this.context = context;
    this.steps = steps;
  }

  /// Does them, waits between included. An interrupt ends it at once.
  ///
  /// @throws RunsException when it does not work out
  @CanIgnoreReturnValue
  public T send() {
    return steps.get();
  }

  /// Does them on the client's executor. To cancel the future, or to let it time out, ends it.
  public CompletableFuture<T> sendAsync() {
    return context.async(steps);
  }
}
