package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.RestApi;

/// The calls about comments that have the same form in the APIs of GitHub and of Gitea.
public abstract class RepositoryComments implements IssueComments<RepositoryIssue> {
  protected abstract RestApi rest();

  /// The account that posts comments.
  protected abstract BotAccount account();

  protected abstract String path(RepositoryIssue issue);

  protected abstract String path(RepositoryIssue issue, PostRef comment);

  @Override
  public ApiResult add(RepositoryIssue issue, String text) {
    return rest().post(issue, path(issue) + "/comments", Json.object().put("body", text));
  }

  @Override
  public ApiResult edit(RepositoryIssue issue, PostRef comment, String text) {
    return rest().patch(issue, path(issue, comment), Json.object().put("body", text));
  }

  @Override
  public ApiResult react(RepositoryIssue issue, PostRef comment) {
    var reaction = Json.object().put("content", "eyes");
    return rest().post(issue, path(issue, comment) + "/reactions", reaction);
  }

  @Override
  public boolean mayBeOurs(JsonNode comment) {
    return Json.text(comment.path("user"), "login").filter(account()::mayBe).isPresent();
  }
}
