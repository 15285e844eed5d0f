package dev.runnel.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemoryBudget.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedJsonTest {
  private static final long MIB = 1024 * 1024;
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

  @ParameterizedTest
  @ValueSource(strings = {"{},", "[],", "{\"a\":0},", "[{}],", "{\"\":\"\"},", "\"a\","})
  void objectsTakeAtMostFourTimesTheSizeOfALargeDocument(String small) {
    for (var size : List.of(256 * 1024, 1024 * 1024)) {
      var nodes = new CountedNodes();

      assertThatThrownBy(
              () ->
                  BoundedJson.object(within("{\"a\":[", small, size, "0]}"), Projection.ALL, nodes))
          .isInstanceOf(RefusedJsonException.class)
          .hasMessage("It has too many values for its size");
      assertThat(nodes.count).isLessThanOrEqualTo((512 * 1024 + 4 * size) / 56);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "b"})
  void documentIsRefusedAfterHalfAMillionNamesAndValuesReadOrSkipped(String name) {
    var nodes = new CountedNodes();

    assertThatThrownBy(
            () ->
                BoundedJson.object(
                    within("{\"" + name + "\":[", "{},", TWENTY_SEVEN_MEGABYTES, "0]}"), A, nodes))
        .hasMessage("It has too many values: at most 500,000 names and values are read");
    assertThat(nodes.count).isLessThan(name.equals("a") ? 250_003 : 2);
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
    var share = MemoryBudget.of(256 * MIB).share(Kind.PROVEN);

    try (var lease = share.tryTake(0).orElseThrow()) {
      var read = BoundedJson.object(stream("{\"a\":\"" + text + "\"}"), 5 * MIB, A, lease);

      assertThat(read.path("a").textValue()).isEqualTo(text);
      assertThat(lease.bytes()).isBetween(3L * text.length(), 4L * text.length());
    }
  }

  @Test
  void documentIsRefusedForNowIfTheShareIsSpent() {
    var share = MemoryBudget.of(256 * MIB).share(Kind.PROVEN);
    var document = within("{\"a\":[", "{},", 100_000, "0]}");

    try (var lease = share.tryTake(share.size() - 1024).orElseThrow()) {
      lease.shrink(share.size() - 2048);
      try (var _ = share.tryTake(share.size() - 2048).orElseThrow()) {
        assertThatThrownBy(
                () -> BoundedJson.object(new ByteArrayInputStream(document), MIB, A, lease))
            .isInstanceOfSatisfying(
                RefusedJsonException.class, refused -> assertThat(refused.isForNow()).isTrue());
      }
    }
  }

  @Test
  void textBesideFilesIsLimited() {
    var document = "{\"a\":\"" + "x".repeat(3_000_000) + "\"}";

    try (var lease = MemoryBudget.of(256 * MIB).share(Kind.PROVEN).tryTake(0).orElseThrow()) {
      assertThatThrownBy(() -> BoundedJson.object(stream(document), MIB, A, lease))
          .hasMessage("It has too much text");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 100})
  void usualDocumentIsReadWhateverItsSize(int count) throws Exception {
    var member = "\"name-%d\":{\"ids\":[%1$d,\"ab\"],\"yes\":true},";
    var members =
        IntStream.range(0, 10 * count).mapToObj(member::formatted).collect(Collectors.joining());

    var read = BoundedJson.object(bytes("{" + members + "\"\":0}"), Projection.ALL);

    assertThat(read.size()).isEqualTo(10 * count + 1);
  }

  @Test
  void base64IsReadAsBytesAndNotAsText() throws Exception {
    var content = new byte[7_000_000];
    new Random(1).nextBytes(content);
    var document =
        "{\"files\":[{\"name\":\"AAAA\",\"data\":\"%s\"}],\"data\":\"AAAA\"}"
            .formatted(Base64.getEncoder().encodeToString(content));
    var files = Projection.allWith(Map.of("data", Projection.BASE64));

    ObjectNode read;
    try (var lease = MemoryBudget.of(256 * MIB).share(Kind.PROVEN).tryTake(0).orElseThrow()) {
      read =
          BoundedJson.object(
              stream(document), MIB, Projection.allWith(Map.of("files", files)), lease);
      assertThat(lease.bytes()).isEqualTo(64 * 1024);
    }

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

  private static ByteArrayInputStream stream(String text) {
    return new ByteArrayInputStream(bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
