package dev.runnel.surface.gitea;

import dev.runnel.core.model.Background;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import dev.runnel.surface.kit.SaidBefore;
import java.io.IOException;
import java.time.Instant;

/// Reads an issue's history for the agent: the issue itself, and the comments of users with write
/// access to the repository.
final class GiteaBackground {
  private final GiteaApi api;
  private final GiteaAccessCheck door;
  private final BotAccount account;

  GiteaBackground(GiteaApi api, GiteaAccessCheck door, BotAccount account) {
    this.api = api;
    this.door = door;
    this.account = account;
  }

  Background read(GiteaIssue key, Delivery delivery) {
    try {
      if (!(api.issue(key) instanceof ApiResult.Done(var issue))) {
        throw new IOException(key + " cannot be read");
      }
      var said = new SaidBefore(delivery);
      var request = delivery.origin().message().flatMap(GiteaIssue::commentId);
      var writers = door.writers(key);
      for (var comment :
          Pages.read(_ -> api.comments(key), Integer.MAX_VALUE, _ -> false).reversed()) {
        var author = GiteaPayloads.person(comment.path("user"));
        var isRequest = request.isPresent() && Json.id(comment, "id").equals(request);
        var at = Json.instant(comment, "created_at").orElse(Instant.EPOCH);
        if (author.isPresent() && !isRequest) {
          said.take(
              author.get().name(),
              at,
              Json.instant(comment, "updated_at").orElse(at),
              Json.text(comment, "body").orElse(""),
              writers.contains(GiteaAccessCheck.key(author.get().id())),
              account.mayBe(author.get().id()));
        }
      }
      var then = delivery.snapshot();
      return new Background(
              (Json.isThere(issue, "pull_request") ? "Gitea pull request " : "Gitea issue ") + key,
              then.title().or(() -> Json.text(issue, "title").map(SaidBefore::title)),
              then.body()
                  .orElseGet(() -> SaidBefore.description(Json.text(issue, "body").orElse(""))),
              Json.texts(issue.path("labels"), "name"),
              Json.link(issue, "html_url"),
              said.said(),
              said.omitted())
          .without(said.leftOut(delivery, Json.instant(issue, "updated_at")));
    } catch (Pages.Waits waits) {
      throw new BackgroundUnavailable(waits.why(), waits);
    } catch (IOException unread) {
      throw new BackgroundUnavailable(key + " cannot be read", unread);
    }
  }
}
