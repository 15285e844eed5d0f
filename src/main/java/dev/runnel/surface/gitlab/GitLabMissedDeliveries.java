package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.gitlab.GitLabIssue.Kind;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Finds missed notes, label changes and closings in the projects of the latest runs, because
/// GitLab soon stops retrying a webhook.
final class GitLabMissedDeliveries {
  private static final int MAX_PROJECTS = 20;
  private static final int MAX_ISSUES = 30;

  private final SurfaceId surface;
  private final GitLabApi api;
  private final GitLabPayloads payloads;
  private final InstantSource clock;

  GitLabMissedDeliveries(
      SurfaceId surface, GitLabApi api, GitLabPayloads payloads, InstantSource clock) {
    this.surface = surface;
    this.api = api;
    this.payloads = payloads;
    this.clock = clock;
  }

  MissedDeliveries since(Instant since, List<Conversation> conversations) {
    var projects =
        conversations.stream()
            .flatMap(each -> GitLabIssue.of(each).stream())
            .map(GitLabIssue::project)
            .distinct()
            .limit(MAX_PROJECTS)
            .toList();
    var heard = new ArrayList<MissedDeliveries.Heard>();
    var unread = new ArrayList<String>();
    try {
      for (var project : projects) {
        for (var kind : Kind.values()) {
          var changed =
              Pages.read(
                  page -> api.changed(project, kind, since, page),
                  GitLabApi.PAGE,
                  _ -> false,
                  unread::add);
          for (var issue : changed.stream().limit(MAX_ISSUES).toList()) {
            hear(heard, unread, project, kind, issue, since);
          }
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
      String project,
      Kind kind,
      JsonNode issue,
      Instant since)
      throws Pages.Waits {
    var number = Json.number(issue, "iid");
    var key = number.flatMap(each -> GitLabIssue.of(project, kind, each, false));
    if (key.isEmpty()) {
      return;
    }
    for (var note :
        Pages.read(
            page -> api.notes(key.get(), page),
            GitLabApi.PAGE,
            each -> isBefore(each, since),
            unread::add)) {
      hear(heard, noted(project, kind, issue, note), note, true, since);
    }
    for (var event :
        Pages.read(
            page -> api.labelEvents(key.get(), page), GitLabApi.PAGE, _ -> false, unread::add)) {
      hear(heard, labelled(project, kind, issue, event), event, false, since);
    }
    for (var event :
        Pages.read(
            page -> api.stateEvents(key.get(), page), GitLabApi.PAGE, _ -> false, unread::add)) {
      hear(heard, ended(project, kind, issue, event), event, false, since);
    }
  }

  private static boolean isBefore(JsonNode dated, Instant since) {
    return Json.instant(dated, "created_at").filter(at -> at.isBefore(since)).isPresent();
  }

  /// @param dated the event, with its `id` and creation time
  private void hear(
      List<MissedDeliveries.Heard> heard,
      ObjectNode payload,
      JsonNode dated,
      boolean sameMeaning,
      Instant since) {
    var at = Json.instant(dated, "created_at").filter(it -> !it.isBefore(since));
    var kind = Json.text(payload.path("object_attributes"), "action").orElse("");
    var id = Json.id(dated, "id").map(it -> "caught-up-" + kind + "-" + it);
    if (at.isPresent() && id.isPresent()) {
      payloads
          .read(DeliveryId.of(surface, id.get()), payload, clock.instant())
          .ifPresent(said -> heard.add(new MissedDeliveries.Heard(said, at.get(), sameMeaning)));
    }
  }

  private static ObjectNode noted(String project, Kind kind, JsonNode issue, JsonNode note) {
    var payload = payload("note", project, note.path("author"));
    var attributes = payload.putObject("object_attributes");
    attributes.put("action", "create");
    attributes.put("noteable_type", kind == Kind.ISSUE ? "Issue" : "MergeRequest");
    attributes.set("id", note.path("id"));
    attributes.set("note", note.path("body"));
    attributes.set("created_at", note.path("created_at"));
    attributes.set("system", note.path("system"));
    attributes.put(
        "internal", note.path("internal").asBoolean() || note.path("confidential").asBoolean());
    payload.set(kind == Kind.ISSUE ? "issue" : "merge_request", issue);
    return payload;
  }

  private static ObjectNode labelled(String project, Kind kind, JsonNode issue, JsonNode event) {
    var payload = happened(project, kind, issue, event, "update");
    var isAdded = Json.text(event, "action").orElse("").equals("add");
    var labels = payload.putObject("changes").putObject("labels");
    var previous = labels.putArray("previous");
    var current = labels.putArray("current");
    var name = Json.text(event.path("label"), "name").orElse("");
    (isAdded ? current : previous).addObject().put("title", name);
    if (!isAdded) {
      Json.strings(issue.path("labels")).stream()
          .filter(each -> !each.equals(name))
          .forEach(each -> current.addObject().put("title", each));
    }
    return payload;
  }

  private static ObjectNode ended(String project, Kind kind, JsonNode issue, JsonNode event) {
    var action =
        switch (Json.text(event, "state").orElse("")) {
          case "closed" -> "close";
          case "merged" -> "merge";
          default -> "other";
        };
    return happened(project, kind, issue, event, action);
  }

  private static ObjectNode happened(
      String project, Kind kind, JsonNode issue, JsonNode event, String action) {
    var payload =
        payload(kind == Kind.ISSUE ? "issue" : "merge_request", project, event.path("user"));
    var attributes = payload.putObject("object_attributes").put("action", action);
    attributes.set("iid", issue.path("iid"));
    attributes.set("title", issue.path("title"));
    attributes.set("state", issue.path("state"));
    attributes.set("updated_at", event.path("created_at"));
    attributes.set("url", issue.path("web_url"));
    return payload;
  }

  private static ObjectNode payload(String objectKind, String project, JsonNode user) {
    var payload = JsonNodeFactory.instance.objectNode().put("object_kind", objectKind);
    payload.putObject("project").put("path_with_namespace", project);
    payload.set("user", user);
    return payload;
  }
}
