package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.Headers;
import okio.ByteString;

/// Headers and bodies for the log, without what is secret: keys, what tool servers are given,
/// attached data, signed addresses.
final class Redaction {
  private static final String HIDDEN = "…";
  private static final int LONGEST = 4_000;
  private static final Pattern SECRET_HEADER =
      Pattern.compile(
          "authorization|cookie|token|secret|signature|api-?key|password|credential",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern SECRET_MEMBER =
      Pattern.compile("(^|_)(token|secret|password|api_key|apikey|authorization)$");

  /// Objects of which the names are shown and the values are not.
  private static final Set<String> SECRET_VALUES = Set.of("env", "headers");

  private Redaction() {}

  static String headers(Headers headers) {
    return headers.names().stream()
        .map(
            name ->
                name
                    + ": "
                    + (SECRET_HEADER.matcher(name).find()
                        ? HIDDEN
                        : String.join(", ", headers.values(name))))
        .collect(Collectors.joining("; "));
  }

  static String body(ByteString body) {
    if (body.size() == 0) {
      return "nothing";
    }
    try {
      var text = hide(Json.tree(body)).toString();
      return text.length() > LONGEST ? text.substring(0, LONGEST) + HIDDEN : text;
    } catch (IOException notJson) {
      return body.size() + " bytes that are no JSON";
    }
  }

  private static JsonNode hide(JsonNode tree) {
    switch (tree) {
      case ObjectNode object -> {
        for (var name : object.properties().stream().map(Map.Entry::getKey).toList()) {
          object.set(name, hide(name, object.path(name)));
        }
      }
      case ArrayNode array -> array.forEach(Redaction::hide);
      default -> {}
    }
    return tree;
  }

  private static JsonNode hide(String name, JsonNode value) {
    if (SECRET_VALUES.contains(name) && value instanceof ObjectNode object) {
      object.properties().forEach(member -> member.setValue(hidden()));
      return object;
    }
    var isSecret =
        SECRET_MEMBER.matcher(name).find()
            || name.equals("download_url")
            || (name.equals("data") && value.isTextual());
    return isSecret && value.isValueNode() ? hidden() : hide(value);
  }

  private static JsonNode hidden() {
    return TextNode.valueOf(HIDDEN);
  }
}
