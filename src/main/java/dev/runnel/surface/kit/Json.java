package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/// Reads members that may be missing, null, or of a type nobody announced.
final class Json {
  private Json() {}

  static Optional<String> text(JsonNode node, String name) {
    return Optional.ofNullable(node.path(name).textValue()).filter(text -> !text.isBlank());
  }

  static Optional<Long> id(JsonNode node, String name) {
    var id = node.path(name);
    return id.isIntegralNumber() && id.canConvertToLong() && id.longValue() > 0
        ? Optional.of(id.longValue())
        : Optional.empty();
  }

  static Optional<Integer> number(JsonNode node, String name) {
    return id(node, name).filter(id -> id <= Integer.MAX_VALUE).map(Long::intValue);
  }

  static boolean isThere(JsonNode node, String name) {
    return !node.path(name).isMissingNode() && !node.path(name).isNull();
  }

  static Optional<URI> link(JsonNode node, String name) {
    return text(node, name)
        .filter(text -> text.startsWith("https://") || text.startsWith("http://"))
        .flatMap(Json::uri);
  }

  static Optional<Instant> instant(JsonNode node, String name) {
    return text(node, name).flatMap(Json::instant);
  }

  private static Optional<URI> uri(String text) {
    try {
      return Optional.of(new URI(text));
    } catch (URISyntaxException malformed) {
      return Optional.empty();
    }
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException malformed) {
      return Optional.empty();
    }
  }
}
