package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.SettableClock;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/// Spoils every member of real payloads, one at a time: none may be relied on.
@Tag("slow")
class StrangePayloadsTest {
  private final TrackerSurface<?> surface =
      GitHub.surface(
          GitHubConfigs.withToken(
              List.of(Deliveries.SECRET),
              "a-token",
              URI.create("https://api.github.example"),
              Settings.of("agent", "agent")),
          new OkHttpClient(),
          new SettableClock());

  private static final List<JsonNode> STRANGE = strange();

  @TestFactory
  Stream<DynamicTest> aMemberThatIsMissingOrStrangeBreaksNothing() {
    return Stream.of(
            "recorded-labeled",
            "recorded-unlabeled",
            "recorded-closed",
            "recorded-comment",
            "vendor-issues-transferred")
        .map(name -> dynamicTest(name, () -> everyMemberSpoilt(name)));
  }

  private void everyMemberSpoilt(String name) {
    var paths = new ArrayList<String>();
    collect("", Deliveries.json(Deliveries.golden(name)), paths);
    assertThat(paths).hasSizeGreaterThan(50);
    for (var path : paths) {
      assertReadable(Deliveries.golden(name, body -> parent(body, path).remove(last(path))));
      for (var value : STRANGE) {
        assertReadable(Deliveries.golden(name, body -> parent(body, path).set(last(path), value)));
      }
    }
  }

  private void assertReadable(RawRequest request) {
    assertThatCode(
            () ->
                assertThat(surface.receive(request).reply().status()).isIn(200, 202, 204, 400, 401))
        .doesNotThrowAnyException();
  }

  private static void collect(String path, JsonNode node, List<String> paths) {
    for (var member : node.properties()) {
      paths.add(path + "/" + member.getKey());
      collect(path + "/" + member.getKey(), member.getValue(), paths);
    }
  }

  private static ObjectNode parent(ObjectNode body, String path) {
    return (ObjectNode) body.at(path.substring(0, path.lastIndexOf('/')));
  }

  private static String last(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static List<JsonNode> strange() {
    var json = JsonNodeFactory.instance;
    return List.of(
        json.nullNode(),
        json.booleanNode(true),
        json.numberNode(-1),
        json.numberNode(Long.MAX_VALUE),
        json.numberNode(1.5),
        json.textNode(""),
        json.textNode(" \u0000\uD800 "),
        json.textNode("x".repeat(2_000)),
        json.textNode("../../etc#1"),
        json.arrayNode().add(1),
        json.objectNode().put("name", "agent"));
  }
}
