package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.IssueChange;
import dev.runnel.surface.tracker.IssueComments;
import dev.runnel.surface.tracker.IssueEvent;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Parses a webhook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a payload
/// that it cannot read is ignored.
final class JiraPayloads {
  /// All that is read of a payload.
  static final Projection READ =
      Projection.named(
          """
          accountId accountType assignee author changelog comment created displayName field
          fields from fromString id issue issue_event_type_name items jsdPublic key labels name status
          statusCategory summary timestamp to toString updated user visibility webhookEvent
          """,
          Set.of("body", "description"));

  private static final String ISSUE = "issue";
  private static final String PREFIX = "jira:";

  private final JiraApi api;
  private final JiraSite site;
  private final URI url;
  private final IssueRules rules;
  private final String mention;
  private final BotAccount account;

  JiraPayloads(JiraApi api, URI url, TrackerSettings settings) {
    this.api = api;
    this.site = api.site();
    this.url = url;
    this.rules = new IssueRules(settings);
    this.mention = "@" + settings.mention();
    this.account = api.account();
  }

  private record Webhook(DeliveryId id, JiraIssue issue, JsonNode payload, Instant arrivedAt) {
    JsonNode fields() {
      return payload.path("issue").path("fields");
    }

    Optional<String> title() {
      return Json.text(fields(), "summary");
    }

    JsonNode status() {
      return fields().path("status");
    }

    /// Whether its status is in the category "done", whatever its name in the workflow.
    boolean isDone() {
      return Json.text(status().path("statusCategory"), "key").equals(Optional.of("done"));
    }

    Stream<JsonNode> changes(String field) {
      return payload
          .path("changelog")
          .path("items")
          .valueStream()
          .filter(item -> Json.text(item, "field").filter(field::equalsIgnoreCase).isPresent());
    }
  }

  /// @return empty when the event does not concern Runnel. A change by an app only stops runs
  Optional<Delivery> read(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var event = Json.text(payload, "webhookEvent").orElse("");
    var key = Json.text(payload.path("issue"), "key").flatMap(JiraIssue::of);
    if (key.isEmpty()) {
      return Optional.empty();
    }
    var webhook = new Webhook(id, key.get(), payload, arrivedAt);
    var delivery =
        switch (event.startsWith(PREFIX) ? event.substring(PREFIX.length()) : event) {
          case "issue_created" ->
              change(webhook, "created").flatMap(change -> created(webhook.fields(), change));
          case "issue_updated" -> updated(webhook);
          case "issue_deleted" ->
              change(webhook, "deleted").flatMap(change -> change.ended(IssueCancelTrigger.DELETE));
          case "comment_created" -> comment(webhook);
          default -> Optional.<Delivery>empty();
        };
    return delivery.filter(
        it -> it.intent() instanceof Intent.Cancel || !JiraSite.isApp(payload.path("user")));
  }

  /// @param at its time, or another value that identifies it
  /// @return empty when it has no sender
  private Optional<IssueChange> change(Webhook webhook, String at) {
    var dated = JiraSite.time(webhook.payload().path("changelog"), "created");
    return site.person(webhook.payload().path("user"))
        .map(
            actor ->
                new IssueChange(
                    rules,
                    () -> event(webhook, actor, link(webhook.issue(), ""), dated),
                    ISSUE,
                    webhook.title(),
                    !webhook.isDone(),
                    what -> what + " " + webhook.issue() + " " + at));
  }

  /// A new issue may have its labels and its assignee from the start.
  private Optional<Delivery> created(JsonNode fields, IssueChange change) {
    var assignee = site.account(fields.path("assignee"));
    return change
        .labels(List.of(), Json.strings(fields.path("labels")))
        .or(() -> change.assignment(false, assignee.filter(account::is).isPresent()));
  }

  private Optional<Delivery> updated(Webhook webhook) {
    // Data Center also delivers comments as issue events.
    if (Json.text(webhook.payload(), "issue_event_type_name")
        .equals(Optional.of("issue_commented"))) {
      return comment(webhook);
    }
    var at =
        Json.text(webhook.payload().path("changelog"), "id")
            .map(change -> "change " + change)
            .or(() -> Json.text(webhook.fields(), "updated"))
            .orElse(webhook.id().value());
    return change(webhook, at)
        .flatMap(
            change ->
                moved(webhook, at)
                    .or(() -> transitioned(webhook, change))
                    .or(() -> relabelled(webhook, change))
                    .or(() -> reassigned(webhook, change)));
  }

  private Optional<Delivery> moved(Webhook webhook, String at) {
    return webhook
        .changes("key")
        .flatMap(item -> Json.text(item, "fromString").flatMap(JiraIssue::of).stream())
        .findFirst()
        .map(old -> new Webhook(webhook.id(), old, webhook.payload(), webhook.arrivedAt()))
        .flatMap(old -> change(old, at))
        .flatMap(change -> change.ended(IssueCancelTrigger.MOVE));
  }

  private Optional<Delivery> transitioned(Webhook webhook, IssueChange change) {
    var arrived =
        webhook
            .changes("status")
            .anyMatch(
                item ->
                    !Json.isThere(item, "to")
                        || Json.text(item, "to").equals(Json.text(webhook.status(), "id")));
    if (!arrived) {
      return Optional.empty();
    }
    if (!webhook.isDone()) {
      var isOurs = site.account(webhook.payload().path("user")).filter(account::is).isPresent();
      return change.moved(Json.text(webhook.status(), "name"), isOurs);
    }
    var isClosed =
        Json.text(webhook.status(), "name").filter("closed"::equalsIgnoreCase).isPresent();
    return change.ended(isClosed ? IssueCancelTrigger.CLOSE : IssueCancelTrigger.DONE);
  }

  /// Jira sends all labels before and after each change, separated by spaces.
  private static Optional<Delivery> relabelled(Webhook webhook, IssueChange change) {
    return webhook
        .changes("labels")
        .findFirst()
        .flatMap(item -> change.labels(labels(item, "fromString"), labels(item, "toString")));
  }

  private static List<String> labels(JsonNode item, String name) {
    return Json.text(item, name)
        .map(text -> Arrays.asList(text.strip().split("\\s+")))
        .orElse(List.of());
  }

  private Optional<Delivery> reassigned(Webhook webhook, IssueChange change) {
    return webhook
        .changes("assignee")
        .findFirst()
        .flatMap(item -> change.assignment(isOurs(item, "from"), isOurs(item, "to")));
  }

  private boolean isOurs(JsonNode item, String name) {
    return Json.text(item, name).filter(account::is).isPresent();
  }

  /// @param dated the time of the comment or change; a webhook has a timestamp of its own
  private IssueEvent event(
      Webhook webhook, Actor actor, Optional<URI> link, Optional<Instant> dated) {
    return new IssueEvent(
        webhook.id(),
        new Conversation(Jira.ID, webhook.issue().key()),
        actor,
        link,
        webhook.arrivedAt(),
        EarlierComments.snapshot(
                dated.or(() -> Json.id(webhook.payload(), "timestamp").map(Instant::ofEpochMilli)),
                webhook.title(),
                webhook.fields().has("description")
                    ? Optional.of(
                        JiraSite.markdown(
                            webhook.fields().path("description"), this::textForMention))
                    : Optional.empty())
            .withLabels(Json.strings(webhook.fields().path("labels"))));
  }

  private Optional<Delivery> comment(Webhook webhook) {
    var comment = webhook.payload().path("comment");
    var id = JiraComments.id(comment);
    var author = site.person(comment.path("author"));
    if (id.isEmpty()
        || author.isEmpty()
        || JiraSite.isApp(comment.path("author"))
        || api.isHidden(comment)) {
      return Optional.empty();
    }
    return rules
        .comment(JiraSite.markdown(comment.path("body"), this::textForMention))
        .map(
            intent ->
                event(
                        webhook,
                        author.get(),
                        link(webhook.issue(), "?focusedCommentId=" + id.get()),
                        JiraSite.time(comment, "created"))
                    .comment(
                        "comment " + id.get() + " created",
                        intent,
                        IssueComments.ref(webhook.issue(), id.get())));
  }

  /// A mention of the bot's account, chosen from Jira's list, counts like the mention word.
  String textForMention(String person) {
    return account.is(person) ? mention : person;
  }

  /// @param more a query; may be empty
  Optional<URI> link(JiraIssue issue, String more) {
    return Optional.of(URI.create(url + "/browse/" + issue.key() + more));
  }
}
