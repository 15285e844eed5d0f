package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.GoldenDeliveries;
import dev.runnel.testkit.Samples;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// The golden deliveries, after the types of Linear's published schema, signed as it signs, at the
/// time of their arrival.
final class LinearRequests {
  static final String SECRET = "lin_wh_a secret";
  static final GoldenDeliveries GOLDEN = new GoldenDeliveries("linear");

  private LinearRequests() {}

  static RawRequest golden(String name) {
    return golden(name, _ -> {});
  }

  static RawRequest golden(String name, Consumer<ObjectNode> change) {
    return golden(name, Samples.NINE, change);
  }

  static RawRequest golden(String name, Instant sentAt, Consumer<ObjectNode> change) {
    var recorded = GOLDEN.read(name);
    recorded.body().put("webhookTimestamp", sentAt.toEpochMilli());
    change.accept(recorded.body());
    return signed(recorded.headers(), recorded.bytes());
  }

  static RawRequest signed(Map<String, String> headers, byte[] body) {
    var all = new HashMap<>(headers);
    all.put("linear-signature", Hmac.hex(SECRET, body));
    return new RawRequest("POST", Linear.PATH, all, body, Samples.NINE);
  }

  static RawRequest with(RawRequest request, String header, String value) {
    var headers = new HashMap<>(request.headers());
    headers.put(header, value);
    return new RawRequest(
        request.method(), request.path(), headers, request.body(), request.arrivedAt());
  }
}
