package dev.runnel.service.workspace;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The parsed URL of a pull or merge request.
///
/// @param authority host, with the port if the URL has one
/// @param path path of the repository, such as `acme/shop`
/// @param ref the ref on the server that holds the head of the request
record PullRequestAddress(String authority, String path, String ref) {
  private static final Pattern ADDRESS =
      Pattern.compile(
          "^https?://(?<authority>[^/@?#]+)/(?<path>[^?#]+?)"
              + "/(?:pulls?/(?<pull>\\d{1,9})|-/merge_requests/(?<merge>\\d{1,9}))");

  /// Repository URLs: `https://host:port/path`, `ssh://git@host/path`, `git@host:path`.
  private static final Pattern REMOTE =
      Pattern.compile(
          "^(?:(?<scheme>[a-z]+)://(?:[^/@]*@)?(?<authority>[^/]+)/|[^/@:]+@(?<host>[^/:]+):)(?<path>.+)");

  static Optional<PullRequestAddress> of(String url) {
    var matcher = ADDRESS.matcher(url);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    var pull = matcher.group("pull");
    return Optional.of(
        new PullRequestAddress(
            matcher.group("authority").toLowerCase(Locale.ROOT),
            matcher.group("path").toLowerCase(Locale.ROOT),
            pull == null
                ? "refs/merge-requests/" + matcher.group("merge") + "/head"
                : "refs/pull/" + pull + "/head"));
  }

  /// Whether the request belongs to the repository. The port is ignored for `ssh`, which has
  /// another port than the web interface.
  boolean isIn(Repository repository) {
    var remote = REMOTE.matcher(repository.url());
    if (!remote.matches() || !path.equals(plain(remote.group("path")))) {
      return false;
    }
    var isWeb = remote.group("scheme") != null && remote.group("scheme").startsWith("http");
    var there = remote.group("host") == null ? remote.group("authority") : remote.group("host");
    return isWeb
        ? authority.equals(there.toLowerCase(Locale.ROOT))
        : host(authority).equals(host(there.toLowerCase(Locale.ROOT)));
  }

  private static String plain(String path) {
    return path.toLowerCase(Locale.ROOT).replaceAll("(?<!/)/+$", "").replaceAll("\\.git$", "");
  }

  private static String host(String authority) {
    return authority.replaceAll(":\\d+$", "");
  }
}
