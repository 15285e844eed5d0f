package dev.runnel.surface.slack.receive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.json.BoundedJson;
import dev.runnel.json.Projection;
import dev.runnel.json.RefusedJsonException;
import dev.runnel.surface.slack.model.SlackConfig;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;

/// A message from Slack over Socket Mode: one JSON object per frame.
///
/// An envelope's payload is converted to the request that Slack would have made over HTTP, so that
/// one parser reads both.
public sealed interface SlackFrame {
  /// The connection is ready.
  record Hello() implements SlackFrame {}

  /// Slack is about to close the socket.
  ///
  /// @param reason `warning`, `refresh_requested`, `link_disabled`, `too_many_websockets`
  record Disconnect(String reason) implements SlackFrame {}

  /// A request, acknowledged by its envelope id.
  record Envelope(String id, RawRequest request) implements SlackFrame {}

  /// An unknown or unreadable frame.
  record Unknown() implements SlackFrame {}

  JsonMapper JSON = BoundedJson.mapper().build();

  static SlackFrame read(String text, Instant arrivedAt) {
    JsonNode frame;
    try {
      frame = BoundedJson.object(text, Projection.ALL);
    } catch (RefusedJsonException e) {
      return new Unknown();
    }
    var payload = frame.path("payload");
    var id = frame.path("envelope_id").asText();
    return switch (frame.path("type").asText()) {
      case "hello" -> new Hello();
      case "disconnect" -> new Disconnect(frame.path("reason").asText());
      case "events_api" -> envelope(id, payload.toString(), arrivedAt);
      case "slash_commands" -> envelope(id, form(payload), arrivedAt);
      case "interactive" -> envelope(id, form(Map.of("payload", payload.toString())), arrivedAt);
      default -> new Unknown();
    };
  }

  /// The acknowledgement of an envelope.
  static String ack(String envelope, Reply reply) {
    var ack = JSON.createObjectNode().put("envelope_id", envelope);
    try {
      var payload = JSON.readTree(reply.body());
      if (payload.isObject()) {
        ack.set("payload", payload);
      }
    } catch (JsonProcessingException e) {
      // The reply is plain text for HTTP; an acknowledgement carries only JSON.
    }
    return ack.toString();
  }

  private static SlackFrame envelope(String id, String body, Instant arrivedAt) {
    return id.isEmpty()
        ? new Unknown()
        : new Envelope(
            id,
            new RawRequest(
                "POST",
                SlackConfig.EVENTS_PATH,
                Map.of(),
                body.getBytes(StandardCharsets.UTF_8),
                arrivedAt));
  }

  private static String form(JsonNode fields) {
    return form(
        fields.properties().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().asText())));
  }

  private static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(it -> encoded(it.getKey()) + "=" + encoded(it.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
