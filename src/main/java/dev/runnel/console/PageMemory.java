package dev.runnel.console;

import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.ReaderPart;
import dev.runnel.memory.Share;
import io.javalin.http.Context;
import java.time.Duration;

/// Takes memory for pages from the share of readers: enough to make one, then what it has, until it
/// is sent. A slow reader holds no more than that. Thread-safe.
final class PageMemory {
  /// The largest page as a text, and what was read for it.
  private static final long BYTES_TO_MAKE = 2 * 1024 * 1024;

  /// The pieces of a long text.
  private static final long BYTES_OF_PIECES = 1024 * 1024;

  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  private final Share pages;
  private final Share downloads;

  /// @param readers the share of readers
  PageMemory(Share readers) {
    this.pages = readers;
    this.downloads = ReaderPart.DOWNLOADS.of(readers);
  }

  /// What makes a page.
  @FunctionalInterface
  interface Maker {
    void make() throws Exception;
  }

  /// Makes a page and sends it.
  ///
  /// @throws MemorySpentException if there is no memory soon; then nothing was made
  void send(Context ctx, Maker page) throws Exception {
    try (var lease = pages.await(BYTES_TO_MAKE, MAX_WAIT)) {
      page.make();
      var made = ctx.resultInputStream();
      if (made != null) {
        lease.shrink(Math.max(0, BYTES_TO_MAKE - made.available()));
        made.transferTo(ctx.outputStream());
      }
    }
  }

  /// Sends a text that is never completely in memory.
  ///
  /// @throws MemorySpentException if there is no memory soon; then nothing was sent
  void sendInPieces(Maker text) throws Exception {
    try (var _ = downloads.await(BYTES_OF_PIECES, MAX_WAIT)) {
      text.make();
    }
  }
}
