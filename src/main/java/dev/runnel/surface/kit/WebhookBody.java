package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.RawRequest;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// Reads what a tracker sent: JSON, or a form with JSON in its field `payload`.
public final class WebhookBody {
  private static final String FIELD = "payload=";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private WebhookBody() {}

  public static boolean isForm(RawRequest request) {
    return request
        .header("Content-Type")
        .filter(type -> type.toLowerCase(Locale.ROOT).contains("x-www-form-urlencoded"))
        .isPresent();
  }

  /// The JSON's bytes; of a form those of its decoded field, none where it cannot be decoded.
  public static byte[] payload(RawRequest request) {
    if (!isForm(request)) {
      return request.body();
    }
    for (var field : new String(request.body(), StandardCharsets.UTF_8).split("&", -1)) {
      if (field.startsWith(FIELD)) {
        try {
          return URLDecoder.decode(field.substring(FIELD.length()), StandardCharsets.UTF_8)
              .getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
          return new byte[0];
        }
      }
    }
    return new byte[0];
  }

  /// @return empty when there is no JSON object
  public static Optional<JsonNode> json(RawRequest request) {
    try {
      return Optional.ofNullable(JSON.readTree(payload(request))).filter(JsonNode::isObject);
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }
}
