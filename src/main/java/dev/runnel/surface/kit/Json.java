package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads fields that may be missing, null, or of an undocumented type.
public final class Json {
  private Json() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// A new object with one field, a list of one text.
  public static ObjectNode list(String name, String text) {
    var object = object();
    object.putArray(name).add(text);
    return object;
  }

  public static Optional<String> text(JsonNode node, String name) {
    return Optional.ofNullable(node.path(name).textValue()).filter(text -> !text.isBlank());
  }

  /// The text of a field: `""` if it is null, empty only if it is missing.
  public static Optional<String> whole(JsonNode node, String name) {
    return node.has(name)
        ? Optional.of(Objects.requireNonNullElse(node.path(name).textValue(), ""))
        : Optional.empty();
  }

  public static Optional<Long> id(JsonNode node, String name) {
    var id = node.path(name);
    return id.isIntegralNumber() && id.canConvertToLong() && id.longValue() > 0
        ? Optional.of(id.longValue())
        : Optional.empty();
  }

  public static Optional<Integer> number(JsonNode node, String name) {
    return id(node, name).filter(id -> id <= Integer.MAX_VALUE).map(Long::intValue);
  }

  /// The elements of a list; none if it is no list.
  public static Stream<JsonNode> elements(JsonNode list) {
    return list.isArray() ? list.valueStream() : Stream.empty();
  }

  /// The texts in the field `name` of a list's elements.
  public static List<String> texts(JsonNode list, String name) {
    return elements(list).flatMap(each -> text(each, name).stream()).toList();
  }

  public static List<String> strings(JsonNode list) {
    return elements(list).filter(JsonNode::isTextual).map(JsonNode::textValue).toList();
  }

  public static boolean isThere(JsonNode node, String name) {
    return !node.path(name).isMissingNode() && !node.path(name).isNull();
  }

  public static Optional<URI> link(JsonNode node, String name) {
    return text(node, name)
        .filter(text -> text.startsWith("https://") || text.startsWith("http://"))
        .flatMap(Json::uri);
  }

  public static Optional<Instant> instant(JsonNode node, String name) {
    return text(node, name).flatMap(Json::instant);
  }

  private static Optional<URI> uri(String text) {
    try {
      return Optional.of(new URI(text));
    } catch (URISyntaxException malformed) {
      return Optional.empty();
    }
  }

  /// Also accepts GitLab's format: `2015-05-17 17:06:40 UTC`.
  public static Optional<Instant> instant(String text) {
    try {
      var standard = text.endsWith(" UTC") ? text.replace(" UTC", "Z").replace(' ', 'T') : text;
      return Optional.of(OffsetDateTime.parse(standard).toInstant());
    } catch (DateTimeException malformed) {
      return Optional.empty();
    }
  }
}
