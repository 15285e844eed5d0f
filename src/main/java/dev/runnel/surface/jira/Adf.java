package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// Converts between Markdown and the Atlassian Document Format, in which Jira Cloud stores rich
/// text. Pure.
final class Adf {
  /// The prefix of a link to a person, followed by the account id.
  static final String PERSON = "person:";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Adf() {}

  /// Converts Markdown; mentions nobody.
  static ObjectNode document(String markdown) {
    return document(markdown, _ -> false);
  }

  /// @param mayPing whether a link to this account id becomes a mention
  static ObjectNode document(String markdown, Predicate<String> mayPing) {
    var document = JSON.objectNode().put("version", 1).put("type", "doc");
    document.putArray("content").addAll(new MarkdownToAdf(mayPing).of(markdown));
    return document;
  }

  /// Converts a document to Markdown. Unknown nodes become their text.
  static String markdown(JsonNode document) {
    return markdown(document, id -> id);
  }

  /// @param person the name for an account id, used if the mention has no text
  static String markdown(JsonNode document, UnaryOperator<String> person) {
    return new AdfToMarkdown(person).of(document);
  }

  static ObjectNode node(String type) {
    return JSON.objectNode().put("type", type);
  }

  static ObjectNode node(String type, List<ObjectNode> content) {
    var node = node(type);
    node.putArray("content").addAll(content);
    return node;
  }

  static String type(JsonNode node) {
    return node.path("type").asText();
  }
}
