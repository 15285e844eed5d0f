package dev.runnel.web;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/// A request whose small body has arrived, so that nobody waits while reading it.
final class WholeRequest extends Request.Wrapper {
  /// The attribute of a request that is whole.
  static final String ATTRIBUTE = WholeRequest.class.getName();

  private @Nullable ByteBuffer body;
  private Content.@Nullable Chunk end;

  private WholeRequest(Request request, ByteBuffer body, Content.@Nullable Chunk end) {
    super(request);
    this.body = body;
    this.end = end;
  }

  /// Reads what has arrived, without waiting. The result takes the place of the request; it has the
  /// [#ATTRIBUTE] if its body has arrived.
  ///
  /// @param most size of a body in bytes up to which it is read
  static Request read(Request request, int most) {
    var length = request.getLength();
    if (length < 0 || length > most || request.getHeaders().contains(HttpHeader.EXPECT)) {
      return request;
    }
    var body = ByteBuffer.allocate((int) length);
    Content.Chunk end = null;
    while (end == null) {
      var chunk = request.read();
      if (chunk == null) {
        break;
      }
      if (Content.Chunk.isFailure(chunk)) {
        end = chunk;
      } else {
        body.put(chunk.getByteBuffer());
        end = chunk.isLast() ? Content.Chunk.EOF : null;
        chunk.release();
      }
    }
    var whole = new WholeRequest(request, body.flip(), end);
    if (end == Content.Chunk.EOF) {
      whole.setAttribute(ATTRIBUTE, true);
    }
    return whole;
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
