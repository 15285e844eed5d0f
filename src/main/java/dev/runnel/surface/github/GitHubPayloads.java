package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Ending;
import dev.runnel.surface.kit.IssueRules;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.TrackerSettings;
import java.time.Instant;
import java.util.Optional;

/// From a webhook's JSON to what was said. Pure, and at ease with members that are missing or
/// strange: what it cannot read is not for us.
///
/// Payloads: https://docs.github.com/webhooks/webhook-events-and-payloads
final class GitHubPayloads {
  private static final String ISSUE = "issue";

  private final SurfaceId surface;
  private final IssueRules rules;
  private final BotAccount account;

  GitHubPayloads(SurfaceId surface, TrackerSettings settings, BotAccount account) {
    this.surface = surface;
    this.rules = new IssueRules(settings);
    this.account = account;
  }

  /// @param event as in `X-GitHub-Event`
  /// @return empty when nothing in it is for us
  Optional<Delivery> read(String event, DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var issue = payload.path("issue");
    var key =
        Json.text(payload.path("repository"), "full_name")
            .flatMap(
                name -> Json.number(issue, "number").flatMap(number -> IssueKey.of(name, number)));
    var sender = People.person(payload.path("sender"));
    var action = Json.text(payload, "action");
    if (key.isEmpty() || sender.isEmpty() || action.isEmpty()) {
      return Optional.empty();
    }
    var said = new Said(id, action.get(), key.get(), sender.get(), payload, arrivedAt);
    return switch (event) {
      case "issues" -> issues(said);
      case "issue_comment" -> comment(said);
      default -> Optional.empty();
    };
  }

  private record Said(
      DeliveryId id,
      String action,
      IssueKey key,
      Actor sender,
      JsonNode payload,
      Instant arrivedAt) {
    JsonNode issue() {
      return payload.path("issue");
    }

    Optional<String> label() {
      return Json.text(payload.path("label"), "name");
    }

    Optional<String> assignee() {
      return Json.text(payload.path("assignee"), "login");
    }

    Optional<String> title() {
      return Json.text(issue(), "title");
    }

    /// The same for the deliveries of a repository's hook and of its organisation's.
    String meaning(String what) {
      return what
          + ":"
          + key
          + ":"
          + label().map(name -> name + ":").orElse("")
          + Json.text(issue(), "updated_at").orElse(id.value());
    }
  }

  private Optional<Delivery> issues(Said said) {
    return switch (said.action()) {
      case "labeled" ->
          said.label()
              .filter(_ -> mayStart(said))
              .flatMap(name -> rules.labelled(name, said.title(), ISSUE))
              .map(intent -> changed(said, "label", intent));
      case "assigned" ->
          said.assignee()
              .filter(account::is)
              .filter(_ -> mayStart(said))
              .map(_ -> changed(said, "assign", rules.assigned(said.title(), ISSUE)));
      // GitHub's own examples show the removed label among those that stay.
      case "unlabeled" ->
          said.label()
              .flatMap(
                  name ->
                      rules.unlabelled(
                          name, Json.texts(said.issue().path("labels"), "name"), ISSUE))
              .map(intent -> changed(said, said.action(), intent));
      case "unassigned" ->
          said.assignee().filter(account::is).flatMap(_ -> ended(said, Ending.UNASSIGN));
      case "closed" -> ended(said, Ending.CLOSE);
      case "deleted" -> ended(said, Ending.DELETE);
      case "transferred" -> ended(said, Ending.MOVE);
      default -> Optional.empty();
    };
  }

  private static boolean mayStart(Said said) {
    return Json.text(said.issue(), "state").equals(Optional.of("open"))
        && People.mayLabel(said.sender(), said.issue());
  }

  private Optional<Delivery> ended(Said said, Ending ending) {
    return rules.ended(ending, ISSUE).map(intent -> changed(said, said.action(), intent));
  }

  /// Only a start is said to Runnel: where no run goes on, a stop that nobody said does nothing.
  private Delivery changed(Said said, String what, Intent intent) {
    return delivery(
        said,
        said.meaning(what),
        intent,
        intent instanceof Intent.Start,
        new Origin(Json.link(said.issue(), "html_url"), Optional.empty(), Optional.empty(), false));
  }

  private Optional<Delivery> comment(Said said) {
    var comment = said.payload().path("comment");
    var body = Json.text(comment, "body");
    var id = Json.id(comment, "id");
    if (!said.action().equals("created")
        || body.isEmpty()
        || id.isEmpty()
        || !People.mayAsk(comment)) {
      return Optional.empty();
    }
    return rules
        .said(body.get())
        .map(
            intent ->
                delivery(
                    said,
                    meaning(id.get()),
                    intent,
                    true,
                    new Origin(
                        Json.link(comment, "html_url"),
                        Optional.empty(),
                        Optional.of(said.key().comment(id.get())),
                        false)));
  }

  /// The semantic key of a new comment.
  static String meaning(long comment) {
    return "comment:" + comment + ":created";
  }

  private Delivery delivery(
      Said said, String meaning, Intent intent, boolean addressed, Origin origin) {
    return new Delivery(
        said.id(),
        meaning,
        said.key().in(surface),
        said.sender(),
        intent,
        addressed,
        origin,
        said.arrivedAt());
  }
}
