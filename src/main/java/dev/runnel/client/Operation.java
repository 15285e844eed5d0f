package dev.runnel.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// A sequence of calls. Nothing happens before [#send] or [#sendAsync].
///
/// @param <T> type of the result
@CheckReturnValue
public final class Operation<T> {
  private final ClientContext context;
  private final Supplier<T> steps;

  Operation(ClientContext context, Supplier<T> steps) {
    this.context = context;
    this.steps = steps;
  }

  /// Executes the calls, including the waits between them. An interrupt ends it at once.
  ///
  /// @throws RunsException if it fails
  @CanIgnoreReturnValue
  public T send() {
    return steps.get();
  }

  /// Executes the calls on the client's executor. Cancelling the future, or letting it time out,
  /// aborts the operation.
  public CompletableFuture<T> sendAsync() {
    return context.async(steps);
  }
}
