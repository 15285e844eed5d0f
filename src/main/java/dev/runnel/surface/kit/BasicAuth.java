package dev.runnel.surface.kit;

import dev.runnel.core.model.conversation.RawRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// Reads the credentials of HTTP's basic authentication.
public final class BasicAuth {
  private static final String BASIC = "Basic ";

  private BasicAuth() {}

  /// The password, whatever the user name; empty if the header is missing or malformed.
  public static Optional<String> password(RawRequest request) {
    try {
      return request
          .header("Authorization")
          .filter(text -> text.regionMatches(true, 0, BASIC, 0, BASIC.length()))
          .map(text -> Base64.getDecoder().decode(text.substring(BASIC.length()).strip()))
          .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
          .map(pair -> pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
  }
}
