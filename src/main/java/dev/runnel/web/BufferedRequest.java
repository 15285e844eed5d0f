package dev.runnel.web;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/// A request with a small body that was read before its handler runs, so that the handler does not
/// block.
final class BufferedRequest extends Request.Wrapper {
  private @Nullable ByteBuffer body;
  private Content.@Nullable Chunk end;

  private BufferedRequest(Request request, ByteBuffer body, Content.@Nullable Chunk end) {
    super(request);
    this.body = body;
    this.end = end;
  }

  /// Reads the bytes that have arrived, without blocking. The result replaces the request. Takes no
  /// memory for a body of which nothing has arrived.
  ///
  /// @param maxBytes larger bodies are not read
  static Request read(Request request, int maxBytes) {
    var length = request.getLength();
    if (length < 0 || length > maxBytes || request.getHeaders().contains(HttpHeader.EXPECT)) {
      return request;
    }
    var chunk = request.read();
    if (chunk == null) {
      return request;
    }
    var body = ByteBuffer.allocate((int) length);
    Content.Chunk end = null;
    while (chunk != null) {
      if (Content.Chunk.isFailure(chunk)) {
        end = chunk;
      } else {
        body.put(chunk.getByteBuffer());
        end = chunk.isLast() ? Content.Chunk.EOF : null;
        chunk.release();
      }
      chunk = end == null ? request.read() : null;
    }
    return new BufferedRequest(request, body.flip(), end);
  }

  /// The body, if all of it has arrived.
  @SuppressWarnings("ByteBufferBackingArray") // allocated by [#read]
  static Optional<byte[]> body(Request request) {
    return request instanceof BufferedRequest it && it.end == Content.Chunk.EOF && it.body != null
        ? Optional.of(it.body.array())
        : Optional.empty();
  }

  @Override
  public Content.@Nullable Chunk read() {
    var arrived = body;
    if (arrived != null && arrived.hasRemaining()) {
      body = null;
      return Content.Chunk.from(arrived, end == Content.Chunk.EOF);
    }
    return end != null ? end : super.read();
  }

  @Override
  public void demand(Runnable onContent) {
    if ((body != null && body.hasRemaining()) || end != null) {
      onContent.run();
    } else {
      super.demand(onContent);
    }
  }

  @Override
  public boolean consumeAvailable() {
    body = null;
    return end == Content.Chunk.EOF || super.consumeAvailable();
  }
}
