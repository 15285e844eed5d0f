package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.flow.Grammar;
import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.RunOptions;
import dev.runnel.core.model.SurfaceId;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.StreamSupport;

/// From a webhook's JSON to what was said. Pure, and at ease with members that are missing or
/// strange: what it cannot read is not for us.
///
/// Payloads: https://docs.github.com/webhooks/webhook-events-and-payloads
final class GitHubPayloads {
  private static final int LONGEST_TITLE = 300;

  private final SurfaceId surface;
  private final String label;
  private final Mention mention;

  GitHubPayloads(SurfaceId surface, String label, String mention) {
    this.surface = surface;
    this.label = label;
    this.mention = new Mention(mention);
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
      case "labeled" -> said.label().filter(this::isTrigger).flatMap(name -> labeled(said, name));
      case "unlabeled" ->
          said.label()
              .filter(this::isTrigger)
              .filter(removed -> !isStillTriggered(said.issue(), removed))
              .map(_ -> cancel(said, "the label was removed"));
      case "closed" -> Optional.of(cancel(said, "the issue was closed"));
      case "deleted" -> Optional.of(cancel(said, "the issue was deleted"));
      case "transferred" -> Optional.of(cancel(said, "the issue was moved away"));
      default -> Optional.empty();
    };
  }

  private Optional<Delivery> labeled(Said said, String name) {
    var open = Json.text(said.issue(), "state").equals(Optional.of("open"));
    if (!open || !People.mayLabel(said.sender(), said.issue())) {
      return Optional.empty();
    }
    var task =
        Json.text(said.issue(), "title")
            .map(title -> Markdown.line(title, LONGEST_TITLE))
            .filter(title -> !title.isEmpty())
            .map(title -> "Work on this issue: " + title)
            .orElse("Work on this issue.");
    var options = profile(name).map(GitHubPayloads::withProfile).orElse(RunOptions.NONE);
    return Optional.of(
        delivery(
            said,
            said.meaning("label"),
            new Intent.Start(new Request(task, options)),
            true,
            new Origin(
                Json.link(said.issue(), "html_url"), Optional.empty(), Optional.empty(), false)));
  }

  /// Nobody said it to Runnel, so where no run goes on, nothing happens.
  private Delivery cancel(Said said, String why) {
    return delivery(
        said,
        said.meaning(said.action()),
        new Intent.Cancel(Optional.empty(), Optional.of(why)),
        false,
        new Origin(Json.link(said.issue(), "html_url"), Optional.empty(), Optional.empty(), false));
  }

  private Optional<Delivery> comment(Said said) {
    var comment = said.payload().path("comment");
    var body = Json.text(comment, "body");
    var id = Json.id(comment, "id");
    if (!said.action().equals("created")
        || body.isEmpty()
        || id.isEmpty()
        || !People.mayAsk(comment)
        || Marker.isIn(body.get())) {
      return Optional.empty();
    }
    return mention
        .in(body.get())
        .flatMap(Grammar::words)
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

  private boolean isTrigger(String name) {
    return name.equalsIgnoreCase(label) || profile(name).isPresent();
  }

  /// GitHub's own examples show the removed label among those that stay.
  private boolean isStillTriggered(JsonNode issue, String removed) {
    return StreamSupport.stream(issue.path("labels").spliterator(), false)
        .flatMap(each -> Json.text(each, "name").stream())
        .anyMatch(name -> isTrigger(name) && !name.equalsIgnoreCase(removed));
  }

  /// `fast` of `agent:fast`.
  private Optional<String> profile(String name) {
    var prefix = label + ":";
    return name.regionMatches(true, 0, prefix, 0, prefix.length())
        ? Optional.of(name.substring(prefix.length()).strip()).filter(rest -> !rest.isEmpty())
        : Optional.empty();
  }

  private static RunOptions withProfile(String profile) {
    var none = RunOptions.NONE;
    return new RunOptions(
        Optional.of(profile),
        none.environment(),
        none.model(),
        none.skill(),
        none.name(),
        none.title(),
        none.factory());
  }
}
