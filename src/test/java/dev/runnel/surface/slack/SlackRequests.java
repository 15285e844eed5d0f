package dev.runnel.surface.slack;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.receive.SlackSignature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Requests as Slack sends them: the golden ones, and others signed the same way.
public final class SlackRequests {
  public static final String SECRET = "test-signing-secret";
  public static final Instant NOW = Instant.ofEpochSecond(1_795_240_915);
  public static final SlackConfig CONFIG =
      SlackSurfaces.oneWorkspace(
          List.of(SECRET), "xoxb-test-token", URI.create("http://127.0.0.1:3900/api/"));

  private static final Path FOLDER = Path.of("src/test/resources/golden/slack/received");

  private SlackRequests() {}

  public static List<String> names() {
    try (var files = Files.list(FOLDER)) {
      return files.map(it -> it.getFileName().toString().replace(".http", "")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// As recorded, at the moment it was sent.
  public static RawRequest golden(String name) {
    var file = read(name);
    var parts = file.split("\n\n", 2);
    var head = parts[0].lines().toList();
    var line = head.getFirst().split(" ", 2);
    Map<String, String> headers = new HashMap<>();
    for (var header : head.subList(1, head.size())) {
      var colon = header.indexOf(": ");
      headers.put(header.substring(0, colon), header.substring(colon + 2));
    }
    var body = parts[1].getBytes(StandardCharsets.UTF_8);
    var sentAt = headers.get(SlackSignature.TIMESTAMP.toLowerCase(Locale.ROOT));
    return sentAt == null
        ? signed(body)
        : new RawRequest(
            line[0], line[1], headers, body, Instant.ofEpochSecond(Long.parseLong(sentAt)));
  }

  private static String read(String name) {
    try {
      return Files.readString(FOLDER.resolve(name + ".http"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static RawRequest signed(byte[] body) {
    return signed(body, SECRET, NOW, NOW);
  }

  public static RawRequest signed(String body) {
    return signed(body.getBytes(StandardCharsets.UTF_8));
  }

  static RawRequest signed(byte[] body, String secret, Instant sentAt, Instant arrivedAt) {
    var timestamp = Long.toString(sentAt.getEpochSecond());
    var signature =
        "v0=" + Hmac.hex(secret, ("v0:" + timestamp + ":").getBytes(StandardCharsets.UTF_8), body);
    return with(
        new RawRequest("POST", SlackConfig.EVENTS_PATH, Map.of(), body, arrivedAt),
        Map.of(SlackSignature.TIMESTAMP, timestamp, SlackSignature.SIGNATURE, signature));
  }

  /// The request with these headers instead.
  static RawRequest with(RawRequest request, Map<String, String> headers) {
    Map<String, String> lowerCase = new HashMap<>();
    headers.forEach((name, value) -> lowerCase.put(name.toLowerCase(Locale.ROOT), value));
    return new RawRequest(
        request.method(), request.path(), lowerCase, request.body(), request.arrivedAt());
  }

  public static String body(RawRequest request) {
    return new String(request.body(), StandardCharsets.UTF_8);
  }
}
