package dev.runnel.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedJsonTest {
  private static final int TWENTY_SEVEN_MEGABYTES = 27 * 1024 * 1024;
  private static final Projection A = Projection.named("a");

  /// Counts what a parser makes.
  private static final class CountedNodes extends JsonNodeFactory {
    private static final long serialVersionUID = 1;

    private int count;

    @Override
    public ObjectNode objectNode() {
      count++;
      return super.objectNode();
    }

    @Override
    public ArrayNode arrayNode() {
      count++;
      return super.arrayNode();
    }
  }

  @Test
  void manySmallObjectsAreRefusedAfterFiftyThousand() {
    for (var small : List.of("{},", "[],", "{\"a\":0},", "[{}],")) {
      var nodes = new CountedNodes();

      assertThatThrownBy(
              () ->
                  BoundedJson.object(
                      within("{\"a\":[", small, TWENTY_SEVEN_MEGABYTES, "0]}"),
                      Projection.ALL,
                      0,
                      _ -> true,
                      nodes))
          .isInstanceOf(RefusedJsonException.class)
          .hasMessage("It has too many values: they may take at most 4 MB");
      assertThat(nodes.count).as(small).isBetween(20_000, 100_000);
    }
  }

  @Test
  void manySmallObjectsInASkippedMemberMakeNoObject() {
    var nodes = new CountedNodes();

    assertThatThrownBy(
            () ->
                BoundedJson.object(
                    within("{\"b\":[", "{},", TWENTY_SEVEN_MEGABYTES, "0]}"),
                    A,
                    0,
                    _ -> true,
                    nodes))
        .hasMessage("It has too many values: at most 500,000 names and values are read");
    assertThat(nodes.count).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void hostileDocumentIsRefusedInWords(String name, String document, String why) {
    assertThatThrownBy(() -> BoundedJson.object(bytes(document), Projection.ALL))
        .isInstanceOf(RefusedJsonException.class)
        .hasMessageStartingWith(why);
  }

  private static Stream<Arguments> hostile() {
    return Stream.of(
        Arguments.of(
            "deep arrays", "{\"a\":" + "[".repeat(64 * 1024), "It nests too deeply: at most 100"),
        Arguments.of(
            "deep objects", "{\"a\":".repeat(64 * 1024), "It nests too deeply: at most 100"),
        Arguments.of(
            "a long name",
            "{\"" + "n".repeat(1024 * 1024) + "\":1}",
            "A name in it is too long: at most 10,000 characters"),
        Arguments.of(
            "a long whole number",
            "{\"a\":" + "9".repeat(100_000) + "}",
            "A number in it is too long: at most 100 digits"),
        Arguments.of(
            "a long fraction",
            "{\"a\":0." + "9".repeat(100_000) + "}",
            "A number in it is too long: at most 100 digits"),
        Arguments.of("a name twice", "{\"a\":1,\"a\":2}", "A name occurs twice in an object"),
        Arguments.of(
            "a name twice in an inner object",
            "{\"a\":{\"b\":null,\"b\":2}}",
            "A name occurs twice in an object"),
        Arguments.of("two documents", "{} {}", "It has something behind its end"),
        Arguments.of("no object", "[]", "It is not a JSON object"),
        Arguments.of("nothing", "", "It is not a JSON object"),
        Arguments.of("no JSON", "{\"a\":tru}", "It is not valid JSON (line 1, column"),
        Arguments.of("a piece", "{\"a\":[1", "It is not valid JSON"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"b\":%s}", "{\"b\":{\"c\":%s}}", "{\"b\":[%s]}", "{\"a\":1,\"b\":[[%s]]}"})
  void skippedTextMayHaveAnyLength(String document) throws Exception {
    var text = '"' + "x".repeat(7_000_000) + '"';

    assertThat(BoundedJson.object(bytes(document.formatted(text)), A).has("b")).isFalse();
  }

  @Test
  void longTextIsReadAndPaidFor() throws Exception {
    var text = "x".repeat(5_000_000);
    var asked = new AtomicLong();

    var read =
        BoundedJson.object(
            bytes("{\"a\":\"" + text + "\"}"),
            A,
            0,
            more -> {
              asked.addAndGet(more);
              return true;
            });

    assertThat(read.path("a").textValue()).isEqualTo(text);
    assertThat(asked.get()).isBetween(3L * text.length(), 4L * text.length());
  }

  @Test
  void documentIsRefusedForNowIfNoMoreMemoryIsFree() {
    var document = within("{\"a\":[", "{},", 100_000, "0]}");

    assertThatThrownBy(() -> BoundedJson.object(document, A, 64 * 1024, _ -> false))
        .isInstanceOfSatisfying(
            RefusedJsonException.class, refused -> assertThat(refused.isForNow()).isTrue());
  }

  @Test
  void smallDocumentAsksOnceForMore() throws Exception {
    var document = bytes("{\"a\":{\"prompt\":\"Fix the flaky test in the checkout module\"}}");
    var asked = new ArrayList<Long>();

    var read = BoundedJson.object(document, Projection.ALL, 4L * document.length, asked::add);

    assertThat(read).hasToString(new String(document, StandardCharsets.UTF_8));
    assertThat(asked).containsExactly(64 * 1024L);
  }

  @Test
  void base64IsReadAsBytesAndNotAsText() throws Exception {
    var content = new byte[7_000_000];
    new Random(1).nextBytes(content);
    var document =
        "{\"files\":[{\"name\":\"AAAA\",\"data\":\"%s\"}],\"data\":\"AAAA\"}"
            .formatted(Base64.getEncoder().encodeToString(content));
    var files = Projection.allWith(Map.of("data", Projection.BASE64));

    var read =
        BoundedJson.object(
            new ByteArrayInputStream(bytes(document)),
            Projection.allWith(Map.of("files", files)),
            64 * 1024,
            _ -> false);

    assertThat(read.at("/files/0/data").binaryValue()).isEqualTo(content);
    assertThat(read.at("/files/0/name").textValue()).isEqualTo("AAAA");
    assertThat(read.at("/data").isTextual()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"A", "AAA!", "AAAA=AAA", "ü"})
  void textThatIsNotBase64IsRefused(String text) {
    assertThatThrownBy(
            () ->
                BoundedJson.object(
                    bytes("{\"data\":\"" + text + "\"}"),
                    Projection.allWith(Map.of("data", Projection.BASE64))))
        .hasMessage("A text in it must be Base64");
  }

  @Test
  void everyKindOfValueIsReadAsAMapperReadsIt() throws Exception {
    var document =
        """
        {"a": {"text": "ü😀\\u0000", "empty": "", "int": -1, "long": 12345678901, "big":
         123456789012345678901234567890, "float": 1.5e3, "yes": true, "no": false, "null": null,
         "array": [[], {}, [1, ["x"]], null], "object": {"": {}}}}
        """;

    var read = BoundedJson.object(bytes(document), Projection.ALL);

    assertThat(read).isEqualTo(new JsonMapper().readTree(document));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/a            | {\"a\":{\"b\":[1,{\"c\":2},6],\"d\":3}}",
        "/a/d          | {\"a\":{\"d\":3}}",
        "/a/b/0        | {\"a\":{\"b\":[1]}}",
        "/a/b/1        | {\"a\":{\"b\":[null,{\"c\":2}]}}",
        "/a/b/1/c      | {\"a\":{\"b\":[null,{\"c\":2}]}}",
        "/a/b/7        | {\"a\":{\"b\":[]}}",
        "/x            | {\"x\":\"y\"}",
        "/x/y          | {\"x\":\"y\"}",
        "/s~1t         | {\"s/t\":4}",
        "/0            | {\"0\":5}",
        "/missing      | {}",
      })
  void placeIsReadWithEverythingInIt(String pointer, String expected) throws Exception {
    var place = JsonPointer.compile(pointer);
    var document = "{\"a\":{\"b\":[1,{\"c\":2},6],\"d\":3},\"x\":\"y\",\"s/t\":4,\"0\":5}";

    var read = BoundedJson.object(bytes(document), Projection.at(List.of(place)));

    assertThat(read).hasToString(expected);
    assertThat(read.at(place)).isEqualTo(new JsonMapper().readTree(document).at(place));
  }

  @Test
  void placesInEachOtherAreReadAsTheOuterOne() throws Exception {
    var places =
        List.of(JsonPointer.compile("/a/b"), JsonPointer.compile("/a"), JsonPointer.compile("/c"));

    var read =
        BoundedJson.object(bytes("{\"a\":{\"d\":1},\"c\":2,\"e\":3}"), Projection.at(places));

    assertThat(read).hasToString("{\"a\":{\"d\":1},\"c\":2}");
  }

  @Test
  void wholeMembersAreReadWithNamesThatAreNotRead() throws Exception {
    var read =
        BoundedJson.object(
            bytes("{\"a\":{\"w\":{\"x\":[{\"y\":1}]},\"x\":1},\"x\":2}"),
            Projection.named("a", Set.of("w")));

    assertThat(read).hasToString("{\"a\":{\"w\":{\"x\":[{\"y\":1}]}}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\": %s}", "[%s]", "%s"})
  void everyMapperHasTheSameLimits(String document) {
    var mapper = BoundedJson.mapper().build();

    for (var value : List.of("[".repeat(64 * 1024), "[" + "1,".repeat(600_000) + "1]")) {
      assertThatThrownBy(() -> mapper.readTree(document.formatted(value)))
          .isInstanceOf(IOException.class);
    }
  }

  private static byte[] within(String begin, String repeated, int size, String end) {
    return bytes(begin + repeated.repeat(size / repeated.length()) + end);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
