package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.surface.kit.Json;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// The differences between Cloud and Data Center: the ids of people, and the format of text. People
/// are identified by account, never by email address, which most of them hide.
enum JiraSite {
  CLOUD("/rest/api/3"),
  DATA_CENTER("/rest/api/2");

  // For example 2026-01-05T09:00:00.000+0000.
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss[.SSS]XX");

  private final String api;

  JiraSite(String api) {
    this.api = api;
  }

  String api() {
    return api;
  }

  /// The account as it appears in a change of the assignee.
  Optional<String> account(JsonNode user) {
    return this == CLOUD
        ? Json.text(user, "accountId")
        : Json.text(user, "key").or(() -> Json.text(user, "name"));
  }

  /// The id by which a user is looked up and mentioned.
  Optional<String> id(JsonNode user) {
    return this == CLOUD
        ? Json.text(user, "accountId")
        : Json.text(user, "name").or(() -> Json.text(user, "key"));
  }

  Optional<Actor> person(JsonNode user) {
    return id(user).map(id -> new Actor(id, Json.text(user, "displayName").orElse(id)));
  }

  /// Whether it is the account of an app.
  static boolean isApp(JsonNode user) {
    return Json.text(user, "accountType").equals(Optional.of("app"));
  }

  JsonNode body(String markdown, Predicate<String> mayPing) {
    var document = Adf.document(markdown, mayPing);
    return this == CLOUD ? document : TextNode.valueOf(WikiText.of(document));
  }

  /// Converts text of either format to Markdown; Cloud's webhooks contain the older one.
  static String markdown(JsonNode body, UnaryOperator<String> person) {
    return body.isTextual()
        ? WikiReader.markdown(body.asText(), person)
        : Adf.markdown(body, person);
  }

  static Optional<Instant> time(JsonNode node, String name) {
    return Json.text(node, name).flatMap(JiraSite::time);
  }

  private static Optional<Instant> time(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text, TIME).toInstant());
    } catch (DateTimeException another) {
      return Optional.empty();
    }
  }
}
