package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.IssueComments;
import dev.runnel.surface.kit.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The notes of one issue or merge request on GitLab.
record GitLabComments(GitLabApi api, GitLabIssue issue, BotAccount account)
    implements IssueComments {
  @Override
  public ApiResult add(String text) {
    return api.note(issue, text);
  }

  @Override
  public ApiResult edit(long comment, String text) {
    return api.edit(issue, comment, text);
  }

  /// GitLab cannot filter notes by time; the newest come first.
  @Override
  public ApiResult since(Instant since, int page) {
    return api.notes(issue, page);
  }

  @Override
  public int pageSize() {
    return GitLabApi.PAGE;
  }

  @Override
  public String textMember() {
    return "body";
  }

  @Override
  public boolean mayBeOurs(JsonNode comment) {
    return Json.text(comment.path("author"), "username").filter(account::mayBe).isPresent();
  }

  @Override
  public ApiResult react(long comment) {
    return api.award(issue, comment, "eyes");
  }

  /// Everybody sees labels, so an internal conversation sets none.
  @Override
  public ApiResult label(Optional<String> on, List<String> off) {
    return issue.internal() ? api.issue(issue) : api.label(issue, on, off);
  }

  @Override
  public PostRef ref(long comment) {
    return issue.note(comment);
  }

  @Override
  public Optional<Long> comment(PostRef ref) {
    return GitLabIssue.noteId(ref);
  }
}
