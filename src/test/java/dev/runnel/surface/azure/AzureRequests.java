package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.testkit.GoldenDeliveries;
import dev.runnel.testkit.Samples;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// The golden deliveries, after service hooks that others recorded, with the subscription's
/// password.
final class AzureRequests {
  static final String SECRET = "a password of hooks";
  static final GoldenDeliveries GOLDEN = new GoldenDeliveries("azure");

  private AzureRequests() {}

  static RawRequest golden(String name) {
    return golden(name, _ -> {});
  }

  static RawRequest golden(String name, Consumer<ObjectNode> change) {
    var recorded = GOLDEN.read(name);
    change.accept(recorded.body());
    return proved(recorded.headers(), recorded.bytes());
  }

  static String basic(String user, String password) {
    var pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  static RawRequest proved(Map<String, String> headers, byte[] body) {
    var all = new HashMap<>(headers);
    all.put("authorization", basic("runnel", SECRET));
    return new RawRequest("POST", AzureDevOps.PATH, all, body, Samples.NINE);
  }

  static RawRequest with(RawRequest request, String header, String value) {
    var headers = new HashMap<>(request.headers());
    headers.put(header, value);
    return new RawRequest(
        request.method(), request.path(), headers, request.body(), request.arrivedAt());
  }

  static ObjectNode object(ObjectNode body, String pointer) {
    return (ObjectNode) body.at(pointer);
  }
}
