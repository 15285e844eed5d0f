package dev.runnel.surface.github;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds what a GitHub link points to: an issue, a pull request, or a comment on one.
final class GitHubLinks {
  private static final Pattern ISSUE =
      Pattern.compile("/(?<repository>[^/]+/[^/]+)/(?:issues|pull)/(?<number>\\d{1,9})(?:/.*)?");
  private static final Pattern MESSAGE =
      Pattern.compile("(?<kind>issuecomment-|discussion_r|pullrequestreview-)(?<id>\\d{1,18})");

  private GitHubLinks() {}

  /// @param api the API URL; its web pages are on the same host, or on that host without `api.`
  static Optional<LinkTarget> target(URI link, SurfaceId surface, URI api) {
    var path = ISSUE.matcher(Optional.ofNullable(link.getPath()).orElse(""));
    if (!host(link).equals(host(api).replaceFirst("^api\\.", "")) || !path.matches()) {
      return Optional.empty();
    }
    return RepositoryIssue.of(path.group("repository"), Integer.parseInt(path.group("number")))
        .map(
            issue ->
                new LinkTarget(
                    new Conversation(surface, issue.toString()),
                    message(Optional.ofNullable(link.getFragment()).orElse(""))));
  }

  private static Optional<String> message(String fragment) {
    var message = MESSAGE.matcher(fragment);
    if (!message.matches()) {
      return Optional.empty();
    }
    var id = Long.parseLong(message.group("id"));
    return Optional.of(
        switch (message.group("kind")) {
          case "discussion_r" -> CommentKind.REVIEW_COMMENT.meaning(id);
          case "pullrequestreview-" -> CommentKind.REVIEW.meaning(id);
          default -> CommentKind.ISSUE_COMMENT.meaning(id);
        });
  }

  private static String host(URI address) {
    return Optional.ofNullable(address.getHost()).orElse("").toLowerCase(Locale.ROOT);
  }
}
