package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.StandardWebhooks;
import dev.runnel.testkit.GoldenDeliveries;
import dev.runnel.testkit.Samples;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// The golden deliveries, after GitLab's page "Webhook events", signed with a signing token.
final class GitLabRequests {
  static final String SIGNING_TOKEN = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  static final String SECRET_TOKEN = "a secret token";
  static final GoldenDeliveries GOLDEN = new GoldenDeliveries("gitlab");

  private GitLabRequests() {}

  static RawRequest golden(String name) {
    return golden(name, _ -> {});
  }

  static RawRequest golden(String name, Consumer<ObjectNode> change) {
    var recorded = GOLDEN.read(name);
    change.accept(recorded.body());
    return signed(recorded.headers(), recorded.bytes());
  }

  static RawRequest signed(Map<String, String> headers, byte[] body) {
    var id = headers.getOrDefault("idempotency-key", "d1");
    var timestamp = String.valueOf(Samples.NINE.getEpochSecond());
    var all = new HashMap<>(headers);
    all.put(StandardWebhooks.ID, id);
    all.put(StandardWebhooks.TIMESTAMP, timestamp);
    all.put(StandardWebhooks.SIGNATURE, StandardWebhooks.sign(SIGNING_TOKEN, id, timestamp, body));
    return new RawRequest("POST", GitLab.PATH, all, body, Samples.NINE);
  }

  /// The same, in a delivery of its own.
  static RawRequest withId(RawRequest request, String id) {
    var headers = new HashMap<>(request.headers());
    headers.put("idempotency-key", id);
    return signed(headers, request.body());
  }

  static RawRequest with(RawRequest request, String header, String value) {
    var headers = new HashMap<>(request.headers());
    headers.put(header, value);
    return withHeaders(request, headers);
  }

  static RawRequest withHeaders(RawRequest request, Map<String, String> headers) {
    return new RawRequest(
        request.method(), request.path(), headers, request.body(), request.arrivedAt());
  }
}
