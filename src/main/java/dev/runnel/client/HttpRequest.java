package dev.runnel.client;

import java.time.Duration;
import java.util.Optional;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okio.ByteString;

/// A request on its way through the transports.
///
/// @param action what it is for, after "Could not": `read run 7`
/// @param body JSON; empty for none
/// @param effect what a repetition would do
/// @param streamed whether the body of a good answer is left to be read by the caller
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
    /// Changes nothing.
    SAFE,
    /// Once or twice is the same.
    IDEMPOTENT,
    /// Twice is one too many.
    NON_IDEMPOTENT
  }

  /// @param read how long the service may be silent
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

  /// Without headers, query and body, which may be secret.
  @Override
  public String toString() {
    return method + " " + url.encodedPath();
  }
}
