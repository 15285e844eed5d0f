package dev.runnel.surface.kit;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.core.model.conversation.RawRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Reads a webhook's body: JSON, or a form with JSON in the field `payload`.
public final class WebhookBody {
  private static final byte[] FIELD = "payload=".getBytes(StandardCharsets.US_ASCII);
  private static final JsonMapper JSON = new JsonMapper();

  private WebhookBody() {}

  public static boolean isForm(RawRequest request) {
    return request
        .header("Content-Type")
        .filter(type -> type.toLowerCase(Locale.ROOT).contains("x-www-form-urlencoded"))
        .isPresent();
  }

  /// The JSON's bytes; for a form, those of the decoded field, or none if it cannot be decoded. The
  /// sender may not be authenticated yet, so nothing is copied more than once.
  public static byte[] payload(RawRequest request) {
    var body = request.body();
    if (!isForm(request)) {
      return body;
    }
    for (int start = 0; start < body.length; ) {
      int end = indexOf('&', body, start);
      int value = start + FIELD.length;
      if (value <= end && Arrays.equals(body, start, value, FIELD, 0, FIELD.length)) {
        return decoded(body, value, end);
      }
      start = end + 1;
    }
    return new byte[0];
  }

  private static int indexOf(char sign, byte[] body, int from) {
    int at = from;
    while (at < body.length && body[at] != sign) {
      at++;
    }
    return at;
  }

  private static byte[] decoded(byte[] body, int from, int to) {
    var bytes = new byte[to - from];
    int length = 0;
    for (int at = from; at < to; at++) {
      switch (body[at]) {
        case '+' -> bytes[length++] = ' ';
        case '%' -> {
          int high = at + 2 < to ? Character.digit(body[at + 1], 16) : -1;
          int low = at + 2 < to ? Character.digit(body[at + 2], 16) : -1;
          if (high < 0 || low < 0) {
            return new byte[0];
          }
          bytes[length++] = (byte) (high << 4 | low);
          at += 2;
        }
        default -> bytes[length++] = body[at];
      }
    }
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }

  /// @param fields the names of those that are read, at any depth; empty for all
  /// @return empty when it is not a JSON object
  public static Optional<JsonNode> json(RawRequest request, Set<String> fields) {
    try (var parser = JSON.createParser(payload(request))) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      var json = read(parser, fields);
      return parser.nextToken() == null ? Optional.of(json) : Optional.empty();
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /// Reads the value at the current token. By hand, because a filter of the library costs as much
  /// as parsing. The library limits the depth.
  private static JsonNode read(JsonParser parser, Set<String> fields) throws IOException {
    if (fields.isEmpty()) {
      return JSON.readTree(parser);
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> {
        var object = JSON.createObjectNode();
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
          parser.nextToken();
          if (fields.contains(name)) {
            object.set(name, read(parser, fields));
          } else {
            parser.skipChildren();
          }
        }
        yield object;
      }
      case START_ARRAY -> {
        var array = JSON.createArrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(read(parser, fields));
        }
        yield array;
      }
      case VALUE_STRING -> TextNode.valueOf(parser.getText());
      default -> JSON.readTree(parser);
    };
  }
}
