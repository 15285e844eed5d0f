package dev.runnel.surface.slack.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads fields of Slack's payloads that may be missing, null, or of an undocumented type.
public final class SlackJson {
  private static final int MAX_ID = 100;

  private SlackJson() {}

  public static boolean absent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  /// Whether the field is present but is not a valid id. Treating it as absent would turn a reply
  /// into a new message.
  public static boolean isInvalid(JsonNode node, String field) {
    return !absent(node.path(field)) && id(node, field).isEmpty();
  }

  public static boolean isInvalid(@Nullable String value) {
    return value != null && id(value).isEmpty();
  }

  public static JsonNode first(JsonNode array) {
    return array.isArray() ? array.path(0) : MissingNode.getInstance();
  }

  public static String text(JsonNode node, String field) {
    var value = node.path(field);
    return value.isTextual() ? value.textValue() : "";
  }

  /// A valid Slack id; anything else counts as absent.
  public static Optional<String> id(JsonNode node, String field) {
    return id(text(node, field));
  }

  public static Optional<String> id(@Nullable String value) {
    return value != null && isId(value) ? Optional.of(value) : Optional.empty();
  }

  /// Ids become parts of our keys, so only the characters of an id are accepted. Without a pattern,
  /// because this is called for each field of each delivery.
  private static boolean isId(String value) {
    for (int i = 0; i < value.length(); i++) {
      var each = value.charAt(i);
      var isAlphanumeric =
          (each >= 'a' && each <= 'z')
              || (each >= 'A' && each <= 'Z')
              || (each >= '0' && each <= '9');
      if (!isAlphanumeric && each != '.' && each != '_' && each != '-') {
        return false;
      }
    }
    return !value.isEmpty() && value.length() <= MAX_ID;
  }
}
