package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Finds missed comments and label changes in the repositories of the latest runs, because Gitea
/// never redelivers a webhook.
final class GiteaMissedDeliveries {
  private static final int MAX_REPOSITORIES = 20;
  private static final int MAX_ISSUES = 30;

  private final SurfaceId surface;
  private final GiteaApi api;
  private final GiteaPayloads payloads;
  private final InstantSource clock;

  GiteaMissedDeliveries(
      SurfaceId surface, GiteaApi api, GiteaPayloads payloads, InstantSource clock) {
    this.surface = surface;
    this.api = api;
    this.payloads = payloads;
    this.clock = clock;
  }

  MissedDeliveries since(Instant since, List<Conversation> conversations) {
    var repositories =
        conversations.stream()
            .flatMap(each -> GiteaIssue.of(each).stream())
            .map(GiteaIssue::repository)
            .distinct()
            .limit(MAX_REPOSITORIES)
            .toList();
    var heard = new ArrayList<MissedDeliveries.Heard>();
    var unread = new ArrayList<String>();
    try {
      for (var repository : repositories) {
        var issues =
            Pages.read(
                page -> api.issues(repository, since, page),
                GiteaApi.PAGE,
                _ -> false,
                unread::add);
        for (var issue : issues.stream().limit(MAX_ISSUES).toList()) {
          hear(heard, unread, repository, issue, since);
        }
      }
    } catch (Pages.Waits waits) {
      return new MissedDeliveries.Unknown(waits.after(), waits.why());
    }
    heard.sort(Comparator.comparing(MissedDeliveries.Heard::at));
    return new MissedDeliveries.Said(heard, unread.stream().findFirst());
  }

  private void hear(
      List<MissedDeliveries.Heard> heard,
      List<String> unread,
      String repository,
      JsonNode issue,
      Instant since)
      throws Pages.Waits {
    var key = Json.number(issue, "number").flatMap(number -> GiteaIssue.of(repository, number));
    if (key.isEmpty()) {
      return;
    }
    for (var comment :
        Pages.read(
            _ -> api.comments(key.get(), since), Integer.MAX_VALUE, _ -> false, unread::add)) {
      var payload = payload("created", repository, comment, issue);
      payload.set("comment", comment);
      hear(heard, "issue_comment", payload, comment, since);
    }
    for (var event :
        Pages.read(
            page -> api.timeline(key.get(), since, page), GiteaApi.PAGE, _ -> false, unread::add)) {
      payload(repository, issue, event)
          .ifPresent(payload -> hear(heard, "issues", payload, event, since));
    }
  }

  /// The payload that the missed event would have had.
  private static Optional<ObjectNode> payload(String repository, JsonNode issue, JsonNode event) {
    ObjectNode then = issue.deepCopy();
    then.set("updated_at", event.path("created_at"));
    return switch (Json.text(event, "type").orElse("")) {
      case "label" -> {
        var payload = payload("label_updated", repository, event, then);
        var isAdded = Json.text(event, "body").equals(Optional.of("1"));
        var changed = isAdded ? "added_labels" : "removed_labels";
        payload.putObject("changes").putArray(changed).add(event.path("label"));
        if (isAdded) {
          then.withArray("labels").add(event.path("label"));
        }
        yield Optional.of(payload);
      }
      case "assignees" -> {
        var isRemoved = event.path("removed_assignee").asBoolean();
        if (!isRemoved) {
          then.withArray("assignees").add(event.path("assignee"));
        }
        yield Optional.of(payload(isRemoved ? "unassigned" : "assigned", repository, event, then));
      }
      case "close" -> Optional.of(payload("closed", repository, event, then));
      default -> Optional.empty();
    };
  }

  /// @param dated the event, with its `id`, `created_at` and `user`
  private void hear(
      List<MissedDeliveries.Heard> heard,
      String event,
      ObjectNode payload,
      JsonNode dated,
      Instant since) {
    var at = Json.instant(dated, "created_at").filter(it -> !it.isBefore(since));
    var id = Json.id(dated, "id").map(it -> "caught-up-" + event + "-" + it);
    if (at.isPresent() && id.isPresent()) {
      payloads
          .read(event, DeliveryId.of(surface, id.get()), payload, clock.instant())
          .ifPresent(
              said ->
                  heard.add(new MissedDeliveries.Heard(said, at.get(), payload.has("comment"))));
    }
  }

  private static ObjectNode payload(
      String action, String repository, JsonNode dated, JsonNode issue) {
    var payload = JsonNodeFactory.instance.objectNode().put("action", action);
    payload.putObject("repository").put("full_name", repository);
    payload.set("sender", dated.path("user"));
    payload.set("issue", issue);
    payload.put("is_pull", Json.isThere(issue, "pull_request"));
    return payload;
  }
}
