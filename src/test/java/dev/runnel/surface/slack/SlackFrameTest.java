package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.slack.receive.SlackFrame;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A socket and HTTP mean the same.
class SlackFrameTest {
  /// Slack asks these of addresses, and a socket has none.
  private static final Set<String> OF_ADDRESSES = Set.of("url-verification", "ssl-check");

  private final JsonMapper json = JsonMapper.builder().build();
  private final SlackSurface surface =
      SlackSurfaces.of(SlackRequests.CONFIG, InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
  }

  static List<String> goldens() {
    return SlackRequests.names().stream().filter(it -> !OF_ADDRESSES.contains(it)).toList();
  }

  /// The envelope that Slack would have sent instead of the request.
  private String enveloped(RawRequest request) throws JsonProcessingException {
    var body = SlackRequests.body(request);
    var envelope = json.createObjectNode().put("envelope_id", "e1");
    if (body.startsWith("{")) {
      envelope.put("type", "events_api").set("payload", json.readTree(body));
      return envelope.toString();
    }
    var fields = json.createObjectNode();
    for (var pair : body.split("&", -1)) {
      var parts = pair.split("=", 2);
      fields.put(decoded(parts[0]), decoded(parts[1]));
    }
    if (fields.has("payload")) {
      envelope
          .put("type", "interactive")
          .set("payload", json.readTree(fields.path("payload").asText()));
    } else {
      envelope.put("type", "slash_commands").set("payload", fields);
    }
    return envelope.put("accepts_response_payload", true).toString();
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private WebhookResult overTheSocket(RawRequest request) throws JsonProcessingException {
    var frame = SlackFrame.read(enveloped(request), request.arrivedAt());
    assertThat(frame).isInstanceOf(SlackFrame.Envelope.class);
    return surface.read(((SlackFrame.Envelope) frame).request());
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void httpAndSocketDeliveriesAreReadTheSame(String golden) throws Exception {
    var request = SlackRequests.golden(golden);

    var overHttp = surface.receive(request);

    assertThat(overTheSocket(request)).isEqualTo(overHttp);
    assertThat(overHttp).isNotInstanceOf(WebhookResult.Rejected.class);
  }

  @Test
  void textArrivesUnchangedOverTheSocket() throws Exception {
    var odd = "text=a%2Bb+%26amp%3B+c%3Dd+%25+%C3%A4%F0%9F%99%82%0A%22quoted%22+%5C";
    var request =
        SlackRequests.signed(
            SlackRequests.body(SlackRequests.golden("slash-start"))
                .replaceFirst("text=[^&]*", odd));

    var overHttp = surface.receive(request);

    assertThat(overTheSocket(request)).isEqualTo(overHttp);
    assertThat(overHttp.toString()).contains("a+b & c=d % ä🙂\n\"quoted\" \\");
  }
}
