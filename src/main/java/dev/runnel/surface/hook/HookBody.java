package dev.runnel.surface.hook;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.memory.Lease;
import dev.runnel.memory.Price;
import dev.runnel.memory.Share;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/// The body of a delivery, which its sender may have compressed with gzip.
///
/// @param lease holds what an inflated body takes, also while it is parsed
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
record HookBody(byte[] bytes, Lease lease) implements AutoCloseable {
  private static final int PIECE = 64 * 1024;

  /// Few bytes can become very many, so their memory is taken piece by piece.
  ///
  /// @param request from a sender that has shown a proof
  /// @param most bytes of an inflated body
  /// @return empty if the share is spent
  /// @throws TooLarge if it becomes larger
  /// @throws IOException if it is not gzip
  static Optional<HookBody> of(RawRequest request, int most, Share memory) throws IOException {
    if (!isCompressed(request)) {
      return Optional.of(new HookBody(request.body(), Lease.NONE));
    }
    var taken = memory.tryTake(Price.parsed(PIECE));
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    var body = Optional.<HookBody>empty();
    try {
      body = inflated(request.body(), most, taken.get()).map(it -> new HookBody(it, taken.get()));
    } finally {
      if (body.isEmpty()) {
        taken.get().close();
      }
    }
    return body;
  }

  private static Optional<byte[]> inflated(byte[] bytes, int most, Lease lease) throws IOException {
    var inflated = new ByteArrayOutputStream();
    var piece = new byte[PIECE];
    try (var gzip = new GZIPInputStream(new ByteArrayInputStream(bytes), PIECE)) {
      for (var read = gzip.read(piece); read >= 0; read = gzip.read(piece)) {
        if (inflated.size() + read > most) {
          throw new TooLarge();
        }
        inflated.write(piece, 0, read);
        if (Price.parsed(inflated.size() + PIECE) > lease.bytes()
            && !lease.grow(Price.parsed(PIECE))) {
          return Optional.empty();
        }
      }
    }
    return Optional.of(inflated.toByteArray());
  }

  private static boolean isCompressed(RawRequest request) {
    return request
        .header("Content-Encoding")
        .map(String::strip)
        .filter(it -> it.equalsIgnoreCase("gzip") || it.equalsIgnoreCase("x-gzip"))
        .isPresent();
  }

  @Override
  public void close() {
    lease.close();
  }

  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1;
  }
}
