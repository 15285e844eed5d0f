package dev.runnel.surface.kit;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.TokenFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.conversation.RawRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
    try (var parser = parser(payload(request), fields)) {
      var json = Optional.<JsonNode>ofNullable(JSON.readTree(parser));
      return parser.nextToken() == null ? json.filter(JsonNode::isObject) : Optional.empty();
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  private static JsonParser parser(byte[] payload, Set<String> fields) throws IOException {
    var parser = JSON.createParser(payload);
    return fields.isEmpty()
        ? parser
        : new FilteringParserDelegate(
            parser, new Named(fields), Inclusion.INCLUDE_ALL_AND_PATH, true);
  }

  /// Includes the fields with these names.
  private static final class Named extends TokenFilter {
    private final Set<String> names;

    Named(Set<String> names) {
      this.names = names;
    }

    @Override
    public @Nullable TokenFilter includeProperty(String name) {
      return names.contains(name) ? this : null;
    }

    @Override
    protected boolean _includeScalar() {
      return true;
    }

    @Override
    public boolean includeEmptyObject(boolean contentsFiltered) {
      return true;
    }

    @Override
    public boolean includeEmptyArray(boolean contentsFiltered) {
      return true;
    }
  }
}
