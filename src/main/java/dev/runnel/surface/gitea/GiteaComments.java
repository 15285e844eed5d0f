package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.IssueComments;
import dev.runnel.surface.kit.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The comments of one issue on Gitea.
record GiteaComments(GiteaApi api, GiteaIssue issue, BotAccount account) implements IssueComments {
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
    return api.comments(issue, since);
  }

  /// The list has one page only.
  @Override
  public int pageSize() {
    return Integer.MAX_VALUE;
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
    return api.react(issue, comment, "eyes");
  }

  /// Gitea removes labels by their ids, and adds only labels that the repository has.
  @Override
  public ApiResult label(Optional<String> on, List<String> off) {
    var now = api.labels(issue);
    if (!(now instanceof ApiResult.Done(var labels))) {
      return now;
    }
    for (var label : labels) {
      var name = Json.text(label, "name").orElse("");
      var id = Json.id(label, "id");
      if (id.isPresent() && off.stream().anyMatch(name::equalsIgnoreCase)) {
        var removed = api.removeLabel(issue, id.get());
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
    return GiteaIssue.commentId(ref);
  }
}
