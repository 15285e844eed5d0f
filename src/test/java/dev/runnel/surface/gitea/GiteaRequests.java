package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.testkit.GoldenDeliveries;
import dev.runnel.testkit.Samples;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/// The golden deliveries, after Gitea's own structures (`modules/structs`), signed as it signs.
final class GiteaRequests {
  static final String SECRET = "a gitea secret";
  static final GoldenDeliveries GOLDEN = new GoldenDeliveries("gitea");

  private GiteaRequests() {}

  static RawRequest golden(String name) {
    return golden(name, _ -> {});
  }

  static RawRequest golden(String name, Consumer<ObjectNode> change) {
    var recorded = GOLDEN.read(name);
    change.accept(recorded.body());
    return signed(recorded.headers(), recorded.bytes());
  }

  static RawRequest signed(Map<String, String> headers, byte[] body) {
    var signature = Hmac.hex(SECRET, body);
    var all = new HashMap<>(headers);
    all.put("x-gitea-signature", signature);
    all.put("x-gogs-signature", signature);
    all.put("x-hub-signature-256", "sha256=" + signature);
    return new RawRequest("POST", Gitea.PATH, all, body, Samples.NINE);
  }

  static RawRequest with(RawRequest request, String header, String value) {
    var headers = new HashMap<>(request.headers());
    headers.put(header, value);
    return new RawRequest(
        request.method(), request.path(), headers, request.body(), request.arrivedAt());
  }
}
