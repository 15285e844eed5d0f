package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.IssueChange;
import dev.runnel.surface.tracker.IssueComments;
import dev.runnel.surface.tracker.IssueEvent;
import dev.runnel.surface.tracker.IssueRules;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Parses a service hook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a
/// payload that it cannot read is ignored.
///
/// Some events name the sender by a text only, so [AzureAccessCheck] asks Azure DevOps whose
/// comment or change it is.
final class AzurePayloads {
  /// All that is read of a payload.
  static final Projection READ =
      Projection.named(
          """
          commentId commentVersionRef descriptor displayName eventType fields id
          Microsoft.VSTS.Common.AcceptanceCriteria Microsoft.VSTS.TCM.ReproSteps newValue
          notificationId oldValue resource rev revisedBy revision subscriptionId
          System.AssignedTo System.ChangedBy System.ChangedDate System.Description
          System.History System.State System.Tags System.TeamProject System.Title uniqueName
          version workItemId
          """);

  static final String CREATED = "workitem.created";
  static final String UPDATED = "workitem.updated";
  static final String COMMENTED = "workitem.commented";

  /// In a semantic key, before the number of the change.
  static final String UPDATE = " update ";

  private static final String DELETED = "workitem.deleted";
  private static final String ITEM_TYPE = "work item";
  private static final String TITLE = "System.Title";
  private static final String STATE = "System.State";
  private static final String TAGS = "System.Tags";
  private static final String ASSIGNED_TO = "System.AssignedTo";
  private static final String CHANGED_BY = "System.ChangedBy";

  private final AzureApi api;
  private final AzureText text;
  private final IssueRules rules;
  private final Set<String> closedStates;

  AzurePayloads(AzureApi api, AzureConfig config) {
    this.api = api;
    this.text = new AzureText(api, "@" + config.tracker().mention());
    this.rules = new IssueRules(config.tracker());
    this.closedStates = config.closedStates();
  }

  AzureText text() {
    return text;
  }

  /// @param fields those of the work item after the event
  private record Webhook(
      DeliveryId id, WorkItem item, Identity sender, JsonNode fields, Instant arrivedAt) {
    Optional<String> title() {
      return Json.text(fields, TITLE);
    }

    List<String> tags() {
      return AzureApi.tags(fields.path(TAGS));
    }
  }

  /// @return empty when the event does not concern Runnel
  Optional<Delivery> read(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var resource = payload.path("resource");
    var event = Json.text(payload, "eventType").orElse("");
    var isUpdate = event.equals(UPDATED);
    var fields = isUpdate ? resource.path("revision").path("fields") : resource.path("fields");
    var item =
        Json.text(fields, "System.TeamProject")
            .flatMap(
                project ->
                    Json.number(resource, isUpdate ? "workItemId" : "id")
                        .flatMap(number -> WorkItem.of(project, number)));
    var sender = Identity.of(isUpdate ? resource.path("revisedBy") : fields.path(CHANGED_BY));
    if (item.isEmpty() || sender.isEmpty()) {
      return Optional.empty();
    }
    var webhook = new Webhook(id, item.get(), sender.get(), fields, arrivedAt);
    return switch (event) {
      case CREATED -> created(webhook, change(webhook, 1));
      case UPDATED ->
          Json.id(resource, "id")
              .flatMap(
                  number -> updated(webhook, resource.path("fields"), change(webhook, number)));
      case COMMENTED -> comment(webhook, resource.path("commentVersionRef"));
      case DELETED ->
          Json.id(resource, "rev")
              .flatMap(number -> change(webhook, number).ended(IssueCancelTrigger.DELETE));
      default -> Optional.empty();
    };
  }

  /// @param number of the change among those of the work item
  private IssueChange change(Webhook webhook, long number) {
    return new IssueChange(
        rules,
        () -> event(webhook, api.page(webhook.item(), "")),
        ITEM_TYPE,
        webhook.title(),
        !isClosed(webhook.fields().path(STATE)),
        what -> what + " " + webhook.item() + UPDATE + number);
  }

  private boolean isClosed(JsonNode state) {
    return closedStates.contains(state.asText().toLowerCase(Locale.ROOT));
  }

  /// A new work item may have its tags and its assignee from the start.
  private Optional<Delivery> created(Webhook webhook, IssueChange change) {
    return change
        .labels(List.of(), webhook.tags())
        .or(() -> change.assignment(false, isOurs(webhook.fields().path(ASSIGNED_TO))));
  }

  /// @param changes each field that changed, with `oldValue` and `newValue`
  private Optional<Delivery> updated(Webhook webhook, JsonNode changes, IssueChange change) {
    return moved(webhook, changes.path(STATE), change)
        .or(() -> relabelled(changes.path(TAGS), change))
        .or(() -> reassigned(changes.path(ASSIGNED_TO), change));
  }

  /// The initial state of a work item has no old value: nobody moved the item there.
  private Optional<Delivery> moved(Webhook webhook, JsonNode state, IssueChange change) {
    var now = state.path("newValue");
    if (!now.isTextual() || !Json.isThere(state, "oldValue")) {
      return Optional.empty();
    }
    if (!isClosed(now)) {
      return change.moved(Optional.of(now.textValue()), api.isOurs(webhook.sender()));
    }
    return isClosed(state.path("oldValue"))
        ? Optional.empty()
        : change.ended(IssueCancelTrigger.CLOSE);
  }

  private static Optional<Delivery> relabelled(JsonNode tags, IssueChange change) {
    return change.labels(
        AzureApi.tags(tags.path("oldValue")), AzureApi.tags(tags.path("newValue")));
  }

  private Optional<Delivery> reassigned(JsonNode assignee, IssueChange change) {
    return change.assignment(isOurs(assignee.path("oldValue")), isOurs(assignee.path("newValue")));
  }

  private boolean isOurs(JsonNode person) {
    return Identity.of(person).filter(api::isOurs).isPresent();
  }

  /// @param comment its id, and its version, which grows with each edit
  private Optional<Delivery> comment(Webhook webhook, JsonNode comment) {
    var id = Json.id(comment, "commentId");
    var words = Json.text(webhook.fields(), "System.History");
    if (id.isEmpty()
        || words.isEmpty()
        || Json.id(comment, "version").filter(version -> version > 1).isPresent()
        || api.isOurs(webhook.sender())) {
      return Optional.empty();
    }
    return intent(words.get())
        .map(
            intent ->
                event(webhook, api.page(webhook.item(), "#" + id.get()))
                    .comment(
                        "comment " + webhook.item() + "/" + id.get() + " created",
                        intent,
                        IssueComments.ref(webhook.item(), id.get())));
  }

  private Optional<Intent> intent(String comment) {
    return rules.comment(text.markdown(comment));
  }

  /// Whether a comment, as Azure DevOps shows it, addresses Runnel.
  boolean addresses(String comment) {
    return intent(comment).isPresent();
  }

  private IssueEvent event(Webhook webhook, URI link) {
    var fields = webhook.fields();
    return new IssueEvent(
        webhook.id(),
        new Conversation(AzureDevOps.ID, webhook.item().toString()),
        webhook.sender().actor(),
        Optional.of(link),
        webhook.arrivedAt(),
        EarlierComments.snapshot(
                Json.instant(fields, "System.ChangedDate"),
                webhook.title(),
                fields.has(TITLE) ? Optional.of(description(fields)) : Optional.empty())
            .withLabels(webhook.tags()));
  }

  /// The description as people see it: for a bug, the steps to reproduce it. Azure DevOps omits
  /// empty fields.
  String description(JsonNode fields) {
    var parts = new ArrayList<String>();
    describe(parts, "", fields, "System.Description");
    describe(parts, "**Repro steps**\n\n", fields, "Microsoft.VSTS.TCM.ReproSteps");
    describe(
        parts, "**Acceptance criteria**\n\n", fields, "Microsoft.VSTS.Common.AcceptanceCriteria");
    return String.join("\n\n", parts);
  }

  private void describe(List<String> parts, String heading, JsonNode fields, String name) {
    Json.text(fields, name).map(text::markdown).map(heading::concat).ifPresent(parts::add);
  }
}
