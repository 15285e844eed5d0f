package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Background.Said;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Markdown;
import dev.runnel.surface.kit.Marker;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/// Reads what was said on an issue before: the issue itself, and the comments of people who belong
/// to the repository. The newest comments are kept where not all have room; the others are counted.
final class GitHubBackground {
  private static final int LONGEST_SAID = 40_000;
  private static final int LONGEST_COMMENT = 8_000;
  private static final int LONGEST_BODY = 40_000;
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
        Json.text(issue, "title").map(title -> Markdown.line(title, LONGEST_COMMENT)),
        Markdown.cut(
            Markdown.text(Markdown.seen(Json.text(issue, "body").orElse(""))), LONGEST_BODY),
        StreamSupport.stream(issue.path("labels").spliterator(), false)
            .flatMap(label -> Json.text(label, "name").stream())
            .toList(),
        Json.link(issue, "html_url"),
        List.copyOf(comments.kept),
        comments.omitted);
  }

  /// Goes backwards through the comments, from the newest on.
  private Comments comments(IssueKey key, int count, Delivery delivery) {
    var comments = new Comments(delivery);
    var pages = (count + GitHubApi.PAGE - 1) / GitHubApi.PAGE;
    var page = pages;
    while (page > 0 && page > pages - MOST_PAGES && !comments.isFull()) {
      var said = StreamSupport.stream(asked(api.comments(key, page)).spliterator(), false).toList();
      said.reversed().forEach(comments::take);
      page--;
    }
    comments.omitted += page * GitHubApi.PAGE;
    return comments;
  }

  private static final class Comments {
    private final Optional<Long> request;
    private final Deque<Said> kept = new ArrayDeque<>();
    private int room = LONGEST_SAID;
    private int omitted;

    Comments(Delivery delivery) {
      request = delivery.origin().message().flatMap(IssueKey::commentId);
    }

    boolean isFull() {
      return room <= 0;
    }

    void take(JsonNode comment) {
      var body = Json.text(comment, "body").orElse("");
      var author = People.person(comment.path("user"));
      var isRequest = request.isPresent() && Json.id(comment, "id").equals(request);
      if (isRequest || author.isEmpty() || Marker.isIn(body)) {
        return;
      }
      if (!People.mayAsk(comment)) {
        omitted++;
        return;
      }
      var text = Markdown.cut(Markdown.text(Markdown.seen(body)), LONGEST_COMMENT);
      if (text.isEmpty()) {
        return;
      }
      room -= text.length();
      if (room < 0) {
        room = 0;
        omitted++;
        return;
      }
      kept.addFirst(
          new Said(
              author.get().name(),
              Json.instant(comment, "created_at").orElse(Instant.EPOCH),
              text));
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
