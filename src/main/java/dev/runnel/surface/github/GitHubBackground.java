package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.SaidBefore;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.StreamSupport;

/// Reads an issue's history for the agent: the issue itself, and the comments of people who belong
/// to the repository. If not all fit, the newest comments are kept and the others counted.
final class GitHubBackground {
  private static final int MAX_PAGES = 5;

  private final GitHubApi api;
  private final BotAccount account;

  GitHubBackground(GitHubApi api, BotAccount account) {
    this.api = api;
    this.account = account;
  }

  Background read(IssueKey key, Delivery delivery) {
    var issue = asked(api.issue(key));
    var said = new SaidBefore(delivery);
    var unread = comments(key, issue.path("comments").asInt(), delivery, said);
    var then = delivery.snapshot();
    return new Background(
            (Json.isThere(issue, "pull_request") ? "GitHub pull request " : "GitHub issue ") + key,
            then.title().or(() -> Json.text(issue, "title").map(SaidBefore::title)),
            then.body()
                .orElseGet(() -> SaidBefore.description(Json.text(issue, "body").orElse(""))),
            Json.texts(issue.path("labels"), "name"),
            Json.link(issue, "html_url"),
            said.said(),
            said.omitted() + unread)
        .without(said.leftOut(delivery, Json.instant(issue, "updated_at")));
  }

  /// Reads the comments from the newest to the oldest.
  ///
  /// @return the number of comments that were not read
  private int comments(IssueKey key, int count, Delivery delivery, SaidBefore before) {
    var request = delivery.origin().message().flatMap(IssueKey::commentId);
    var pages = (count + GitHubApi.PAGE - 1) / GitHubApi.PAGE;
    var page = pages;
    while (page > 0 && page > pages - MAX_PAGES && !before.isFull()) {
      var said = StreamSupport.stream(asked(api.comments(key, page)).spliterator(), false).toList();
      said.reversed().forEach(comment -> take(before, comment, request));
      page--;
    }
    return page * GitHubApi.PAGE;
  }

  private void take(SaidBefore before, JsonNode comment, Optional<Long> request) {
    var author = AuthorPolicy.person(comment.path("user"));
    var isRequest = request.isPresent() && Json.id(comment, "id").equals(request);
    if (!isRequest && author.isPresent()) {
      var at = Json.instant(comment, "created_at").orElse(Instant.EPOCH);
      before.take(
          author.get().name(),
          at,
          Json.instant(comment, "updated_at").orElse(at),
          Json.text(comment, "body").orElse(""),
          AuthorPolicy.mayAsk(comment),
          account.mayBe(author.get().name()));
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
