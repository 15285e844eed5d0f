package dev.runnel.service.output;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Finds URLs of pull and merge requests in text, on any host: of GitHub and Gitea, GitLab, Azure
/// DevOps, and Bitbucket.
final class PullRequests {
  private static final Pattern ADDRESS =
      Pattern.compile(
          "https?://[A-Za-z0-9.:-]+/"
              + "(?:[\\w.-]+/[\\w.-]+/pulls?/\\d+|(?:[\\w.-]+/)+-/merge_requests/\\d+"
              + "|(?:[\\w.%-]+/)*_git/[\\w.%-]+/pullrequest/\\d+"
              + "|(?:[\\w.-]+|(?:projects|users)/[\\w.~-]+/repos)/[\\w.-]+/pull-requests/\\d+)"
              + "(?![\\w-])");

  private PullRequests() {}

  static List<String> in(String text) {
    return ADDRESS.matcher(text).results().map(MatchResult::group).distinct().toList();
  }
}
