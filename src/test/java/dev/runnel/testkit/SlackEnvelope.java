package dev.runnel.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/// What Slack sends over a socket instead of a request.
public final class SlackEnvelope {
  private static final JsonMapper JSON = new JsonMapper();

  private SlackEnvelope() {}

  /// @param body of the request
  public static String of(String id, String body) throws JsonProcessingException {
    var envelope = JSON.createObjectNode().put("envelope_id", id);
    if (body.startsWith("{")) {
      envelope.put("type", "events_api").set("payload", JSON.readTree(body));
      return envelope.toString();
    }
    var fields = JSON.createObjectNode();
    for (var pair : body.split("&", -1)) {
      var parts = pair.split("=", 2);
      fields.put(decoded(parts[0]), decoded(parts[1]));
    }
    if (fields.has("payload")) {
      envelope
          .put("type", "interactive")
          .set("payload", JSON.readTree(fields.path("payload").asText()));
    } else {
      envelope.put("type", "slash_commands").set("payload", fields);
    }
    return envelope.put("accepts_response_payload", true).toString();
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
