package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.SaidBefore;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;

/// Reads an issue's history for the agent: the issue itself, and the latest comments of people who
/// may start runs.
final class LinearBackground {
  private final LinearApi api;
  private final LinearAccessCheck door;
  private final LinearAccount account;

  LinearBackground(LinearApi api, LinearAccessCheck door, LinearAccount account) {
    this.api = api;
    this.door = door;
    this.account = account;
  }

  Background read(Delivery delivery) {
    var id = delivery.conversation().key();
    if (!(api.issue(id) instanceof ApiResult.Done(var issue))) {
      var why = "The issue " + id + " cannot be read";
      throw new BackgroundUnavailable(why, new IOException(why));
    }
    var said = new SaidBefore(delivery);
    var request = delivery.origin().message().flatMap(LinearId::comment);
    issue
        .path("comments")
        .path("nodes")
        .valueStream()
        .sorted(Comparator.comparing(LinearBackground::at).reversed())
        .filter(comment -> request.isEmpty() || !Json.text(comment, "id").equals(request))
        .forEach(comment -> take(said, comment));
    var then = delivery.snapshot();
    return new Background(
            "Linear issue " + Json.text(issue, "identifier").orElse(id),
            then.title().or(() -> Json.text(issue, "title").map(SaidBefore::title)),
            then.body()
                .orElseGet(
                    () -> SaidBefore.description(Json.text(issue, "description").orElse(""))),
            Json.texts(issue.path("labels").path("nodes"), "name"),
            Json.link(issue, "url"),
            said.said(),
            said.omitted())
        .without(said.leftOut(delivery, Json.instant(issue, "updatedAt")));
  }

  private void take(SaidBefore said, JsonNode comment) {
    var user = comment.path("user");
    said.take(
        LinearPayloads.person(user).map(person -> person.name()).orElse("Somebody"),
        at(comment),
        Json.instant(comment, "updatedAt").orElse(at(comment)),
        HiddenMarker.show(Json.text(comment, "body").orElse("")),
        door.isHeard(user),
        account.mayBe(Json.text(user, "id")));
  }

  private static Instant at(JsonNode comment) {
    return Json.instant(comment, "createdAt").orElse(Instant.EPOCH);
  }
}
