package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.Hmac;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/// The golden deliveries: headers, an empty line, the body. The signature is made here.
///
/// Those named `recorded-` came from an emulator; those named `vendor-` are GitHub's own examples,
/// from https://github.com/octokit/webhooks (MIT). Members that only repeat addresses were taken
/// out.
final class Deliveries {
  static final String SECRET = "It's a Secret to Everybody";

  private static final Instant ARRIVED = Instant.parse("2026-01-05T09:00:00Z");
  private static final JsonMapper JSON = new JsonMapper();

  private Deliveries() {}

  static List<String> names() {
    try (var files = Files.list(folder("deliveries"))) {
      return files
          .map(file -> file.getFileName().toString().replace(".http", ""))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Signed, as GitHub sends it.
  static RawRequest golden(String name) {
    var delivery = read(name);
    return signed(delivery.headers(), delivery.body().getBytes(StandardCharsets.UTF_8));
  }

  /// Changed, then signed.
  static RawRequest golden(String name, Consumer<ObjectNode> change) {
    var delivery = read(name);
    var body = json(delivery.body());
    change.accept(body);
    return signed(delivery.headers(), body.toString().getBytes(StandardCharsets.UTF_8));
  }

  /// A comment by a person who belongs to the repository.
  static RawRequest comment(String text) {
    return golden(
        "recorded-comment", body -> ((ObjectNode) body.path("comment")).put("body", text));
  }

  static RawRequest signed(Map<String, String> headers, byte[] body) {
    return with(
        new RawRequest("POST", GitHub.PATH, headers, body, ARRIVED),
        "x-hub-signature-256",
        "sha256=" + Hmac.hex(SECRET, body));
  }

  static RawRequest with(RawRequest request, String header, String value) {
    var headers = new HashMap<>(request.headers());
    headers.put(header, value);
    return withHeaders(request, headers);
  }

  static RawRequest without(RawRequest request, String header) {
    var headers = new HashMap<>(request.headers());
    headers.remove(header);
    return withHeaders(request, headers);
  }

  private static RawRequest withHeaders(RawRequest request, Map<String, String> headers) {
    return new RawRequest(
        request.method(), request.path(), headers, request.body(), request.arrivedAt());
  }

  static ObjectNode json(RawRequest request) {
    return json(new String(request.body(), StandardCharsets.UTF_8));
  }

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Golden(Map<String, String> headers, String body) {}

  private static Golden read(String name) {
    var text = text("deliveries/" + name + ".http");
    var end = text.indexOf("\n\n");
    var headers = new HashMap<String, String>();
    text.substring(0, end)
        .lines()
        .map(line -> line.split(": ", 2))
        .forEach(header -> headers.put(header[0].toLowerCase(Locale.ROOT), header[1]));
    return new Golden(headers, text.substring(end + 2));
  }

  static String text(String name) {
    try {
      return Files.readString(folder(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path folder(String name) {
    try {
      var url = Deliveries.class.getResource("/golden/github/" + name);
      return Path.of(Objects.requireNonNull(url, name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(name, e);
    }
  }
}
