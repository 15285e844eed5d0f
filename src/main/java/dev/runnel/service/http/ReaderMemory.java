package dev.runnel.service.http;

import dev.runnel.memory.Lease;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.ReaderPart;
import dev.runnel.memory.Share;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;
import java.time.Duration;

/// Takes memory for answers from the share of readers: enough to make one, then what it has, until
/// it is sent. A slow caller holds no more than that. Thread-safe.
final class ReaderMemory {
  /// The largest answer as a text, and what was read for it.
  private static final long BYTES_TO_MAKE = 2 * 1024 * 1024;

  /// The pieces of a file, a transcript or a conversation.
  private static final long BYTES_OF_PIECES = 1024 * 1024;

  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  private final Share own;
  private final Share answers;
  private final Share pieces;

  /// @param readers the share of readers; all of it is open to the holder of the main key, whom
  ///   Runnel itself is. One answer to that key is always possible, because pages hold memory while
  ///   they wait for it.
  ReaderMemory(Share readers) {
    this.own = readers.part("answers to the main key", BYTES_TO_MAKE, readers.size());
    this.answers = ReaderPart.ANSWERS.of(readers);
    this.pieces = ReaderPart.PIECES.of(readers);
  }

  /// Makes an answer and sends it. Fails with a [RequestProblem] if there is no memory soon; then
  /// nothing was made.
  Api.Action answer(Api.Action action) {
    return (ctx, caller) -> {
      var share = caller.scope() instanceof Caller.Scope.All ? own : answers;
      try (var lease = take(share, BYTES_TO_MAKE)) {
        action.handle(ctx, caller);
        var made = ctx.resultInputStream();
        if (made != null) {
          lease.shrink(Math.max(0, BYTES_TO_MAKE - made.available()));
          made.transferTo(ctx.outputStream());
        }
      }
    };
  }

  /// Sends what is never completely in memory. Fails with a [RequestProblem] if there is no memory
  /// soon; then nothing was sent.
  Api.Action pieces(Api.Action action) {
    return (ctx, caller) -> {
      try (var _ = take(pieces, BYTES_OF_PIECES)) {
        action.handle(ctx, caller);
        var made = ctx.resultInputStream();
        if (made != null) {
          made.transferTo(ctx.outputStream());
        }
      }
    };
  }

  private static Lease take(Share share, long bytes) throws InterruptedException {
    try {
      return share.await(bytes, MAX_WAIT);
    } catch (MemorySpentException spent) {
      throw new RequestProblem(
          RequestProblem.Code.OVERLOADED, "Too much is being read at once. Try again soon");
    }
  }
}
