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

/// An answer of the 200s whose body is still open: read it once, by one thread, and close it. The
/// deadline held until the headers came; from there on only a silence longer than the read
/// timeout ends it.
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

  /// Until the headers came, over all attempts and waits.
  public Duration elapsed() {
    return received.elapsed();
  }

  /// How often it was asked, 1 when the first attempt worked.
  public int attempts() {
    return received.answer().attempts();
  }

  /// Reading fails with a [RunsException], never with an `IOException`.
  public InputStream body() {
    return new Body(open.byteStream());
  }

  /// The body as UTF-8, line by line as it arrives.
  public Stream<String> lines() {
    return new BufferedReader(new InputStreamReader(body(), StandardCharsets.UTF_8)).lines();
  }

  @Override
  public void close() {
    open.close();
  }

  /// Without headers and body, which may be secret.
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
        // Okio would wait for the next byte all the same, and `readNBytes` asks for none at its
        // end.
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
