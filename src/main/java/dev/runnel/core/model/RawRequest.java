package dev.runnel.core.model;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A request as it came in, before anybody trusted or decoded it. No web framework.
///
/// @param headers by lower-case name; the first value where a header was repeated
/// @param body the bytes signatures are made over
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record RawRequest(
    String method, String path, Map<String, String> headers, byte[] body, Instant arrivedAt) {
  public RawRequest {
    headers = Map.copyOf(headers);
  }

  /// The header, whatever case it is asked in.
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
  }
}
