package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// The Atlassian Document Format, in which Jira Cloud keeps rich text: from Markdown and back.
/// Pure.
final class Adf {
  /// What a link to a person begins with; behind it is the account's id.
  static final String PERSON = "person:";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Adf() {}

  /// A document of Markdown; nobody is pinged.
  static ObjectNode document(String markdown) {
    return document(markdown, _ -> false);
  }

  /// @param mayPing whether a link to that person becomes a mention
  static ObjectNode document(String markdown, Predicate<String> mayPing) {
    var document = JSON.objectNode().put("version", 1).put("type", "doc");
    document
        .putArray("content")
        .addAll(new MarkdownBlocks(new MarkdownInline(mayPing)).of(markdown));
    return document;
  }

  /// What people read in a document, as Markdown. Things it does not know become their text.
  static String markdown(JsonNode document) {
    return markdown(document, id -> id);
  }

  /// @param person how the person of an account id is called where a mention does not say it
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
