package dev.runnel.surface.jira;

import dev.runnel.core.model.Background;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import dev.runnel.surface.kit.SaidBefore;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Reads an issue's history for the agent: the issue itself, and the comments of people who may
/// start runs. Restricted comments are left out, because everybody can read the agent's answer.
final class JiraBackground {
  private final JiraApi api;
  private final JiraAccessCheck door;
  private final JiraPayloads payloads;
  private final URI url;

  JiraBackground(JiraApi api, JiraAccessCheck door, JiraPayloads payloads, URI url) {
    this.api = api;
    this.door = door;
    this.payloads = payloads;
    this.url = url;
  }

  Background read(JiraIssue key, Delivery delivery) {
    try {
      if (!(api.issue(key) instanceof ApiResult.Done(var issue))) {
        throw new IOException(key + " cannot be read");
      }
      var fields = issue.path("fields");
      var request = delivery.origin().message().flatMap(JiraIssue::commentId);
      Map<String, Boolean> heard = new HashMap<>();
      var said = new SaidBefore(delivery);
      for (var comment :
          Pages.read(page -> api.comments(key, page), JiraApi.PAGE, _ -> said.isFull())) {
        var author = api.site().person(comment.path("author"));
        var isRequest = request.isPresent() && JiraComments.id(comment).equals(request);
        if (author.isEmpty() || isRequest || isOurs(key, comment)) {
          continue;
        }
        var id = author.get().id();
        if (!heard.containsKey(id)) {
          heard.put(id, door.mayAsk(key, id));
        }
        var at = JiraSite.time(comment, "created").orElse(Instant.EPOCH);
        said.take(
            author.get().name(),
            at,
            JiraSite.time(comment, "updated").orElse(at),
            JiraSite.markdown(comment.path("body"), payloads::called),
            Objects.requireNonNull(heard.get(id)) && !JiraPayloads.isRestricted(comment),
            // Our posts have no marker in their text.
            false);
      }
      var then = delivery.snapshot();
      return new Background(
              "Jira issue " + key,
              then.title().or(() -> Json.text(fields, "summary").map(SaidBefore::title)),
              then.body()
                  .orElseGet(
                      () ->
                          SaidBefore.description(
                              JiraSite.markdown(fields.path("description"), payloads::called))),
              Json.strings(fields.path("labels")),
              Optional.of(URI.create(url + "/browse/" + key)),
              said.said(),
              said.omitted())
          .without(said.leftOut(delivery, JiraSite.time(fields, "updated")));
    } catch (Pages.Waits waits) {
      throw new BackgroundUnavailable(waits.why(), waits);
    } catch (IOException unread) {
      throw new BackgroundUnavailable(key + " cannot be read", unread);
    }
  }

  /// Our posts have a marker, whichever token posted them.
  private boolean isOurs(JiraIssue key, com.fasterxml.jackson.databind.JsonNode comment)
      throws Pages.Waits {
    var isByUs = api.site().account(comment.path("author")).filter(payloads::isAccount);
    var id = JiraComments.id(comment);
    if (isByUs.isEmpty() || id.isEmpty()) {
      return false;
    }
    return switch (api.marker(key, id.get())) {
      case ApiResult.Done _ -> true;
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone _, ApiResult.Refused _ -> false;
    };
  }
}
