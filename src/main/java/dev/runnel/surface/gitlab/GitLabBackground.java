package dev.runnel.surface.gitlab;

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
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/// Reads an issue's history for the agent: the issue itself, and the notes of people with the
/// required role. Internal notes are included only if the request was made in one, or if the whole
/// issue is confidential, because the answer is posted where the request was made.
final class GitLabBackground {
  private final GitLabApi api;
  private final GitLabAccessCheck door;
  private final BotAccount account;

  GitLabBackground(GitLabApi api, GitLabAccessCheck door, BotAccount account) {
    this.api = api;
    this.door = door;
    this.account = account;
  }

  Background read(GitLabIssue key, Delivery delivery) {
    try {
      if (!(api.issue(key) instanceof ApiResult.Done(var issue))) {
        throw new IOException(key.name() + " cannot be read");
      }
      var all = key.internal() || issue.path("confidential").asBoolean();
      var request = delivery.origin().message().flatMap(GitLabIssue::noteId);
      Map<String, Boolean> heard = new HashMap<>();
      var said = new SaidBefore(delivery);
      for (var note :
          Pages.read(page -> api.notes(key, page), GitLabApi.PAGE, _ -> said.isFull())) {
        var author = GitLabPayloads.person(note.path("author"));
        var isRequest = request.isPresent() && Json.id(note, "id").equals(request);
        var isHidden = note.path("internal").asBoolean() || note.path("confidential").asBoolean();
        if (author.isEmpty() || isRequest || note.path("system").asBoolean()) {
          continue;
        }
        var username = author.get().id();
        if (!heard.containsKey(username)) {
          heard.put(username, door.mayAsk(key, username));
        }
        var at = Json.instant(note, "created_at").orElse(Instant.EPOCH);
        said.take(
            author.get().name(),
            at,
            Json.instant(note, "updated_at").orElse(at),
            Json.text(note, "body").orElse(""),
            Objects.requireNonNull(heard.get(username)) && (all || !isHidden),
            account.mayBe(username));
      }
      var then = delivery.snapshot();
      return new Background(
              "GitLab " + key.kind().thing() + " " + key.name(),
              then.title().or(() -> Json.text(issue, "title").map(SaidBefore::title)),
              then.body()
                  .orElseGet(
                      () -> SaidBefore.description(Json.text(issue, "description").orElse(""))),
              Json.strings(issue.path("labels")),
              Json.link(issue, "web_url"),
              said.said(),
              said.omitted())
          .without(said.leftOut(delivery, Json.instant(issue, "updated_at")));
    } catch (Pages.Waits waits) {
      throw new BackgroundUnavailable(waits.why(), waits);
    } catch (IOException unread) {
      throw new BackgroundUnavailable(key.name() + " cannot be read", unread);
    }
  }
}
