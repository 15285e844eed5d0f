package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Actor;
import dev.runnel.surface.kit.Json;
import java.util.Optional;
import java.util.Set;

/// Who may start and steer runs: people, by the account's type and never by its name, who belong
/// to the repository.
final class AuthorPolicy {
  private static final Set<String> BELONGING = Set.of("OWNER", "MEMBER", "COLLABORATOR");

  private AuthorPolicy() {}

  /// The account, if it is a person's.
  static Optional<Actor> person(JsonNode account) {
    if (!Json.text(account, "type").equals(Optional.of("User"))) {
      return Optional.empty();
    }
    return Json.text(account, "login").map(login -> new Actor(login, login));
  }

  /// Whether the author of this issue or comment belongs to the repository.
  static boolean belongs(JsonNode authored) {
    return Json.text(authored, "author_association").filter(BELONGING::contains).isPresent();
  }

  /// Who comments counts only if they belong, and if they wrote it themselves.
  static boolean mayAsk(JsonNode comment) {
    return belongs(comment) && wroteIt(comment);
  }

  /// The same, where GitHub is asked later: who contributed may belong and not show it.
  static boolean mayBelong(JsonNode comment) {
    return (belongs(comment)
            || Json.text(comment, "author_association").filter("CONTRIBUTOR"::equals).isPresent())
        && wroteIt(comment);
  }

  private static boolean wroteIt(JsonNode comment) {
    return person(comment.path("user")).isPresent()
        && !Json.isThere(comment, "performed_via_github_app");
  }

  /// GitHub lets only people who belong set labels, with one exception: an issue form sets its
  /// labels in the name of whoever fills it in.
  static boolean mayLabel(Actor sender, JsonNode issue) {
    var author = Json.text(issue.path("user"), "login");
    return belongs(issue) || !author.equals(Optional.of(sender.id()));
  }
}
