package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.Test;

class BufferedRequestTest {
  private static final int MAX_BYTES = 1_000;

  @Test
  void arrivedBodyInPartsIsRead() {
    var read = BufferedRequest.read(request(6, part("abc"), part("def"), Content.Chunk.EOF), 6);

    assertThat(BufferedRequest.body(read)).contains("abcdef".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void requestWithoutArrivedBytesGetsNoBuffer() {
    var request = request(MAX_BYTES);

    assertThat(BufferedRequest.read(request, MAX_BYTES)).isSameAs(request);
  }

  /// Else each of many slow senders holds its first bytes until the last has arrived.
  @Test
  void bufferIsReleasedAfterTheRouteHasReadIt() {
    var read = BufferedRequest.read(request(MAX_BYTES, part("abc")), MAX_BYTES);
    var buffer = new WeakReference<>(read.read().getByteBuffer().array());

    await()
        .until(
            () -> {
              System.gc();
              return buffer.refersTo(null);
            });
    assertThat(read.read()).isNull();
  }

  private static Content.Chunk part(String text) {
    return Content.Chunk.from(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), false);
  }

  /// A request with a body of the announced length, of which the chunks have arrived.
  private static Request request(long length, Content.Chunk... arrived) {
    Queue<Content.Chunk> chunks = new ArrayDeque<>(List.of(arrived));
    return (Request)
        Proxy.newProxyInstance(
            Request.class.getClassLoader(),
            new Class<?>[] {Request.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "getLength" -> length;
                  case "getHeaders" -> HttpFields.EMPTY;
                  case "read" -> chunks.poll();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
