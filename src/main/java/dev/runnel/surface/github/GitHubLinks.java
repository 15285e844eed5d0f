package dev.runnel.surface.github;

import dev.runnel.core.model.Shown;
import dev.runnel.core.model.SurfaceId;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// What GitHub's links show: an issue, a pull request, a comment on one.
final class GitHubLinks {
  private static final Pattern ISSUE =
      Pattern.compile("/(?<repository>[^/]+/[^/]+)/(?:issues|pull)/(?<number>\\d{1,9})(?:/.*)?");
  private static final Pattern COMMENT = Pattern.compile("issuecomment-(?<id>\\d{1,18})");

  private GitHubLinks() {}

  /// @param api whose web pages are on the same host, or on that without `api.`
  static Optional<Shown> shown(URI link, SurfaceId surface, URI api) {
    var path = ISSUE.matcher(Optional.ofNullable(link.getPath()).orElse(""));
    if (!host(link).equals(host(api).replaceFirst("^api\\.", "")) || !path.matches()) {
      return Optional.empty();
    }
    var comment = COMMENT.matcher(Optional.ofNullable(link.getFragment()).orElse(""));
    return IssueKey.of(path.group("repository"), Integer.parseInt(path.group("number")))
        .map(
            issue ->
                new Shown(
                    issue.in(surface),
                    comment.matches()
                        ? Optional.of(GitHubPayloads.meaning(Long.parseLong(comment.group("id"))))
                        : Optional.empty()));
  }

  private static String host(URI address) {
    return Optional.ofNullable(address.getHost()).orElse("").toLowerCase(Locale.ROOT);
  }
}
