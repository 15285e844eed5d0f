package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.IssueChange;
import dev.runnel.surface.tracker.IssueEvent;
import dev.runnel.surface.tracker.IssueRules;
import dev.runnel.surface.tracker.TrackerSettings;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Parses a webhook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a payload
/// that it cannot read is ignored.
record LinearPayloads(TrackerSettings settings, IssueRules rules, LinearAccount account) {
  /// All that is read of a payload.
  static final Projection READ =
      Projection.named(
          """
          action actor agentActivity agentSession assigneeId body botActor canceledAt comment
          completedAt content createdAt creator creatorId data delegateId description
          displayName externalUserId id issue issueId labelIds labels name service signal
          sourceCommentId state stateId title trashed type updatedAt updatedFrom url user userId
          webhookTimestamp
          """);

  private static final String ISSUE = "Issue ";
  private static final String UNLABEL = "unlabel-of ";

  /// Prefix of the semantic key of a removed label whose name Linear did not send; the ids follow.
  static final String UNLABEL_BY_IDS = ISSUE + UNLABEL;

  // Not part of any id of Linear's.
  private static final String AUTOMATION = "app:";
  private static final Set<String> INTEGRATIONS = Set.of("integration", "oauthclient");

  private static final String ITEM_TYPE = "issue";
  private static final Set<String> CLOSED_STATES = Set.of("completed", "canceled", "duplicate");

  private record Webhook(DeliveryId id, Actor sender, JsonNode payload, Instant arrivedAt) {
    JsonNode data() {
      return payload.path("data");
    }

    JsonNode before() {
      return payload.path("updatedFrom");
    }

    /// Whether an update changed the field; its old value is in [#before()].
    boolean changed(String member) {
      return before().has(member);
    }

    Optional<String> title() {
      return Json.text(data(), "title");
    }

    List<String> labels() {
      return Json.texts(data().path("labels"), "name");
    }

    String state() {
      return Json.text(data().path("state"), "type").orElse("");
    }

    boolean isOpen() {
      return !CLOSED_STATES.contains(state())
          && !Json.isThere(data(), "completedAt")
          && !Json.isThere(data(), "canceledAt");
    }

    Optional<URI> link() {
      return Json.link(payload, "url").or(() -> Json.link(data(), "url"));
    }

    String at() {
      return Json.text(data(), "updatedAt").orElse(id.value());
    }

    IssueEvent event(Conversation issue, Snapshot snapshot) {
      return new IssueEvent(id, issue, sender, link(), arrivedAt, snapshot);
    }
  }

  /// The account as an actor, if it is a person's.
  static Optional<Actor> person(JsonNode user) {
    var type = Json.text(user, "type").orElse("user");
    return type.equalsIgnoreCase("user")
        ? Json.text(user, "id").filter(LinearId::isValid).map(id -> new Actor(id, name(user, id)))
        : Optional.empty();
  }

  /// The sender of a change that no user made: an integration, an application, or Linear itself,
  /// which names no actor. Not an external user, who may be anybody.
  private static Optional<Actor> automation(JsonNode actor) {
    if (actor.isMissingNode() || actor.isNull()) {
      return Optional.of(new Actor(AUTOMATION + "linear", "Linear"));
    }
    return Json.text(actor, "type")
        .filter(type -> INTEGRATIONS.contains(type.toLowerCase(Locale.ROOT)))
        .flatMap(_ -> Json.text(actor, "id"))
        .filter(LinearId::isValid)
        .map(
            id ->
                new Actor(
                    AUTOMATION + id,
                    name(actor, Json.text(actor, "service").orElse("An application"))));
  }

  /// Whether the sender is an integration, an application or Linear itself.
  static boolean isAutomation(String sender) {
    return sender.startsWith(AUTOMATION);
  }

  private static String name(JsonNode user, String fallback) {
    return Json.text(user, "name").or(() -> Json.text(user, "displayName")).orElse(fallback);
  }

  /// @return empty when the event does not concern Runnel. A change that no user made only stops
  ///   runs
  Optional<Delivery> read(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    return switch (Json.text(payload, "type").orElse("")) {
      case "Issue" ->
          person(payload.path("actor"))
              .or(() -> automation(payload.path("actor")))
              .flatMap(sender -> issue(new Webhook(id, sender, payload, arrivedAt)));
      case "Comment" ->
          person(payload.path("actor"))
              .flatMap(sender -> comment(new Webhook(id, sender, payload, arrivedAt)));
      case "AgentSessionEvent" -> session(id, payload, arrivedAt);
      default -> Optional.empty();
    };
  }

  private static Optional<Conversation> conversation(JsonNode node, String member) {
    return Json.text(node, member)
        .filter(LinearId::isValid)
        .map(issue -> new Conversation(Linear.ID, issue));
  }

  private Optional<Delivery> issue(Webhook webhook) {
    return conversation(webhook.data(), "id")
        .map(issue -> change(webhook, issue))
        .flatMap(
            change ->
                switch (Json.text(webhook.payload(), "action").orElse("")) {
                  case "create" -> created(webhook, change);
                  case "update" -> updated(webhook, change);
                  case "remove" -> change.ended(IssueCancelTrigger.DELETE);
                  default -> Optional.<Delivery>empty();
                })
        .filter(it -> it.intent() instanceof Intent.Cancel || !isAutomation(webhook.sender().id()));
  }

  private IssueChange change(Webhook webhook, Conversation issue) {
    return new IssueChange(
        rules,
        () ->
            webhook.event(
                issue,
                EarlierComments.snapshot(
                        Json.instant(webhook.data(), "updatedAt"),
                        webhook.title(),
                        Json.whole(webhook.data(), "description"))
                    .withLabels(webhook.labels())),
        ITEM_TYPE,
        webhook.title(),
        webhook.isOpen(),
        what -> ISSUE + what + " " + issue.key() + " " + webhook.at());
  }

  /// A new issue may have its label and its assignee from the start.
  private Optional<Delivery> created(Webhook webhook, IssueChange change) {
    return change
        .labels(List.of(), webhook.labels())
        .or(() -> assigned(webhook, change, "assigneeId", ""))
        .or(() -> assigned(webhook, change, "delegateId", ""));
  }

  private Optional<Delivery> updated(Webhook webhook, IssueChange change) {
    if (webhook.changed("trashed") && webhook.data().path("trashed").asBoolean()) {
      return change.ended(IssueCancelTrigger.DELETE);
    }
    return labels(webhook, change)
        .or(() -> reassigned(webhook, change, "assigneeId"))
        .or(() -> reassigned(webhook, change, "delegateId"))
        .or(() -> moved(webhook, change));
  }

  /// Linear sends the ids of the labels before the change, but names only for the current ones.
  private Optional<Delivery> labels(Webhook webhook, IssueChange change) {
    if (webhook.changed("labels")) {
      return change.labels(Json.texts(webhook.before().path("labels"), "name"), webhook.labels());
    }
    if (!webhook.changed("labelIds")) {
      return Optional.empty();
    }
    var kept = new ArrayList<String>();
    var removed = new LinkedHashSet<>(Json.strings(webhook.before().path("labelIds")));
    for (var label : webhook.data().path("labels")) {
      var id = Json.text(label, "id").orElse("");
      if (removed.remove(id)) {
        Json.text(label, "name").ifPresent(kept::add);
      }
    }
    return change.labels(kept, webhook.labels()).or(() -> unlabelled(webhook, change, removed));
  }

  /// Whether one of them was the trigger label is looked up later.
  private Optional<Delivery> unlabelled(Webhook webhook, IssueChange change, Set<String> removed) {
    return removed.isEmpty()
            || rules.hasTrigger(webhook.labels())
            || !removed.stream().allMatch(LinearId::isValid)
        ? Optional.empty()
        : change.ended(IssueCancelTrigger.UNLABEL, UNLABEL + String.join(",", removed));
  }

  private Optional<Delivery> reassigned(Webhook webhook, IssueChange change, String member) {
    return webhook.changed(member)
        ? assigned(webhook, change, member, Json.text(webhook.before(), member).orElse(""))
        : Optional.empty();
  }

  /// A delegation to an agent opens a session, which starts the run.
  private Optional<Delivery> assigned(
      Webhook webhook, IssueChange change, String member, String before) {
    var was = account.is(Optional.of(before));
    var is = account.is(Json.text(webhook.data(), member));
    return is && member.equals("delegateId") && account.hasSessions()
        ? Optional.empty()
        : change.assignment(was, is);
  }

  private Optional<Delivery> moved(Webhook webhook, IssueChange change) {
    if (!webhook.changed("stateId")) {
      return Optional.empty();
    }
    return switch (webhook.state()) {
      case "completed" -> change.ended(IssueCancelTrigger.DONE);
      case "canceled", "duplicate" -> change.ended(IssueCancelTrigger.CLOSE);
      default ->
          change.moved(
              Json.text(webhook.data().path("state"), "name"),
              account.is(Optional.of(webhook.sender().id())));
    };
  }

  private Optional<Delivery> comment(Webhook webhook) {
    var comment = webhook.data();
    var id = Json.text(comment, "id").filter(LinearId::isValid);
    var issue =
        conversation(comment, "issueId").or(() -> conversation(comment.path("issue"), "id"));
    var text = Json.text(comment, "body");
    if (!Json.text(webhook.payload(), "action").equals(Optional.of("create"))
        || id.isEmpty()
        || issue.isEmpty()
        || text.isEmpty()
        || Json.isThere(comment, "botActor")
        || Json.isThere(comment, "externalUserId")
        || account.isApp(webhook.sender().id())
        || opensSession(text.get())) {
      return Optional.empty();
    }
    return rules
        .comment(HiddenMarker.show(text.get()))
        .map(
            intent ->
                webhook
                    .event(
                        issue.get(),
                        EarlierComments.snapshot(
                            Json.instant(comment, "createdAt"),
                            Json.text(comment.path("issue"), "title"),
                            Optional.empty()))
                    .comment(meaning(id.get()), intent, LinearId.comment(id.get())));
  }

  /// Whether the mention also opens a session, because Linear knows it as our app: then only the
  /// session counts.
  private boolean opensSession(String text) {
    return account.hasSessionsAs(settings.mention())
        && !text.stripLeading().startsWith("/")
        && text.toLowerCase(Locale.ROOT)
            .contains("@" + settings.mention().toLowerCase(Locale.ROOT));
  }

  private static String meaning(String comment) {
    return "Comment " + comment + " create";
  }

  private Optional<Delivery> session(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var session = payload.path("agentSession");
    var key = Json.text(session, "id").filter(LinearId::isValid);
    var issue =
        conversation(session, "issueId").or(() -> conversation(session.path("issue"), "id"));
    if (key.isEmpty() || issue.isEmpty()) {
      return Optional.empty();
    }
    var activity = payload.path("agentActivity");
    var intent =
        switch (Json.text(payload, "action").orElse("")) {
          case "created" -> opened(session);
          case "prompted" -> prompted(activity);
          default -> Optional.<Intent>empty();
        };
    var isOpening = !Json.isThere(payload, "agentActivity");
    var person =
        isOpening
            ? user(session.path("creator"), session, "creatorId")
            : user(activity.path("user"), activity, "userId");
    if (intent.isEmpty() || person.isEmpty()) {
      return Optional.empty();
    }
    var meaning =
        Json.text(isOpening ? session : activity, "sourceCommentId")
            .filter(LinearId::isValid)
            .map(LinearPayloads::meaning)
            .orElseGet(
                () ->
                    isOpening
                        ? "AgentSession " + key.get() + " created"
                        : "AgentActivity "
                            + Json.text(activity, "id").orElse(id.value())
                            + " prompted");
    var about = session.path("issue");
    var event =
        new IssueEvent(
            id,
            issue.get(),
            person.get(),
            Json.link(about, "url").or(() -> Json.link(session, "url")),
            arrivedAt,
            EarlierComments.snapshot(
                Json.instant(isOpening ? session : activity, "createdAt"),
                Json.text(about, "title"),
                Json.whole(about, "description")));
    return Optional.of(event.comment(meaning, intent.get(), LinearId.session(key.get())));
  }

  private static Optional<Actor> user(JsonNode user, JsonNode owner, String member) {
    return person(user)
        .or(
            () ->
                Json.text(owner, member)
                    .filter(LinearId::isValid)
                    .map(id -> new Actor(id, "Somebody")));
  }

  /// A session is opened by a mention in a comment, or by a delegation, which has no text.
  private Optional<Intent> opened(JsonNode session) {
    var comment = Json.text(session.path("comment"), "body").filter(body -> body.contains("@"));
    return comment.isPresent()
        ? rules.direct(comment.get())
        : Optional.of(rules.assigned(Json.text(session.path("issue"), "title"), ITEM_TYPE));
  }

  private Optional<Intent> prompted(JsonNode activity) {
    if (Json.text(activity, "signal").equals(Optional.of("stop"))) {
      return Optional.of(new Intent.Cancel(Optional.empty(), Optional.empty()));
    }
    var content = activity.path("content");
    return Json.text(content, "type").orElse("prompt").equals("prompt")
        ? Json.text(content, "body").flatMap(rules::direct)
        : Optional.empty();
  }
}
