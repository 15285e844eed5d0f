package dev.runnel.client;

import okhttp3.Headers;
import okhttp3.HttpUrl;
import okio.ByteString;

/// A request on its way through the transports.
///
/// @param action what it is for, after "Could not": `read run 7`
/// @param body JSON; empty for none
/// @param effect what a repetition would do
record HttpCall(
    String action,
    String method,
    HttpUrl url,
    Headers headers,
    ByteString body,
    Effect effect,
    int maxRetries) {
  enum Effect {
    /// Changes nothing.
    READS,
    /// Once or twice is the same.
    SETS,
    /// Twice is one too many.
    ADDS
  }

  boolean changesSomething() {
    return effect != Effect.READS;
  }

  boolean isRepeatable() {
    return effect != Effect.ADDS;
  }

  /// Without headers, query and body, which may be secret.
  @Override
  public String toString() {
    return method + " " + url.encodedPath();
  }
}
