package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.Headers;
import okio.ByteString;

/// Formats headers and bodies for the log without secrets: keys, values passed to tool servers,
/// attachment data, signatures of URLs.
final class Redaction {
  private static final String HIDDEN = "…";
  private static final int MAX = 4_000;
  private static final Pattern SECRET_HEADER =
      Pattern.compile(
          "authorization|cookie|token|secret|signature|api-?key|password|credential",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern SECRET_MEMBER =
      Pattern.compile(
          "(token|secret|password|passphrase|api[_-]?key|access[_-]?key|private[_-]?key"
              + "|authorization|credential|cookie|signature)s?$",
          Pattern.CASE_INSENSITIVE);

  /// Members with values for tool servers.
  private static final Set<String> SECRET_VALUES = Set.of("env", "headers", "args");

  private static final Set<String> ADDRESS_HEADERS = Set.of("location", "content-location");
  private static final Pattern QUERY =
      Pattern.compile("(https?://[^\\s?#\"<>]*+)([?#][^\\s\"<>]*+)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern USER =
      Pattern.compile("(https?://)[^\\s/?#\"<>]*@", Pattern.CASE_INSENSITIVE);

  private Redaction() {}

  static String headers(HttpRequest call, Headers headers) {
    var redacted =
        headers.names().stream()
            .map(
                name ->
                    name
                        + ": "
                        + (SECRET_HEADER.matcher(name).find()
                            ? HIDDEN
                            : header(name, String.join(", ", headers.values(name)))))
            .collect(Collectors.joining("; "));
    return ErrorMessages.withoutKey(call, redacted);
  }

  /// Headers with a location may contain a URL without host.
  private static String header(String name, String value) {
    return ADDRESS_HEADERS.contains(name.toLowerCase(Locale.ROOT))
        ? withoutQuery(value).replaceFirst("[?#].*", "?" + HIDDEN)
        : withoutQuery(value);
  }

  static String body(HttpRequest call, ByteString body) {
    if (body.size() == 0) {
      return "nothing";
    }
    try {
      var text = ErrorMessages.withoutKey(call, redacted(Json.tree(body)).toString());
      return text.length() > MAX ? text.substring(0, MAX) + HIDDEN : text;
    } catch (IOException notJson) {
      return body.size() + " bytes that are no JSON";
    }
  }

  private static JsonNode redacted(JsonNode value) {
    return switch (value) {
      case ObjectNode object -> {
        object
            .properties()
            .forEach(member -> member.setValue(redacted(member.getKey(), member.getValue())));
        yield object;
      }
      case ArrayNode array -> {
        for (int i = 0; i < array.size(); i++) {
          array.set(i, redacted(array.path(i)));
        }
        yield array;
      }
      case TextNode text -> TextNode.valueOf(withoutQuery(text.textValue()));
      default -> value;
    };
  }

  private static JsonNode redacted(String name, JsonNode value) {
    if (SECRET_MEMBER.matcher(name).find() || (name.equals("data") && value.isTextual())) {
      return hidden();
    }
    if (SECRET_VALUES.contains(name) && value instanceof ObjectNode object) {
      object.properties().forEach(member -> member.setValue(hidden()));
      return object;
    }
    return SECRET_VALUES.contains(name) ? hidden() : redacted(value);
  }

  /// Removes the query of URLs, which may contain a signature, and their user info, which may
  /// contain a password. Handles URLs anywhere in a text.
  private static String withoutQuery(String words) {
    var unsigned =
        QUERY.matcher(words).replaceAll(url -> url.group(2) == null ? "$0" : "$1?" + HIDDEN);
    return USER.matcher(unsigned).replaceAll("$1" + HIDDEN + "@");
  }

  private static JsonNode hidden() {
    return TextNode.valueOf(HIDDEN);
  }
}
