package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
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
import dev.runnel.surface.tracker.IssueEvent;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.RepositoryIssue;
import dev.runnel.surface.tracker.TrackerSettings;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// Parses a webhook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a payload
/// that it cannot read is ignored.
///
/// Payloads: https://docs.github.com/webhooks/webhook-events-and-payloads
final class GitHubPayloads {
  private static final String ISSUES = "issues";
  private static final String PULL_REQUEST = "pull_request";

  /// All that is read of a payload; most of it are addresses of GitHub's API.
  static final Projection READ =
      Projection.named(
          """
          action assignee author_association body changes check_suite comment conclusion created_at
          diff_hunk draft from full_name head head_sha html_url id installation issue label labels
          line login mergeable_state merged merged_at name number original_line original_start_line
          path performed_via_github_app pull_request pull_requests repository review sender sha side
          start_line state submitted_at title type updated_at user
          """);

  private static final Set<String> STATE_ACTIONS =
      Set.of("opened", "reopened", "closed", "converted_to_draft", "ready_for_review");

  private final IssueRules rules;
  private final BotAccount account;
  private final GitHubCommentEvents comments;

  GitHubPayloads(TrackerSettings settings, BotAccount account, CodeQuote quote) {
    this.rules = new IssueRules(settings);
    this.account = account;
    this.comments = new GitHubCommentEvents(rules, quote);
  }

  /// Whether events of this name may concern Runnel.
  static boolean knows(String event) {
    return event.equals(ISSUES)
        || event.equals(PULL_REQUEST)
        || event.equals(GitHubPullRequestNeeds.CHECK_SUITE)
        || CommentKind.of(event).isPresent();
  }

  /// @param event as in `X-GitHub-Event`
  /// @return empty when the event does not concern Runnel
  Optional<Delivery> read(String event, DeliveryId id, JsonNode payload, Instant arrivedAt) {
    if (event.equals(GitHubPullRequestNeeds.CHECK_SUITE)) {
      return GitHubPullRequestNeeds.failedChecks(id, payload, arrivedAt);
    }
    var issue =
        payload.path("issue").isObject() ? payload.path("issue") : payload.path(PULL_REQUEST);
    var key =
        Json.text(payload.path("repository"), "full_name")
            .flatMap(
                name ->
                    Json.number(issue, "number")
                        .flatMap(number -> RepositoryIssue.of(name, number)));
    var sender = AuthorPolicy.person(payload.path("sender"));
    var action = Json.text(payload, "action");
    if (key.isEmpty() || sender.isEmpty() || action.isEmpty()) {
      return Optional.empty();
    }
    var webhook = new Webhook(id, action.get(), key.get(), sender.get(), issue, payload, arrivedAt);
    if (event.equals(PULL_REQUEST)) {
      return withState(webhook, issue(webhook))
          .or(() -> GitHubPullRequestNeeds.conflict(id, payload, arrivedAt));
    }
    return event.equals(ISSUES)
        ? issue(webhook)
        : CommentKind.of(event)
            .flatMap(
                kind ->
                    comments(webhook, kind)
                        .or(
                            () ->
                                GitHubPullRequestNeeds.review(
                                    event, id, payload, arrivedAt, account::is)));
  }

  /// Adds the state of the pull request, if it changed.
  private static Optional<Delivery> withState(Webhook webhook, Optional<Delivery> also) {
    if (!STATE_ACTIONS.contains(webhook.action())) {
      return also;
    }
    var issue = webhook.issue();
    var state =
        PullRequestState.of(
            webhook.isMerged(),
            Json.text(issue, "state").equals(Optional.of("closed")),
            issue.path("draft").asBoolean());
    var at = Json.instant(issue, "updated_at");
    return webhook
        .event(webhook.sender(), issue, Snapshot.NONE)
        .pullRequestChanged(webhook.meaning(webhook.action()), state, at, also);
  }

  private record Webhook(
      DeliveryId id,
      String action,
      RepositoryIssue key,
      Actor sender,
      JsonNode issue,
      JsonNode payload,
      Instant arrivedAt) {
    /// A pull request may also be delivered as an issue that has one.
    String itemType() {
      return payload.path(PULL_REQUEST).isObject() || issue.path(PULL_REQUEST).isObject()
          ? "pull request"
          : "issue";
    }

    boolean isMerged() {
      return issue.path("merged").asBoolean()
          || Json.isThere(issue.path(PULL_REQUEST), "merged_at");
    }

    Optional<String> label() {
      return Json.text(payload.path("label"), "name");
    }

    Optional<String> assignee() {
      return Json.text(payload.path("assignee"), "login");
    }

    Optional<String> title() {
      return Json.text(issue, "title");
    }

    /// @param at when it happened, by GitHub's clock
    IssueEvent event(Actor actor, JsonNode linked, Optional<Instant> at) {
      return event(
          actor,
          linked,
          EarlierComments.snapshot(at, title(), Json.whole(issue, "body"))
              .withLabels(Json.texts(issue.path("labels"), "name")));
    }

    IssueEvent event(Actor actor, JsonNode linked, Snapshot snapshot) {
      return new IssueEvent(
          id,
          new Conversation(GitHub.ID, key.toString()),
          actor,
          Json.link(linked, "html_url"),
          arrivedAt,
          snapshot);
    }

    /// The semantic key, the same for deliveries of the repository's and the organization's
    /// webhook.
    String meaning(String what) {
      return what
          + ":"
          + key
          + ":"
          + label().map(name -> name + ":").orElse("")
          + Json.text(issue, "updated_at").orElse(id.value());
    }
  }

  private Optional<Delivery> issue(Webhook webhook) {
    return switch (webhook.action()) {
      case "labeled" ->
          webhook
              .label()
              .filter(_ -> mayStart(webhook))
              .flatMap(name -> rules.labelled(name, webhook.title(), webhook.itemType()))
              .map(intent -> changed(webhook, "label", intent));
      case "assigned" ->
          webhook
              .assignee()
              .filter(account::is)
              .filter(_ -> mayStart(webhook))
              .map(
                  _ ->
                      changed(
                          webhook, "assign", rules.assigned(webhook.title(), webhook.itemType())));
      // In GitHub's example payloads the removed label is still among the issue's labels.
      case "unlabeled" ->
          webhook
              .label()
              .flatMap(
                  name ->
                      rules.unlabelled(
                          name,
                          Json.texts(webhook.issue().path("labels"), "name"),
                          webhook.itemType()))
              .map(intent -> changed(webhook, webhook.action(), intent));
      case "unassigned" ->
          webhook
              .assignee()
              .filter(account::is)
              .flatMap(_ -> ended(webhook, IssueCancelTrigger.UNASSIGN));
      case "closed" ->
          ended(webhook, webhook.isMerged() ? IssueCancelTrigger.DONE : IssueCancelTrigger.CLOSE);
      case "deleted" -> ended(webhook, IssueCancelTrigger.DELETE);
      case "transferred" -> ended(webhook, IssueCancelTrigger.MOVE);
      default -> Optional.empty();
    };
  }

  private static boolean mayStart(Webhook webhook) {
    return Json.text(webhook.issue(), "state").equals(Optional.of("open"))
        && AuthorPolicy.mayLabel(webhook.sender(), webhook.issue());
  }

  private Optional<Delivery> ended(Webhook webhook, IssueCancelTrigger issueCancelTrigger) {
    return rules
        .ended(issueCancelTrigger, webhook.itemType())
        .map(intent -> changed(webhook, webhook.action(), intent));
  }

  private static Delivery changed(Webhook webhook, String what, Intent intent) {
    return webhook
        .event(webhook.sender(), webhook.issue(), Json.instant(webhook.issue(), "updated_at"))
        .changed(webhook.meaning(what), intent);
  }

  private Optional<Delivery> comments(Webhook webhook, CommentKind kind) {
    return comments
        .read(kind, webhook.action(), webhook.sender(), webhook.payload())
        .map(
            it ->
                webhook
                    .event(it.author(), kind.in(webhook.payload()), kind.at(webhook.payload()))
                    .comment(it.meaning(), it.intent(), kind.ref(webhook.key(), it.id())));
  }
}
