package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.IssueRules;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Reads comments and reviews: new, edited and deleted ones. Pure.
record GitHubCommentEvents(IssueRules rules, CodeQuote quote) {
  /// @param author who wrote it, even if somebody else deleted it
  /// @param meaning the semantic key
  record CommentEvent(long id, Actor author, String meaning, Intent intent) {}

  /// @return empty when the event does not concern Runnel
  Optional<CommentEvent> read(CommentKind kind, String action, Actor sender, JsonNode payload) {
    var comment = kind.in(payload);
    var id = Json.id(comment, "id");
    var author = AuthorPolicy.person(comment.path("user"));
    if (id.isEmpty() || author.isEmpty() || !AuthorPolicy.mayBelong(comment)) {
      return Optional.empty();
    }
    if (action.equals(kind.first())) {
      return intent(kind, comment, Json.text(comment, "body"))
          .map(intent -> new CommentEvent(id.get(), author.get(), kind.meaning(id.get()), intent));
    }
    return switch (action) {
      // Only an author's own edit counts, although GitHub lets maintainers edit.
      case "edited" ->
          Optional.of(payload.path("changes").path("body"))
              .filter(_ -> sender.equals(author.get()))
              .filter(changed -> addressesRunnel(changed, "from"))
              .map(_ -> amended(kind, id.get(), author.get(), comment, true));
      case "deleted" ->
          Optional.of(comment)
              .filter(gone -> addressesRunnel(gone, "body"))
              .map(_ -> amended(kind, id.get(), author.get(), comment, false));
      default -> Optional.empty();
    };
  }

  private boolean addressesRunnel(JsonNode text, String member) {
    return Json.text(text, member).flatMap(rules::comment).isPresent();
  }

  private CommentEvent amended(
      CommentKind kind, long id, Actor author, JsonNode comment, boolean isEdited) {
    var now =
        isEdited ? intent(kind, comment, Json.text(comment, "body")) : Optional.<Intent>empty();
    var when = Json.text(comment, isEdited ? "updated_at" : "created_at").orElse("");
    return new CommentEvent(
        id,
        author,
        kind.meaning(id, (isEdited ? "edited:" : "deleted:") + when),
        new Intent.Amend(kind.meaning(id), now));
  }

  private Optional<Intent> intent(CommentKind kind, JsonNode comment, Optional<String> body) {
    return body.flatMap(rules::comment)
        .map(
            intent ->
                switch (kind) {
                  case ISSUE_COMMENT -> intent;
                  case REVIEW_COMMENT -> with(intent, text -> quote.appendTo(text, comment));
                  case REVIEW -> with(intent, text -> withLink(text, comment));
                });
  }

  /// The payload does not contain the review's comments; the link leads to them.
  private static String withLink(String text, JsonNode review) {
    return Json.link(review, "html_url")
        .map(link -> text + "\n\nThis request is part of a review of the pull request: " + link)
        .orElse(text);
  }

  private static Intent with(Intent intent, UnaryOperator<String> change) {
    if (intent instanceof Intent.Say(var request)) {
      return new Intent.Say(with(request, change));
    }
    return intent instanceof Intent.New(var request)
        ? new Intent.New(with(request, change))
        : intent;
  }

  private static Request with(Request request, UnaryOperator<String> change) {
    return new Request(change.apply(request.text()), request.options());
  }
}
