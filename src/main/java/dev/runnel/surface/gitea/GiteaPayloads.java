package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.IssueChange;
import dev.runnel.surface.tracker.IssueComments;
import dev.runnel.surface.tracker.IssueEvent;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.RepositoryIssue;
import dev.runnel.surface.tracker.TrackerSettings;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Parses a webhook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a payload
/// that it cannot read is ignored.
///
/// A webhook about labels or assignees contains the current values, and on older servers not what
/// changed. Such a delivery is marked as a [#GUESS] until the issue's timeline is checked.
record GiteaPayloads(TrackerSettings settings, IssueRules rules, BotAccount account) {
  /// All that is read of a payload.
  static final Projection READ =
      Projection.named(
          """
          action added_labels assignee assignees base body changes comment commit_sha conclusion
          content created_at draft full_name head head_sha html_url id is_pull issue labels
          login merged name number path prettyref pull_request pull_requests removed_labels repo
          repository review run sender sha state status title trigger_event type updated_at user
          workflow_run
          """);

  /// Prefix of a semantic key whose change is only assumed.
  static final String GUESS = "perhaps ";

  static final String LABEL = "label";
  static final String ASSIGN = "assign";

  private static final String ISSUES = "issues";
  private static final String PULL_REQUEST = "pull_request";
  private static final String ISSUE_COMMENT = "issue_comment";
  private static final Set<String> EVENTS =
      Set.of(
          ISSUES,
          PULL_REQUEST,
          ISSUE_COMMENT,
          GiteaPullRequestNeeds.WORKFLOW,
          GiteaPullRequestNeeds.FAILED_ACTION,
          GiteaPullRequestNeeds.REJECTED);

  private static final Set<String> STATE_ACTIONS = Set.of("opened", "reopened", "closed");
  // The default of Gitea's setting WORK_IN_PROGRESS_PREFIXES.
  private static final List<String> DRAFT_PREFIXES = List.of("WIP:", "[WIP]");

  private record Webhook(
      DeliveryId id,
      RepositoryIssue key,
      Actor sender,
      boolean isPull,
      JsonNode payload,
      Instant arrivedAt) {
    JsonNode issue() {
      return issueOf(payload);
    }

    String itemType() {
      return isPull ? "pull request" : "issue";
    }

    String action() {
      return Json.text(payload, "action").orElse("");
    }

    Optional<String> title() {
      return Json.text(issue(), "title");
    }

    boolean isOpen() {
      return Json.text(issue(), "state").equals(Optional.of("open"));
    }

    boolean isMerged() {
      return pull("merged");
    }

    /// Older servers mark a draft only in its title.
    boolean isDraft() {
      var upper = title().orElse("").toUpperCase(Locale.ROOT);
      return pull("draft") || DRAFT_PREFIXES.stream().anyMatch(upper::startsWith);
    }

    /// A pull request may also be shown as an issue that has one.
    private boolean pull(String member) {
      return issue().path(member).asBoolean()
          || issue().path("pull_request").path(member).asBoolean();
    }

    List<String> labels() {
      return Json.texts(issue().path("labels"), "name");
    }

    /// @param at when the request was made; some changes do not update the issue's time
    IssueEvent event(JsonNode linked, Optional<Instant> at) {
      return event(
          linked,
          EarlierComments.snapshot(at, title(), Json.whole(issue(), "body")).withLabels(labels()));
    }

    IssueEvent event(JsonNode linked, Snapshot snapshot) {
      return new IssueEvent(
          id,
          new Conversation(Gitea.ID, key.toString()),
          sender,
          Json.link(linked, "html_url"),
          arrivedAt,
          snapshot);
    }

    /// The semantic key, the same for deliveries of the repository's and the organization's
    /// webhook.
    String meaning(String what) {
      return what + " " + key + " " + Json.text(issue(), "updated_at").orElse(id.value());
    }
  }

  private static JsonNode issueOf(JsonNode payload) {
    return payload.path(Json.isThere(payload, "issue") ? "issue" : "pull_request");
  }

  /// The account as an actor, if it is a person's: the server's own accounts have ids below one.
  static Optional<Actor> person(JsonNode account) {
    return Json.id(account, "id")
        .flatMap(_ -> Json.text(account, "login"))
        .map(login -> new Actor(login, login));
  }

  /// Whether events of this name may concern Runnel.
  static boolean knows(String event) {
    return EVENTS.contains(event);
  }

  /// @param event as in `X-Gitea-Event`
  /// @return empty when the event does not concern Runnel
  Optional<Delivery> read(String event, DeliveryId id, JsonNode payload, Instant arrivedAt) {
    return switch (event) {
      case ISSUES, PULL_REQUEST ->
          webhook(id, payload, arrivedAt).flatMap(webhook -> withState(webhook, change(webhook)));
      case ISSUE_COMMENT -> webhook(id, payload, arrivedAt).flatMap(this::comment);
      case GiteaPullRequestNeeds.WORKFLOW ->
          GiteaPullRequestNeeds.failedWorkflow(id, payload, arrivedAt);
      case GiteaPullRequestNeeds.FAILED_ACTION ->
          GiteaPullRequestNeeds.failedAction(id, payload, arrivedAt);
      case GiteaPullRequestNeeds.REJECTED ->
          GiteaPullRequestNeeds.review(id, payload, arrivedAt, account::is);
      default -> Optional.empty();
    };
  }

  private static Optional<Webhook> webhook(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var key =
        Json.text(payload.path("repository"), "full_name")
            .flatMap(
                name ->
                    Json.number(issueOf(payload), "number")
                        .flatMap(number -> RepositoryIssue.of(name, number)));
    var sender = person(payload.path("sender"));
    if (key.isEmpty() || sender.isEmpty()) {
      return Optional.empty();
    }
    var isPull = !Json.isThere(payload, "issue") || payload.path("is_pull").asBoolean();
    return Optional.of(new Webhook(id, key.get(), sender.get(), isPull, payload, arrivedAt));
  }

  /// Adds the state of the pull request, if it changed.
  private static Optional<Delivery> withState(Webhook webhook, Optional<Delivery> also) {
    var isRenamed =
        webhook.action().equals("edited") && webhook.payload().path("changes").has("title");
    if (!webhook.isPull() || !(STATE_ACTIONS.contains(webhook.action()) || isRenamed)) {
      return also;
    }
    var at = Json.instant(webhook.issue(), "updated_at");
    var state =
        PullRequestState.of(
            webhook.isMerged(),
            Json.text(webhook.issue(), "state").equals(Optional.of("closed")),
            webhook.isDraft());
    return webhook
        .event(webhook.issue(), Snapshot.NONE)
        .pullRequestChanged(webhook.meaning(webhook.action()), state, at, also);
  }

  private Optional<Delivery> change(Webhook webhook) {
    var change =
        new IssueChange(
            rules,
            () -> webhook.event(webhook.issue(), Optional.empty()),
            webhook.itemType(),
            webhook.title(),
            webhook.isOpen(),
            webhook::meaning);
    return switch (webhook.action()) {
      case "label_updated", "label_cleared" -> labels(webhook, change);
      case "assigned" ->
          webhook.isOpen() && isOurs(webhook)
              ? Optional.of(
                  change.changed(
                      GUESS + ASSIGN, rules.assigned(webhook.title(), webhook.itemType())))
              : Optional.empty();
      case "unassigned" ->
          isOurs(webhook)
              ? Optional.empty()
              : change.ended(IssueCancelTrigger.UNASSIGN, GUESS + "un" + ASSIGN);
      case "closed" ->
          change.ended(
              webhook.isMerged() ? IssueCancelTrigger.DONE : IssueCancelTrigger.CLOSE, "closed");
      case "deleted" -> change.ended(IssueCancelTrigger.DELETE, "deleted");
      default -> Optional.empty();
    };
  }

  private boolean isOurs(Webhook webhook) {
    return Stream.concat(
            Json.texts(webhook.issue().path("assignees"), "login").stream(),
            Json.text(webhook.issue().path("assignee"), "login").stream())
        .anyMatch(account::is);
  }

  private Optional<Delivery> labels(Webhook webhook, IssueChange change) {
    var changes = webhook.payload().path("changes");
    var added = Json.texts(changes.path("added_labels"), "name");
    var removed = Json.texts(changes.path("removed_labels"), "name");
    if (!added.isEmpty() || !removed.isEmpty()) {
      var kept = webhook.labels().stream().filter(label -> !added.contains(label));
      return change.labels(Stream.concat(kept, removed.stream()).toList(), webhook.labels());
    }
    var trigger = webhook.labels().stream().filter(settings.trigger()::isTrigger).findFirst();
    if (trigger.isEmpty()) {
      return change.ended(IssueCancelTrigger.UNLABEL, GUESS + "un" + LABEL);
    }
    return trigger
        .filter(_ -> webhook.isOpen())
        .flatMap(label -> rules.labelled(label, webhook.title(), webhook.itemType()))
        .map(intent -> change.changed(GUESS + LABEL, intent));
  }

  private Optional<Delivery> comment(Webhook webhook) {
    var comment = webhook.payload().path("comment");
    var text = Json.text(comment, "body");
    var id = Json.id(comment, "id");
    if (!webhook.action().equals("created")
        || text.isEmpty()
        || id.isEmpty()
        || person(comment.path("user")).isEmpty()) {
      return Optional.empty();
    }
    return rules
        .comment(text.get())
        .map(
            intent ->
                webhook
                    .event(comment, Json.instant(comment, "created_at"))
                    .comment(
                        "comment " + id.get() + " created",
                        intent,
                        IssueComments.ref(webhook.key(), id.get())));
  }
}
