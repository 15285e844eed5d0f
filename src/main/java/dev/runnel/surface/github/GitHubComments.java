package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.IssueComments;
import dev.runnel.surface.kit.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The comments of one issue on GitHub.
record GitHubComments(GitHubApi api, IssueKey issue, BotAccount account) implements IssueComments {
  @Override
  public ApiResult add(String text) {
    return api.comment(issue, text);
  }

  @Override
  public ApiResult edit(long comment, String text) {
    return api.edit(issue, comment, text);
  }

  @Override
  public ApiResult since(Instant since, int page) {
    return api.comments(issue, since, page);
  }

  @Override
  public int pageSize() {
    return GitHubApi.PAGE;
  }

  @Override
  public String textMember() {
    return "body";
  }

  @Override
  public boolean mayBeOurs(JsonNode comment) {
    return Json.text(comment.path("user"), "login").filter(account::mayBe).isPresent();
  }

  @Override
  public ApiResult react(long comment) {
    return react(issue.comment(comment));
  }

  @Override
  public ApiResult react(PostRef ref) {
    return api.react(issue, issue.path(ref).orElseThrow(), "eyes");
  }

  /// Also true for a pull request review comment; a review as a whole accepts no reactions.
  @Override
  public boolean isComment(PostRef ref) {
    return comment(ref).or(() -> IssueKey.lineCommentId(ref)).isPresent();
  }

  @Override
  public ApiResult label(Optional<String> on, List<String> off) {
    var now = api.labels(issue);
    if (!(now instanceof ApiResult.Done(var labels))) {
      return now;
    }
    for (var label : Json.texts(labels, "name")) {
      if (off.stream().anyMatch(label::equalsIgnoreCase)) {
        var removed = api.removeLabel(issue, label);
        if (!(removed instanceof ApiResult.Done)) {
          return removed;
        }
      }
    }
    return on.map(label -> api.addLabel(issue, label)).orElse(now);
  }

  @Override
  public PostRef ref(long comment) {
    return issue.comment(comment);
  }

  @Override
  public Optional<Long> comment(PostRef ref) {
    return IssueKey.commentId(ref);
  }
}
