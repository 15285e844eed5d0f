package dev.runnel.client;

import java.time.Duration;
import java.util.Optional;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okio.ByteString;

/// A request as passed through the transports.
///
/// @param action its purpose, as it follows "Could not": `read run 7`
/// @param body JSON; empty for none
/// @param effect the effect of repeating it
/// @param streamed whether the body of a 2xx response is left open for the caller
record HttpRequest(
    String action,
    String method,
    HttpUrl url,
    Headers headers,
    Optional<ByteString> body,
    Effect effect,
    boolean streamed,
    Limits limits) {
  enum Effect {
    /// Read-only.
    SAFE,
    /// Repeating it has the same effect as sending it once.
    IDEMPOTENT,
    /// Repeating it has an additional effect.
    NON_IDEMPOTENT
  }

  /// @param read maximum time without data from the service
  /// @param maxRetries attempts after the first
  record Limits(Optional<Duration> connect, Duration read, int maxRetries) {}

  boolean changesSomething() {
    return effect != Effect.SAFE;
  }

  boolean isRepeatable() {
    return effect != Effect.NON_IDEMPOTENT;
  }

  HttpRequest with(Headers headers) {
    return to(url, headers);
  }

  HttpRequest to(HttpUrl url, Headers headers) {
    return new HttpRequest(action, method, url, headers, body, effect, streamed, limits);
  }

  /// Leaves out headers, query and body, which may be secret.
  @Override
  public String toString() {
    return method + " " + url.encodedPath();
  }
}
