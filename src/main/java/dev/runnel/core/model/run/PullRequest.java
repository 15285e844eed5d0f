package dev.runnel.core.model.run;

import dev.runnel.core.model.conversation.NameCheck;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// A pull or merge request, identified by its normalized address.
///
/// @param address host and path in lower case: `github.com/acme/shop/pull/7`
public record PullRequest(String address) {
  private static final Pattern PATH =
      Pattern.compile("^(?<path>/.+/(?:pull|pulls|merge_requests)/\\d+)(?:/.*)?");

  public PullRequest {
    NameCheck.require("pull request", address);
  }

  /// @param link to it, or to something in it: a comment, its files
  /// @return empty for a link to anything else
  public static Optional<PullRequest> of(URI link) {
    var path = PATH.matcher(Optional.ofNullable(link.getPath()).orElse(""));
    return link.getRawAuthority() != null && path.matches()
        ? Optional.of(
            new PullRequest((link.getRawAuthority() + path.group("path")).toLowerCase(Locale.ROOT)))
        : Optional.empty();
  }

  /// How the addresses of all pull requests in a repository begin.
  public static String prefix(URI repository) {
    return (repository.getRawAuthority() + repository.getPath() + "/").toLowerCase(Locale.ROOT);
  }
}
