package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.surface.kit.Json;
import java.util.Optional;
import java.util.Set;

/// Decides from payloads who may start and steer runs: people, by account type and never by name,
/// who belong to the repository.
final class AuthorPolicy {
  private static final Set<String> MEMBER_ASSOCIATIONS = Set.of("OWNER", "MEMBER", "COLLABORATOR");

  private AuthorPolicy() {}

  /// The account as an actor, if it is a person's.
  static Optional<Actor> person(JsonNode account) {
    if (!Json.text(account, "type").equals(Optional.of("User"))) {
      return Optional.empty();
    }
    return Json.text(account, "login").map(login -> new Actor(login, login));
  }

  /// Whether the author of this issue or comment belongs to the repository.
  static boolean belongs(JsonNode authored) {
    return Json.text(authored, "author_association")
        .filter(MEMBER_ASSOCIATIONS::contains)
        .isPresent();
  }

  /// Whether the comment's author belongs to the repository and wrote the comment personally, not
  /// through an app.
  static boolean mayAsk(JsonNode comment) {
    return belongs(comment) && isAuthor(comment);
  }

  /// Whether the author may turn out to be allowed when GitHub is asked later: a `CONTRIBUTOR` may
  /// have a role that the payload does not show.
  static boolean mayBelong(JsonNode comment) {
    return (belongs(comment)
            || Json.text(comment, "author_association").filter("CONTRIBUTOR"::equals).isPresent())
        && isAuthor(comment);
  }

  private static boolean isAuthor(JsonNode comment) {
    return person(comment.path("user")).isPresent()
        && !Json.isThere(comment, "performed_via_github_app");
  }

  /// Whether the sender may set labels. GitHub allows that only to people who belong to the
  /// repository, with one exception: an issue form sets its labels in the name of its author.
  static boolean mayLabel(Actor sender, JsonNode issue) {
    var author = Json.text(issue.path("user"), "login");
    return belongs(issue) || !author.equals(Optional.of(sender.id()));
  }
}
