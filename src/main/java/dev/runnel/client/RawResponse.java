package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.client.ClientContext.Received;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A 2xx response with access to its raw content. Thread-safe.
///
/// @param <T> type that [#parse] returns
public final class RawResponse<T> {
  private final Received received;
  private final Call.Reader<T> reader;

  RawResponse(Received received, Call.Reader<T> reader) {
    this.received = received;
    this.reader = reader;
  }

  public int status() {
    return received.answer().status();
  }

  public HttpHeaders headers() {
    return received.answer().httpHeaders();
  }

  /// Duration of all attempts and waits, including the body.
  public Duration elapsed() {
    return received.elapsed();
  }

  /// Number of attempts; 1 if the first succeeded.
  public int attempts() {
    return received.answer().attempts();
  }

  public byte[] bytes() {
    return received.answer().body().toByteArray();
  }

  public String text() {
    return received.answer().body().string(StandardCharsets.UTF_8);
  }

  /// The complete JSON, including members that no record has; distinguishes null from absent.
  ///
  /// @throws RunsException.MalformedResponse if it is not JSON
  public JsonNode json() {
    try {
      return Json.tree(received.answer().body());
    } catch (IOException unreadable) {
      throw RunsException.unreadable(received.call(), received.answer());
    }
  }

  /// Parses the body; each call parses it again.
  ///
  /// @throws RunsException.MalformedResponse if it does not have the expected format
  public T parse() {
    return reader.read(received);
  }

  /// Leaves out headers and body, which may be secret.
  @Override
  public String toString() {
    return "RawResponse[status=%d, elapsed=%s, attempts=%d]"
        .formatted(status(), elapsed(), attempts());
  }
}
