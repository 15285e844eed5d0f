package dev.runnel.client;

import dev.runnel.client.ClientContext.Received;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Stream;
import okhttp3.ResponseBody;

/// A 2xx response with a streamed body: read it once, on one thread, and close it. The deadline
/// only applies until the headers arrive; after that, only a pause longer than the read timeout
/// ends the stream.
public final class StreamedResponse implements AutoCloseable {
  private final Received received;
  private final ResponseBody open;

  StreamedResponse(Received received) {
    this.received = received;
    this.open = received.answer().open().orElseThrow();
  }

  public int status() {
    return received.answer().status();
  }

  public HttpHeaders headers() {
    return received.answer().httpHeaders();
  }

  /// Time until the headers arrived, including all attempts and waits.
  public Duration elapsed() {
    return received.elapsed();
  }

  /// Number of attempts; 1 if the first succeeded.
  public int attempts() {
    return received.answer().attempts();
  }

  /// The body. Reading fails with a [RunsException], never with an `IOException`.
  public InputStream body() {
    return new Body(open.byteStream());
  }

  /// The body as UTF-8 lines, as they arrive.
  public Stream<String> lines() {
    return new BufferedReader(new InputStreamReader(body(), StandardCharsets.UTF_8)).lines();
  }

  @Override
  public void close() {
    open.close();
  }

  /// Leaves out headers and body, which may be secret.
  @Override
  public String toString() {
    return "StreamedResponse[status=%d, elapsed=%s, attempts=%d]"
        .formatted(status(), elapsed(), attempts());
  }

  private final class Body extends InputStream {
    private final InputStream bytes;

    private Body(InputStream bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read() {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      if (length == 0) {
        // Okio would block for the next byte anyway, and `readNBytes` ends with a read of length 0.
        return 0;
      }
      try {
        return bytes.read(into, offset, length);
      } catch (IOException broken) {
        throw failure(broken);
      }
    }

    @Override
    public int available() {
      try {
        return bytes.available();
      } catch (IOException broken) {
        throw failure(broken);
      }
    }

    private RunsException failure(IOException broken) {
      return Thread.currentThread().isInterrupted()
          ? new RunsException.Interrupted(received.call(), true, broken)
          : OkHttpTransport.failure(received.call(), broken, true);
    }

    @Override
    public void close() {
      StreamedResponse.this.close();
    }
  }
}
