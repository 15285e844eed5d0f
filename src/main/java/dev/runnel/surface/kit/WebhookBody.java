package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.json.BoundedJson;
import dev.runnel.json.Projection;
import dev.runnel.json.RefusedJsonException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/// Reads a webhook's body: JSON, or a form with JSON in the field `payload`.
public final class WebhookBody {
  private static final byte[] FIELD = "payload=".getBytes(StandardCharsets.US_ASCII);

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

  /// @param projection what is read of the JSON
  /// @throws RefusedJsonException if it is not a JSON object, or too large as objects
  public static JsonNode json(RawRequest request, Projection projection)
      throws RefusedJsonException {
    return BoundedJson.object(payload(request), projection);
  }
}
