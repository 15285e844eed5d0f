package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.SaidBefore;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.StreamSupport;

/// Reads what was said on an issue before: the issue itself, and the comments of people who belong
/// to the repository. The newest comments are kept where not all have room; the others are counted.
final class GitHubBackground {
  private static final int MOST_PAGES = 5;

  private final GitHubApi api;

  GitHubBackground(GitHubApi api) {
    this.api = api;
  }

  Background read(IssueKey key, Delivery delivery) {
    var issue = asked(api.issue(key));
    var comments = comments(key, issue.path("comments").asInt(), delivery);
    return new Background(
        (Json.isThere(issue, "pull_request") ? "GitHub pull request " : "GitHub issue ") + key,
        Json.text(issue, "title").map(SaidBefore::title),
        SaidBefore.description(Json.text(issue, "body").orElse("")),
        Json.texts(issue.path("labels"), "name"),
        Json.link(issue, "html_url"),
        comments.said(),
        comments.omitted());
  }

  /// Goes backwards through the comments, from the newest on.
  private SaidBefore comments(IssueKey key, int count, Delivery delivery) {
    var request = delivery.origin().message().flatMap(IssueKey::commentId);
    var before = new SaidBefore();
    var pages = (count + GitHubApi.PAGE - 1) / GitHubApi.PAGE;
    var page = pages;
    while (page > 0 && page > pages - MOST_PAGES && !before.isFull()) {
      var said = StreamSupport.stream(asked(api.comments(key, page)).spliterator(), false).toList();
      said.reversed().forEach(comment -> take(before, comment, request));
      page--;
    }
    before.leaveOut(page * GitHubApi.PAGE);
    return before;
  }

  private static void take(SaidBefore before, JsonNode comment, Optional<Long> request) {
    var author = People.person(comment.path("user"));
    var isRequest = request.isPresent() && Json.id(comment, "id").equals(request);
    if (!isRequest && author.isPresent()) {
      before.take(
          author.get().name(),
          Json.instant(comment, "created_at").orElse(Instant.EPOCH),
          Json.text(comment, "body").orElse(""),
          People.mayAsk(comment));
    }
  }

  private static JsonNode asked(ApiResult result) {
    return switch (result) {
      case ApiResult.Done(var body) -> body;
      case ApiResult.Busy(_, var why) -> throw unavailable(why);
      case ApiResult.Gone(var why) -> throw unavailable(why);
      case ApiResult.Refused(var why) -> throw unavailable(why);
    };
  }

  private static BackgroundUnavailable unavailable(String why) {
    return new BackgroundUnavailable(why, new IOException(why));
  }
}
