package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.client.ClientContext.Received;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// An answer of the 200s, as it came. Safe for many threads.
///
/// @param <T> what [#parse] reads it as
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

  /// Over all attempts and waits, the body included.
  public Duration elapsed() {
    return received.elapsed();
  }

  /// How often it was asked, 1 when the first attempt worked.
  public int attempts() {
    return received.answer().attempts();
  }

  public byte[] bytes() {
    return received.answer().body().toByteArray();
  }

  public String text() {
    return received.answer().body().string(StandardCharsets.UTF_8);
  }

  /// The whole JSON, with what no record knows; tells null from absent.
  ///
  /// @throws RunsException.UnreadableAnswer when it is not JSON
  public JsonNode json() {
    try {
      return Json.tree(received.answer().body());
    } catch (IOException unreadable) {
      throw RunsException.unreadable(received.call(), received.answer());
    }
  }

  /// Reads the body, now and each time.
  ///
  /// @throws RunsException.UnreadableAnswer when it is not what was promised
  public T parse() {
    return reader.read(received);
  }

  /// Without headers and body, which may be secret.
  @Override
  public String toString() {
    return "RawResponse[status=%d, elapsed=%s, attempts=%d]"
        .formatted(status(), elapsed(), attempts());
  }
}
