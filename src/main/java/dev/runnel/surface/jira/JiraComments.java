package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.PagedReader;
import dev.runnel.surface.kit.TrackerUnavailable;
import dev.runnel.surface.tracker.IssueComments;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// The comments of one issue on Jira. A post's marker is stored as a comment property, because Jira
/// shows all of a comment's text.
///
/// @param mayPing whether a post may mention this account
record JiraComments(JiraApi api, Predicate<String> mayPing) implements IssueComments<JiraIssue> {
  private static final Pattern MARKER =
      Pattern.compile("(?<!\\s)\\s*+(?<marker><!-- runnel:[^<>\\n]* -->)\\s*$");
  // At the start of a line it would address Runnel, and the post would be read as a request.
  private static final Pattern MENTION =
      Pattern.compile("(?m)^([ \\u200B]*)([@/])(?=\\u200B?[A-Za-z0-9])");
  private static final String NO_BREAK_SPACE = "\u00A0";

  private record Post(String text, String marker) {}

  private static Post post(String text) {
    var marker = MARKER.matcher(text);
    var post =
        marker.find()
            ? new Post(text.substring(0, marker.start()), marker.group("marker"))
            : new Post(text, "");
    return new Post(
        MENTION.matcher(post.text()).replaceAll("$1" + NO_BREAK_SPACE + "$2"), post.marker());
  }

  /// The length of a text as Data Center stores it.
  static int wikiLength(String markdown) {
    return JiraSite.DATA_CENTER.body(post(markdown).text(), _ -> false).asText().length();
  }

  private JsonNode body(Post post) {
    return api.site().body(post.text(), mayPing);
  }

  @Override
  public ApiResult add(JiraIssue issue, String text) {
    var post = post(text);
    return api.comment(issue, body(post), post.marker()).map(comment -> numbered(comment, ""));
  }

  @Override
  public ApiResult edit(JiraIssue issue, PostRef comment, String text) {
    var post = post(text);
    return api.edit(issue, IssueComments.id(comment), body(post), post.marker());
  }

  /// All of the bot's own comments on one page, each with its marker as the text.
  @Override
  public ApiResult since(JiraIssue issue, Instant since, int page) {
    var found = JsonNodeFactory.instance.arrayNode();
    try {
      var ours = api.myself().found().flatMap(api.site()::account);
      for (var comment :
          PagedReader.read(
              each -> api.comments(issue, each),
              JiraApi.PAGE,
              each -> JiraSite.time(each, "created").filter(since::isAfter).isPresent())) {
        var isOurs = ours.isPresent() && api.site().account(comment.path("author")).equals(ours);
        id(comment)
            .filter(_ -> isOurs)
            .flatMap(id -> api.marker(issue, id).found())
            .map(property -> Json.text(property.path("value"), "marker").orElse(""))
            .ifPresent(marker -> found.add(numbered(comment, marker)));
      }
      return new ApiResult.Done(found);
    } catch (TrackerUnavailable unavailable) {
      return new ApiResult.Busy(unavailable.after(), unavailable.why());
    }
  }

  /// Jira sends ids as text.
  static Optional<Long> id(JsonNode comment) {
    return Json.text(comment, "id")
        .filter(id -> id.matches("[0-9]{1,18}"))
        .map(Long::valueOf)
        .or(() -> Json.id(comment, "id"));
  }

  private static JsonNode numbered(JsonNode comment, String text) {
    var numbered = Json.object().put("body", text);
    id(comment).ifPresent(id -> numbered.put("id", id));
    return numbered;
  }

  /// Jira's API has no comment reactions; watching the issue shows that it was seen.
  @Override
  public ApiResult react(JiraIssue issue, PostRef comment) {
    return switch (api.myself()) {
      case ApiResult.Done(var user) ->
          api.site()
              .id(user)
              .map(id -> api.watch(issue, id))
              .orElseGet(() -> new ApiResult.Gone("The account has no name"));
      case ApiResult other -> other;
    };
  }

  @Override
  public ApiResult label(JiraIssue issue, Optional<String> on, List<String> off) {
    return api.label(issue, on, off);
  }

  @Override
  public boolean mayBeOurs(JsonNode comment) {
    return true;
  }
}
