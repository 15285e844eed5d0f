package dev.runnel.core.model.conversation;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// An HTTP request as received, not verified or decoded, and independent of the web framework.
///
/// @param headers by lower-case name; the first value where a header was repeated
/// @param body the bytes that signatures are computed over
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record RawRequest(
    String method, String path, Map<String, String> headers, byte[] body, Instant arrivedAt) {
  public RawRequest {
    headers = Map.copyOf(headers);
  }

  /// The header's value; the name is case-insensitive.
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
  }
}
