package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.json.Projection;
import dev.runnel.surface.gitlab.GitLabIssue.Kind;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.IssueChange;
import dev.runnel.surface.tracker.IssueComments;
import dev.runnel.surface.tracker.IssueEvent;
import dev.runnel.surface.tracker.IssueRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Parses a webhook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a payload
/// that it cannot read is ignored.
record GitLabPayloads(IssueRules rules, BotAccount account) {
  /// All that is read of a payload.
  static final Projection READ =
      Projection.named(
          """
          action assignees changes confidential created_at current default_branch description
          detailed_merge_status draft event_type id iid internal issue labels last_commit
          merge_request name note noteable_type number object_attributes object_kind
          path_with_namespace previous project ref reviewers sha state status system tag
          target_project_id title updated_at url user username web_url work_in_progress
          """);

  private static final Set<String> STATE_ACTIONS = Set.of("open", "reopen", "close", "merge");

  private record Webhook(
      DeliveryId id, Actor sender, String project, JsonNode payload, Instant arrivedAt) {
    JsonNode attributes() {
      return payload.path("object_attributes");
    }

    String action() {
      return Json.text(attributes(), "action").orElse("");
    }

    JsonNode changes() {
      return payload.path("changes");
    }

    Optional<String> title() {
      return Json.text(attributes(), "title");
    }

    boolean isOpen() {
      return isIn("opened");
    }

    boolean isIn(String state) {
      return Json.text(attributes(), "state").equals(Optional.of(state));
    }

    IssueEvent event(GitLabIssue key, Snapshot snapshot) {
      return new IssueEvent(
          id,
          new Conversation(GitLab.ID, key.toString()),
          sender,
          Json.link(attributes(), "url"),
          arrivedAt,
          snapshot);
    }
  }

  /// The account as an actor, if there is one.
  static Optional<Actor> person(JsonNode user) {
    return Json.text(user, "username")
        .map(username -> new Actor(username, Json.text(user, "name").orElse(username)));
  }

  /// @return empty when the event does not concern Runnel
  Optional<Delivery> read(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var kind = Json.text(payload, "object_kind").orElse("");
    if (kind.equals(GitLabPullRequestNeeds.PIPELINE)) {
      return GitLabPullRequestNeeds.failedPipeline(id, payload, arrivedAt);
    }
    var sender = person(payload.path("user"));
    var project = Json.text(payload.path("project"), "path_with_namespace");
    if (sender.isEmpty() || project.isEmpty()) {
      return Optional.empty();
    }
    var webhook = new Webhook(id, sender.get(), project.get(), payload, arrivedAt);
    return switch (kind) {
      case "issue" -> change(webhook, Kind.ISSUE).flatMap(change -> issue(webhook, change));
      case "merge_request" ->
          change(webhook, Kind.MERGE_REQUEST).flatMap(change -> mergeRequest(webhook, change));
      case "note" -> note(webhook);
      default -> Optional.empty();
    };
  }

  private Optional<Delivery> issue(Webhook webhook, IssueChange change) {
    return switch (webhook.action()) {
      case "open" -> opened(webhook, change);
      case "update" -> updated(webhook, change);
      case "close" -> change.ended(IssueCancelTrigger.CLOSE);
      case "merge" -> change.ended(IssueCancelTrigger.DONE);
      default -> Optional.empty();
    };
  }

  private Optional<Delivery> mergeRequest(Webhook webhook, IssueChange change) {
    var also = issue(webhook, change);
    if (changesState(webhook)) {
      return change.pullRequestChanged(
          webhook.action(),
          PullRequestState.of(
              webhook.isIn("merged"),
              webhook.isIn("closed"),
              webhook.attributes().path("draft").asBoolean()
                  || webhook.attributes().path("work_in_progress").asBoolean()),
          Json.instant(webhook.attributes(), "updated_at"),
          also);
    }
    var payload = webhook.payload();
    return also.or(
            () ->
                GitLabPullRequestNeeds.review(
                    webhook.id(), payload, webhook.sender(), webhook.arrivedAt(), account::is))
        .or(() -> GitLabPullRequestNeeds.conflict(webhook.id(), payload, webhook.arrivedAt()));
  }

  /// A draft has a mark in its title, and newer servers say that it changed.
  private static boolean changesState(Webhook webhook) {
    return STATE_ACTIONS.contains(webhook.action())
        || webhook.changes().has("draft")
        || webhook.changes().has("title");
  }

  private Optional<IssueChange> change(Webhook webhook, Kind kind) {
    return Json.number(webhook.attributes(), "iid")
        .flatMap(number -> GitLabIssue.of(webhook.project(), kind, number, false))
        .map(key -> change(webhook, key));
  }

  private IssueChange change(Webhook webhook, GitLabIssue key) {
    var at = Json.text(webhook.attributes(), "updated_at").orElse(webhook.id().value());
    return new IssueChange(
        rules,
        () ->
            webhook.event(
                key,
                EarlierComments.snapshot(
                        Json.instant(webhook.attributes(), "updated_at"),
                        webhook.title(),
                        Json.whole(webhook.attributes(), "description"))
                    .withLabels(Json.texts(webhook.payload().path("labels"), "title"))),
        key.kind().itemType(),
        webhook.title(),
        webhook.isOpen(),
        what -> what + " " + key + " " + at);
  }

  /// A new issue may have its label and its assignee from the start.
  private Optional<Delivery> opened(Webhook webhook, IssueChange change) {
    return change
        .labels(List.of(), Json.texts(webhook.payload().path("labels"), "title"))
        .or(() -> change.assignment(false, isOurs(webhook.payload().path("assignees"))));
  }

  /// GitLab sends labels and assignees as they were before and as they are now.
  private Optional<Delivery> updated(Webhook webhook, IssueChange change) {
    var labels = webhook.changes().path("labels");
    var assignees = webhook.changes().path("assignees");
    return change
        .labels(
            Json.texts(labels.path("previous"), "title"),
            Json.texts(labels.path("current"), "title"))
        .or(
            () ->
                change.assignment(
                    isOurs(assignees.path("previous")), isOurs(assignees.path("current"))));
  }

  private boolean isOurs(JsonNode assignees) {
    return Json.texts(assignees, "username").stream().anyMatch(account::is);
  }

  private Optional<Delivery> note(Webhook webhook) {
    var note = webhook.attributes();
    var target =
        switch (Json.text(note, "noteable_type").orElse("")) {
          case "Issue" -> Optional.of(Kind.ISSUE);
          case "MergeRequest" -> Optional.of(Kind.MERGE_REQUEST);
          default -> Optional.<Kind>empty();
        };
    var key = target.flatMap(kind -> key(webhook, kind));
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
    var issue = noted(webhook, target.get());
    return rules
        .comment(text.get())
        .map(
            intent ->
                webhook
                    .event(
                        key.get(),
                        EarlierComments.snapshot(
                                Json.instant(note, "created_at"),
                                Json.text(issue, "title"),
                                Json.whole(issue, "description"))
                            .withLabels(Json.texts(issue.path("labels"), "title")))
                    .comment(
                        "note " + id.get() + " created",
                        intent,
                        IssueComments.ref(key.get(), id.get())));
  }

  private static JsonNode noted(Webhook webhook, Kind kind) {
    return webhook.payload().path(kind.event());
  }

  private static Optional<GitLabIssue> key(Webhook webhook, Kind kind) {
    var target = noted(webhook, kind);
    return Json.number(target, "iid")
        .flatMap(
            number -> GitLabIssue.of(webhook.project(), kind, number, isInternal(webhook, target)));
  }

  /// Whether fewer people can read the note than the issue. Servers that do not say so on the note
  /// mark the event as confidential.
  private static boolean isInternal(Webhook webhook, JsonNode target) {
    if (target.path("confidential").asBoolean()) {
      return false;
    }
    return webhook.attributes().path("internal").asBoolean()
        || webhook.attributes().path("confidential").asBoolean()
        || Json.text(webhook.payload(), "event_type").equals(Optional.of("confidential_note"));
  }
}
