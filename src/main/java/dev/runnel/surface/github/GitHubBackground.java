package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.run.Background;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.RepositoryIssue;

/// Reads an issue's history for the agent: the issue itself, and the comments of people who belong
/// to the repository. If not all fit, the newest comments are kept and the others counted.
record GitHubBackground(GitHubApi api) {
  private static final int MAX_PAGES = 5;

  Background read(RepositoryIssue key, Delivery delivery) {
    var issue = api.issue(key).required();
    var earlier = new EarlierComments(delivery);
    earlier.omit(comments(key, issue.path("comments").asInt(), earlier));
    return earlier.background(
        (Json.isThere(issue, "pull_request") ? "GitHub pull request " : "GitHub issue ") + key,
        Json.text(issue, "title"),
        Json.text(issue, "body").orElse(""),
        Json.texts(issue.path("labels"), "name"),
        Json.link(issue, "html_url"),
        Json.instant(issue, "updated_at"));
  }

  /// Reads the comments from the newest to the oldest.
  ///
  /// @return the number of comments that were not read
  private int comments(RepositoryIssue key, int count, EarlierComments earlier) {
    var pages = (count + GitHubApi.PAGE - 1) / GitHubApi.PAGE;
    var page = pages;
    while (page > 0 && page > pages - MAX_PAGES && !earlier.isFull()) {
      var comments = api.comments(key, page).required().valueStream().toList();
      comments.reversed().forEach(comment -> addComment(earlier, key, comment));
      page--;
    }
    return page * GitHubApi.PAGE;
  }

  private void addComment(EarlierComments earlier, RepositoryIssue key, JsonNode comment) {
    AuthorPolicy.person(comment.path("user"))
        .ifPresent(
            author ->
                earlier.add(
                    EarlierComments.Comment.of(api.ref(key, comment), author, comment),
                    () -> AuthorPolicy.mayAsk(comment),
                    api.account().mayBe(author.name())));
  }
}
