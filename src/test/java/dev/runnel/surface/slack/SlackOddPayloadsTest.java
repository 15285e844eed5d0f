package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.slack.model.SlackPlace;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests that are signed, but not as they should be.
@Tag("slow")
class SlackOddPayloadsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SlackSurface surface =
      SlackSurfaces.of(SlackRequests.CONFIG, InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
  }

  private WebhookResult receive(RawRequest request) {
    return surface.receive(request);
  }

  /// Slack sends a message again for every answer that is not 2xx: whatever a client leaves out or
  /// writes differently must not become an error of ours.
  @Nested
  class WhateverIsOdd {
    @TestFactory
    Stream<DynamicTest> inAPayloadIsNeverAnError() {
      return SlackRequests.names().stream()
          .map(name -> dynamicTest(name, () -> mutants(name).forEach(this::assertHarmless)));
    }

    private void assertHarmless(String body) {
      assertThatCode(
              () -> {
                var webhookResult = receive(SlackRequests.signed(body));
                assertThat(webhookResult.reply().status()).isIn(200, 400);
                if (webhookResult instanceof WebhookResult.Accepted(Delivery delivery, _)) {
                  assertThat(SlackPlace.of(delivery.conversation()).conversation())
                      .isEqualTo(delivery.conversation());
                }
              })
          .as(body)
          .doesNotThrowAnyException();
    }

    private static Stream<String> mutants(String name) throws Exception {
      var body = SlackRequests.body(SlackRequests.golden(name));
      if (body.startsWith("{")) {
        return mutants(JSON.readTree(body));
      }
      if (body.startsWith("payload=")) {
        var payload =
            JSON.readTree(
                URLDecoder.decode(body.substring("payload=".length()), StandardCharsets.UTF_8));
        return mutants(payload)
            .map(it -> "payload=" + URLEncoder.encode(it, StandardCharsets.UTF_8));
      }
      return formMutants(body);
    }

    private static Stream<String> formMutants(String body) {
      var fields = List.of(body.split("&", -1));
      return fields.stream()
          .flatMap(
              field -> {
                var name = field.substring(0, field.indexOf('=') + 1);
                return Stream.of(
                        "", name, name + "%20", name + "%F0%9F%9A%80/~", name + "a".repeat(9_000))
                    .map(it -> body.replace(field, it));
              });
    }

    private static Stream<String> mutants(JsonNode whole) {
      List<String> mutants = new ArrayList<>();
      for (var pointer : pointers(whole, "")) {
        var copy = whole.deepCopy();
        ((ObjectNode) copy.at(parent(pointer))).remove(leaf(pointer));
        mutants.add(copy.toString());
        for (var odd : odd()) {
          ((ObjectNode) copy.at(parent(pointer))).set(leaf(pointer), odd);
          mutants.add(copy.toString());
        }
      }
      return mutants.stream();
    }

    private static List<JsonNode> odd() {
      return List.of(
          NullNode.instance,
          IntNode.valueOf(7),
          BooleanNode.TRUE,
          TextNode.valueOf(""),
          TextNode.valueOf("\u0000 / ~ : \ud83d\ude80"),
          TextNode.valueOf("x".repeat(9_000)),
          JsonNodeFactory.instance.arrayNode(),
          JsonNodeFactory.instance.arrayNode().add(1),
          JsonNodeFactory.instance.objectNode());
    }

    /// Of every field of every object.
    private static List<String> pointers(JsonNode node, String path) {
      List<String> pointers = new ArrayList<>();
      if (node instanceof ObjectNode object) {
        object
            .properties()
            .forEach(
                field -> {
                  var pointer = path + "/" + field.getKey();
                  pointers.add(pointer);
                  pointers.addAll(pointers(field.getValue(), pointer));
                });
      }
      if (node instanceof ArrayNode array) {
        for (var i = 0; i < array.size(); i++) {
          pointers.addAll(pointers(array.get(i), path + "/" + i));
        }
      }
      return pointers;
    }

    private static String parent(String pointer) {
      return pointer.substring(0, pointer.lastIndexOf('/'));
    }

    private static String leaf(String pointer) {
      return pointer.substring(pointer.lastIndexOf('/') + 1);
    }
  }

  @Nested
  class AnUnreadableBody {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "{\"type\":",
          "payload=%7B",
          "payload=%zz",
          "payload=[]",
          "payload=null",
          "neither=this",
          "[]",
          "null",
          "command"
        })
    void unreadableBodyIsABadRequest(String body) {
      var webhookResult = receive(SlackRequests.signed(body));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
      assertThat(webhookResult.reply().status()).isEqualTo(400);
    }

    @Test
    void tooDeeplyNestedBodyIsABadRequest() {
      var deep = "{\"a\":".repeat(100_000);

      assertThat(receive(SlackRequests.signed(deep)).reply().status()).isEqualTo(400);
    }

    @Test
    void reasonForAnUnreadableBodyDoesNotQuoteIt() {
      var body = "{\"type\":\"a secret prompt\"";

      assertThat(((WebhookResult.Rejected) receive(SlackRequests.signed(body))).why())
          .doesNotContain("secret");
    }
  }
}
