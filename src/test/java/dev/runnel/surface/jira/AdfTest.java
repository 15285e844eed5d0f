package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdfTest {
  private static final JsonMapper JSON = new JsonMapper();

  static Stream<Long> seeds() {
    return new Random(7).longs(300).boxed();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void documentSurvivesARoundTripThroughMarkdown(long seed) {
    var document = new RandomDocument(new Random(seed)).document();
    var markdown = Adf.markdown(document);

    assertThat(Adf.document(markdown)).as(markdown).isEqualTo(document);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void anyTextBecomesAValidDocumentWithAllItsLetters(long seed) {
    var text = new RandomDocument(new Random(seed)).noise();
    var document = Adf.document(text);

    AdfRules.check(document);
    assertThat(letters(AdfRules.text(document))).isEqualTo(letters(text));
    AdfRules.check(Adf.document(Adf.markdown(document)));
    assertThat(WikiText.of(document)).isNotNull();
  }

  private static String letters(String text) {
    return text.replaceAll("[^XYZ]", "");
  }

  @Test
  void marksLinksAndCodeAreInline() {
    var content =
        Adf.document("**bold** _em_ ~~gone~~ `code` [words](https://a.example) https://b.example.")
            .path("content")
            .path(0)
            .path("content");

    assertThat(content.findValuesAsText("type")).contains("strong", "em", "strike", "code", "link");
    assertThat(content.findValuesAsText("href"))
        .containsExactly("https://a.example", "https://b.example");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[x](javascript:alert(1))", "[x](data:text/html,x)", "[x](person:lee)"})
  void onlyWebAddressesAreLinks(String markdown) {
    assertThat(Adf.document(markdown).toString()).doesNotContain("\"link\"", "\"mention\"");
  }

  @Test
  void textThatResemblesAnEndMarkerStaysData() {
    var text = "</issue-summary> ``` {code} {quote}";
    var code = Adf.document("````\n" + text + "\n````");

    assertThat(AdfRules.text(code)).isEqualTo(text);
    assertThat(AdfRules.text(Adf.document(Adf.markdown(code)))).isEqualTo(text);
    assertThat(WikiText.of(code).split("\\{code\\}", -1)).hasSize(3);
    assertThat(WikiText.of(Adf.document(text)))
        .isEqualTo("</issue-summary> ``` \\{code} \\{quote}");
  }

  @Test
  void jiraSpecificNodesBecomeTheirText() throws Exception {
    assertThat(
            markdown(
                """
                {"type":"panel","attrs":{"panelType":"info"},"content":[{"type":"paragraph","content":[
                  {"type":"mention","attrs":{"id":"5b1","text":"@Dana"}},{"type":"text","text":" "},
                  {"type":"emoji","attrs":{"shortName":":grin:","text":"😀"}},{"type":"text","text":" "},
                  {"type":"status","attrs":{"text":"OPEN","color":"blue"}},{"type":"text","text":" "},
                  {"type":"date","attrs":{"timestamp":"1767603600000"}}]}]},
                {"type":"mediaSingle","content":[{"type":"media","attrs":{"id":"1","type":"file","alt":"cart.png"}}]},
                {"type":"hologram","content":[{"type":"paragraph","content":[{"type":"text","text":"unknown"}]}]},
                {"type":"paragraph","content":[{"type":"sparkle","attrs":{"text":"inline"}}]}
                """))
        .isEqualTo(
            """
            > **Info**
            >
            > @Dana 😀 [OPEN] 2026-01-05

            [media: cart.png]

            unknown

            inline\
            """);
  }

  private static String markdown(String content) throws Exception {
    return Adf.markdown(JSON.readTree("{\"type\":\"doc\",\"content\":[" + content + "]}"));
  }

  @Test
  void documentIsConvertedToWikiTextForADataCenter() {
    assertThat(
            WikiText.of(
                Adf.document(
                    """
                    # Title

                    **bold** `a{b}` [x](https://a.example)

                    - one
                      1. inner
                    - two

                    > said

                    | a | b |
                    |---|---|
                    | 1 | 2 |

                    ```java
                    int x;
                    ```

                    ---
                    """)))
        .isEqualTo(
            """
            h1. Title

            *bold* {{a\\{b}}} [x|https://a.example]

            * one
            *# inner
            * two

            {quote}
            said
            {quote}

            ||a||b||
            |1|2|

            {code:java}
            int x;
            {code}

            ----\
            """);
  }

  @ParameterizedTest
  @ValueSource(strings = {"*a ", "_a ", "[", "`a ``", "> ", "- ", "**a*", "![", "<a ", "~~a", "|a"})
  void hostileMarkdownIsConvertedInTime(String piece) {
    var text = piece.repeat(30_000 / piece.length());

    assertThat(List.of(text))
        .allSatisfy(
            each ->
                org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                    Duration.ofSeconds(20), () -> AdfRules.check(Adf.document(each))));
  }

  private static final class AdfRules {
    static void check(JsonNode document) {
      assertThat(document.path("version").asInt()).isEqualTo(1);
      document.path("content").forEach(node -> check(node, "doc"));
    }

    private static void check(JsonNode node, String parent) {
      var type = Adf.type(node);
      var allowed =
          switch (parent) {
            case "doc" ->
                List.of(
                    "paragraph",
                    "heading",
                    "rule",
                    "codeBlock",
                    "blockquote",
                    "bulletList",
                    "orderedList",
                    "table");
            case "blockquote" -> List.of("paragraph", "codeBlock", "bulletList", "orderedList");
            case "bulletList", "orderedList" -> List.of("listItem");
            case "listItem" -> List.of("paragraph", "codeBlock", "bulletList", "orderedList");
            case "table" -> List.of("tableRow");
            case "tableRow" -> List.of("tableHeader", "tableCell");
            case "tableHeader", "tableCell" -> List.of("paragraph");
            case "paragraph", "heading" -> List.of("text", "hardBreak", "mention");
            case "codeBlock" -> List.of("text");
            default -> List.<String>of();
          };
      assertThat(allowed).as("in " + parent).contains(type);
      if (type.equals("text")) {
        assertThat(node.path("text").asText()).isNotEmpty();
        var marks = node.path("marks").findValuesAsText("type");
        assertThat(marks).doesNotHaveDuplicates();
        if (marks.contains("code")) {
          assertThat(List.of("code", "link")).containsAll(marks);
        }
        assertThat(parent.equals("codeBlock") && !marks.isEmpty()).isFalse();
      }
      if (List.of("bulletList", "orderedList", "listItem", "blockquote", "table", "tableRow")
          .contains(type)) {
        assertThat(node.path("content")).isNotEmpty();
      }
      if (type.equals("listItem")) {
        assertThat(Adf.type(node.path("content").path(0))).isIn("paragraph", "codeBlock");
      }
      node.path("content").forEach(each -> check(each, type));
    }

    static String text(JsonNode node) {
      var text = new StringBuilder(node.path("text").asText());
      node.path("content").forEach(each -> text.append(text(each)));
      return text.toString();
    }
  }

  /// Documents as people write them, their words full of signs that mean something in Markdown.
  private static final class RandomDocument {
    private static final List<String> WORDS =
        List.of(
            "fix",
            "a_b",
            "*",
            "_x",
            "#1",
            "1.",
            "2)",
            "-",
            "+",
            ">",
            "`",
            "``",
            "[x](y)",
            "~~",
            "<b>",
            "a|b",
            "|",
            "\\",
            "\\*",
            "**",
            "</issue-summary>",
            "é",
            "😀",
            "@dana",
            "---",
            "&");
    private static final List<String> NOISE =
        List.of(
            "X", "Y ", "Z", "*", "**", "_", " ` ", "```\n", "~~", "[", "](", ")", "<", ">", "> ",
            "- ", "1. ", "# ", "|", "\n", "\n\n", "    ", "\\", "|---|", "---", "\t", "é",
            "\u0000");

    private final Random random;

    RandomDocument(Random random) {
      this.random = random;
    }

    String noise() {
      var text = new StringBuilder();
      for (var count = random.nextInt(80); count > 0; count--) {
        text.append(NOISE.get(random.nextInt(NOISE.size())));
      }
      return text.toString();
    }

    ObjectNode document() {
      var document = JSON.createObjectNode().put("version", 1).put("type", "doc");
      var content = document.putArray("content");
      for (var count = 1 + random.nextInt(5); count > 0; count--) {
        content.add(block());
      }
      return document;
    }

    private ObjectNode block() {
      return switch (random.nextInt(8)) {
        case 0 -> {
          var heading = Adf.node("heading", List.of(text(false)));
          heading.putObject("attrs").put("level", 1 + random.nextInt(6));
          yield heading;
        }
        case 1 -> Adf.node("rule");
        case 2 -> code();
        case 3 -> Adf.node("blockquote", List.of(paragraph(), list(1)));
        case 4 -> list(0);
        case 5 -> table();
        default -> paragraph();
      };
    }

    private ObjectNode code() {
      var code = Adf.node("codeBlock");
      if (random.nextBoolean()) {
        code.putObject("attrs").put("language", "java");
      }
      var text = words() + "\n\n  " + words() + "\n```";
      code.putArray("content").add(Adf.node("text").put("text", text));
      return code;
    }

    private ObjectNode list(int depth) {
      var items =
          Stream.generate(
                  () ->
                      depth < 3 && random.nextInt(3) == 0
                          ? Adf.node("listItem", List.of(paragraph(), list(depth + 1)))
                          : random.nextInt(4) == 0
                              ? Adf.node("listItem", List.of(paragraph(), code(), paragraph()))
                              : Adf.node("listItem", List.of(paragraph())))
              .limit(1 + random.nextInt(3))
              .toList();
      return Adf.node(random.nextBoolean() ? "bulletList" : "orderedList", items);
    }

    private ObjectNode table() {
      var width = 1 + random.nextInt(3);
      var rows =
          Stream.iterate(0, row -> row + 1)
              .limit(2 + random.nextInt(2))
              .map(
                  row ->
                      Adf.node(
                          "tableRow",
                          Stream.generate(
                                  () ->
                                      Adf.node(
                                          row == 0 ? "tableHeader" : "tableCell",
                                          List.of(Adf.node("paragraph", List.of(text(false))))))
                              .limit(width)
                              .toList()))
              .toList();
      return Adf.node("table", rows);
    }

    private ObjectNode paragraph() {
      var text = text(false);
      return switch (random.nextInt(4)) {
        case 0 -> Adf.node("paragraph", List.of(text, Adf.node("hardBreak"), text(false)));
        case 1 ->
            Adf.node(
                "paragraph",
                List.of(
                    text.put("text", text.path("text").asText() + " "),
                    text(true),
                    Adf.node("text").put("text", " " + words())));
        default -> Adf.node("paragraph", List.of(text));
      };
    }

    private ObjectNode text(boolean marked) {
      var text = Adf.node("text").put("text", words());
      if (marked) {
        var marks = text.putArray("marks");
        if (random.nextInt(3) == 0) {
          var link = Adf.node("link");
          link.putObject("attrs").put("href", "https://a.example/(x)?q=1");
          marks.add(link);
        }
        if (random.nextInt(3) == 0) {
          marks.add(Adf.node("code"));
        } else {
          marks.add(Adf.node(List.of("strong", "em", "strike").get(random.nextInt(3))));
        }
      }
      return text;
    }

    private String words() {
      var words = new StringBuilder("w");
      for (var count = random.nextInt(5); count > 0; count--) {
        words.append(' ').append(WORDS.get(random.nextInt(WORDS.size())));
      }
      return random.nextBoolean() ? words + " w" : words.reverse().append(" w").toString();
    }
  }
}
