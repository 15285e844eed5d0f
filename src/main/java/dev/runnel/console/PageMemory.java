package dev.runnel.console;

import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.ReaderPart;
import dev.runnel.memory.Share;
import io.javalin.http.Context;
import java.time.Duration;

/// Takes memory for pages from the share of readers: enough to make one, then what it has, until it
/// is sent. A slow reader holds no more than that. Thread-safe.
final class PageMemory {
  /// A page as a text, and what was read for it. Small, because a page may wait for others while it
  /// is made.
  static final long PAGE = 512 * 1024;

  /// The same with lines of a transcript.
  static final long LARGE_PAGE = 2 * 1024 * 1024;

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
  /// @param most what it takes while it is made
  /// @throws MemorySpentException if there is no memory soon; then nothing was made
  void send(Context ctx, long most, Maker page) throws Exception {
    try (var lease = pages.await(most, MAX_WAIT)) {
      page.make();
      var made = ctx.resultInputStream();
      if (made != null) {
        lease.shrink(Math.max(0, most - made.available()));
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
