package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.gitlab.GitLabIssue.Kind;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.IssueCancelTrigger;
import dev.runnel.surface.kit.IssueRules;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.SaidBefore;
import dev.runnel.surface.kit.TrackerSettings;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Parses a webhook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a payload
/// that it cannot read is ignored.
final class GitLabPayloads {
  private final SurfaceId surface;
  private final IssueRules rules;
  private final BotAccount account;

  GitLabPayloads(SurfaceId surface, TrackerSettings settings, BotAccount account) {
    this.surface = surface;
    this.rules = new IssueRules(settings);
    this.account = account;
  }

  private record Said(
      DeliveryId id, Actor sender, String project, JsonNode payload, Instant arrivedAt) {
    JsonNode attributes() {
      return payload.path("object_attributes");
    }

    JsonNode changes() {
      return payload.path("changes");
    }

    Optional<String> title() {
      return Json.text(attributes(), "title");
    }

    boolean isOpen() {
      return Json.text(attributes(), "state").equals(Optional.of("opened"));
    }
  }

  /// The account as an actor, if there is one.
  static Optional<Actor> person(JsonNode user) {
    return Json.text(user, "username")
        .map(username -> new Actor(username, Json.text(user, "name").orElse(username)));
  }

  /// @return empty when the event does not concern Runnel
  Optional<Delivery> read(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var sender = person(payload.path("user"));
    var project = Json.text(payload.path("project"), "path_with_namespace");
    if (sender.isEmpty() || project.isEmpty()) {
      return Optional.empty();
    }
    var said = new Said(id, sender.get(), project.get(), payload, arrivedAt);
    return switch (Json.text(payload, "object_kind").orElse("")) {
      case "issue" -> issue(said, Kind.ISSUE);
      case "merge_request" -> issue(said, Kind.MERGE_REQUEST);
      case "note" -> note(said);
      default -> Optional.empty();
    };
  }

  private Optional<Delivery> issue(Said said, Kind kind) {
    return Json.number(said.attributes(), "iid")
        .flatMap(number -> GitLabIssue.of(said.project(), kind, number, false))
        .flatMap(
            key ->
                switch (Json.text(said.attributes(), "action").orElse("")) {
                  case "open" -> opened(said, key);
                  case "update" -> updated(said, key);
                  case "close" -> ended(said, key, IssueCancelTrigger.CLOSE);
                  case "merge" -> ended(said, key, IssueCancelTrigger.DONE);
                  default -> Optional.empty();
                });
  }

  /// A new issue may have its label and its assignee from the start.
  private Optional<Delivery> opened(Said said, GitLabIssue key) {
    return relabelled(said, key, List.of(), Json.texts(said.payload().path("labels"), "title"))
        .or(
            () ->
                reassigned(
                    said,
                    key,
                    List.of(),
                    Json.texts(said.payload().path("assignees"), "username")));
  }

  /// GitLab sends labels and assignees as they were before and as they are now.
  private Optional<Delivery> updated(Said said, GitLabIssue key) {
    var labels = said.changes().path("labels");
    var assignees = said.changes().path("assignees");
    return relabelled(
            said,
            key,
            Json.texts(labels.path("previous"), "title"),
            Json.texts(labels.path("current"), "title"))
        .or(
            () ->
                reassigned(
                    said,
                    key,
                    Json.texts(assignees.path("previous"), "username"),
                    Json.texts(assignees.path("current"), "username")));
  }

  private Optional<Delivery> relabelled(
      Said said, GitLabIssue key, List<String> before, List<String> after) {
    return rules
        .relabelled(before, after, said.title(), key.kind().thing(), said.isOpen())
        .map(
            intent ->
                changed(said, key, intent instanceof Intent.Start ? "label" : "unlabel", intent));
  }

  private Optional<Delivery> reassigned(
      Said said, GitLabIssue key, List<String> before, List<String> after) {
    var was = before.stream().anyMatch(account::is);
    var is = after.stream().anyMatch(account::is);
    if (is && !was && said.isOpen()) {
      return Optional.of(
          changed(said, key, "assign", rules.assigned(said.title(), key.kind().thing())));
    }
    return was && !is ? ended(said, key, IssueCancelTrigger.UNASSIGN) : Optional.empty();
  }

  private Optional<Delivery> ended(
      Said said, GitLabIssue key, IssueCancelTrigger issueCancelTrigger) {
    return rules
        .ended(issueCancelTrigger, key.kind().thing())
        .map(intent -> changed(said, key, issueCancelTrigger.word(), intent));
  }

  /// Only a start is addressed to Runnel: without an active run, a stop that nobody asked for does
  /// nothing.
  private Delivery changed(Said said, GitLabIssue key, String what, Intent intent) {
    var at = Json.text(said.attributes(), "updated_at").orElse(said.id().value());
    return new Delivery(
            said.id(),
            what + " " + key + " " + at,
            key.in(surface),
            said.sender(),
            intent,
            intent instanceof Intent.Start,
            new Origin(
                Json.link(said.attributes(), "url"), Optional.empty(), Optional.empty(), false),
            said.arrivedAt())
        .about(
            SaidBefore.snapshot(
                Json.instant(said.attributes(), "updated_at"),
                said.title(),
                Json.whole(said.attributes(), "description")));
  }

  private Optional<Delivery> note(Said said) {
    var note = said.attributes();
    var target =
        switch (Json.text(note, "noteable_type").orElse("")) {
          case "Issue" -> Optional.of(Kind.ISSUE);
          case "MergeRequest" -> Optional.of(Kind.MERGE_REQUEST);
          default -> Optional.<Kind>empty();
        };
    var key = target.flatMap(kind -> key(said, kind));
    var text = Json.text(note, "note");
    var id = Json.id(note, "id");
    // Before GitLab 16.11 there is no action, and edits are not delivered.
    var isNew = Json.text(note, "action").orElse("create").equals("create");
    if (key.isEmpty()
        || text.isEmpty()
        || id.isEmpty()
        || !isNew
        || note.path("system").asBoolean()) {
      return Optional.empty();
    }
    return rules
        .said(text.get())
        .map(
            intent ->
                new Delivery(
                        said.id(),
                        "note " + id.get() + " created",
                        key.get().in(surface),
                        said.sender(),
                        intent,
                        true,
                        new Origin(
                            Json.link(note, "url"),
                            Optional.empty(),
                            Optional.of(key.get().note(id.get())),
                            false),
                        said.arrivedAt())
                    .about(
                        SaidBefore.snapshot(
                            Json.instant(note, "created_at"),
                            Json.text(noted(said, target.get()), "title"),
                            Json.whole(noted(said, target.get()), "description"))));
  }

  private static JsonNode noted(Said said, Kind kind) {
    return said.payload().path(kind == Kind.ISSUE ? "issue" : "merge_request");
  }

  private static Optional<GitLabIssue> key(Said said, Kind kind) {
    var target = noted(said, kind);
    return Json.number(target, "iid")
        .flatMap(number -> GitLabIssue.of(said.project(), kind, number, isInternal(said, target)));
  }

  /// Whether fewer people can read the note than the issue. Servers that do not say so on the note
  /// mark the event as confidential.
  private static boolean isInternal(Said said, JsonNode target) {
    if (target.path("confidential").asBoolean()) {
      return false;
    }
    return said.attributes().path("internal").asBoolean()
        || said.attributes().path("confidential").asBoolean()
        || Json.text(said.payload(), "event_type").equals(Optional.of("confidential_note"));
  }
}
