package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.GoldenDeliveries;
import dev.runnel.testkit.Samples;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// The golden deliveries, after Atlassian's page on webhooks, signed as Jira signs.
final class JiraRequests {
  static final String SECRET = "a jira secret";
  static final GoldenDeliveries GOLDEN = new GoldenDeliveries("jira");

  private JiraRequests() {}

  static RawRequest golden(String name) {
    return golden(name, _ -> {});
  }

  static RawRequest golden(String name, Consumer<ObjectNode> change) {
    var recorded = GOLDEN.read(name);
    change.accept(recorded.body());
    return signed(recorded.headers(), recorded.bytes());
  }

  static RawRequest signed(Map<String, String> headers, byte[] body) {
    var all = new HashMap<>(headers);
    all.put("x-hub-signature", "sha256=" + Hmac.hex(SECRET, body));
    return new RawRequest("POST", Jira.PATH, all, body, Samples.NINE);
  }

  static RawRequest with(RawRequest request, String header, String value) {
    var headers = new HashMap<>(request.headers());
    headers.put(header, value);
    return new RawRequest(
        request.method(), request.path(), headers, request.body(), request.arrivedAt());
  }

  /// Not signed, at that address.
  static RawRequest at(RawRequest request, String path, Map<String, String> more) {
    var headers = new HashMap<>(request.headers());
    headers.remove("x-hub-signature");
    headers.putAll(more);
    return new RawRequest(request.method(), path, headers, request.body(), request.arrivedAt());
  }
}
