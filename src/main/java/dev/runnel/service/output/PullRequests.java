package dev.runnel.service.output;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds URLs of pull and merge requests in text, on any host: of GitHub and Gitea, GitLab, Azure
/// DevOps, and Bitbucket. Takes time proportional to the length of the text.
final class PullRequests {
  private static final String SCHEME = "http";
  private static final int MAX_SEGMENTS = 40;

  /// Possessive and limited, because it reads what anybody can write.
  private static final Pattern ADDRESS =
      Pattern.compile(
          "https?://[A-Za-z0-9.:-]{1,255}+(?:/[\\w.%~-]{1,255}+){4," + MAX_SEGMENTS + "}+");

  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}+(?![\\w-])");

  private PullRequests() {}

  static List<String> in(CharSequence text) {
    var found = new LinkedHashSet<String>();
    var matcher = ADDRESS.matcher(text);
    for (int from = 0; matcher.find(from); ) {
      var address = pullRequest(matcher.group());
      address.ifPresent(found::add);
      // Another address may begin within one that is not of a pull request.
      from = address.isPresent() ? matcher.end() : matcher.start() + SCHEME.length();
    }
    return List.copyOf(found);
  }

  /// The beginning of an address that names a pull request.
  private static Optional<String> pullRequest(String address) {
    var host = address.indexOf("://") + "://".length();
    var path = address.indexOf('/', host) + 1;
    var segments = List.of(address.substring(path).split("/"));
    var end = path;
    for (int i = 0; i < segments.size(); i++) {
      var segment = segments.get(i);
      var number = NUMBER.matcher(segment);
      if (isBeforeNumber(segments.subList(0, i)) && number.lookingAt()) {
        return Optional.of(address.substring(0, end + number.end()));
      }
      end += segment.length() + 1;
    }
    return Optional.empty();
  }

  /// Whether the next part of the path is the number of a pull request.
  private static boolean isBeforeNumber(List<String> path) {
    if (path.isEmpty()) {
      return false;
    }
    var before = path.size() - 1;
    return switch (path.getLast()) {
      case "pull", "pulls" -> before == 2;
      case "merge_requests" -> before >= 2 && path.get(before - 1).equals("-");
      case "pullrequest" -> before >= 2 && path.get(before - 2).equals("_git");
      case "pull-requests" ->
          before == 2
              || (before == 4
                  && (path.getFirst().equals("projects") || path.getFirst().equals("users"))
                  && path.get(2).equals("repos"));
      default -> false;
    };
  }
}
