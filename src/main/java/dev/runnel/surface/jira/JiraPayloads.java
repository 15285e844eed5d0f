package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.Snapshot;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.IssueCancelTrigger;
import dev.runnel.surface.kit.IssueRules;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.SaidBefore;
import dev.runnel.surface.kit.TrackerSettings;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Parses a webhook's JSON to a delivery. Pure. Tolerates missing and malformed fields: a payload
/// that it cannot read is ignored.
final class JiraPayloads {
  private static final String ISSUE = "issue";
  private static final String PREFIX = "jira:";

  private final SurfaceId surface;
  private final JiraSite site;
  private final URI url;
  private final IssueRules rules;
  private final String mention;
  private final BotAccount account;

  JiraPayloads(
      SurfaceId surface, JiraSite site, URI url, TrackerSettings settings, BotAccount account) {
    this.surface = surface;
    this.site = site;
    this.url = url;
    this.rules = new IssueRules(settings);
    this.mention = "@" + settings.mention();
    this.account = account;
  }

  private record Said(DeliveryId id, JiraIssue issue, JsonNode payload, Instant arrivedAt) {
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
      return StreamSupport.stream(payload.path("changelog").path("items").spliterator(), false)
          .filter(item -> Json.text(item, "field").filter(field::equalsIgnoreCase).isPresent());
    }
  }

  /// @return empty when the event does not concern Runnel
  Optional<Delivery> read(DeliveryId id, JsonNode payload, Instant arrivedAt) {
    var event = Json.text(payload, "webhookEvent").orElse("");
    var key = Json.text(payload.path("issue"), "key").flatMap(JiraIssue::of);
    if (key.isEmpty()) {
      return Optional.empty();
    }
    var said = new Said(id, key.get(), payload, arrivedAt);
    return switch (event.startsWith(PREFIX) ? event.substring(PREFIX.length()) : event) {
      case "issue_created" -> created(said);
      case "issue_updated" -> updated(said);
      case "issue_deleted" -> ended(said, IssueCancelTrigger.DELETE, "deleted");
      case "comment_created" -> comment(said);
      default -> Optional.empty();
    };
  }

  /// A new issue may have its labels and its assignee from the start.
  private Optional<Delivery> created(Said said) {
    var assignee = site.account(said.fields().path("assignee")).filter(account::is);
    return relabelled(said, List.of(), Json.strings(said.fields().path("labels")), "created")
        .or(
            () ->
                assignee.isPresent() && !said.isDone()
                    ? changed(said, "assign", "created", rules.assigned(said.title(), ISSUE))
                    : Optional.empty());
  }

  private Optional<Delivery> updated(Said said) {
    // Data Center also delivers comments as issue events.
    if (Json.text(said.payload(), "issue_event_type_name").equals(Optional.of("issue_commented"))) {
      return comment(said);
    }
    var at =
        Json.text(said.payload().path("changelog"), "id")
            .map(change -> "change " + change)
            .or(() -> Json.text(said.fields(), "updated"))
            .orElse(said.id().value());
    return Stream.<Function<String, Optional<Delivery>>>of(
            change -> moved(said, change),
            change -> transitioned(said, change),
            change -> relabelled(said, change),
            change -> reassigned(said, change))
        .flatMap(each -> each.apply(at).stream())
        .findFirst();
  }

  private Optional<Delivery> moved(Said said, String at) {
    return said.changes("key")
        .flatMap(item -> Json.text(item, "fromString").flatMap(JiraIssue::of).stream())
        .findFirst()
        .flatMap(
            old ->
                ended(
                    new Said(said.id(), old, said.payload(), said.arrivedAt()),
                    IssueCancelTrigger.MOVE,
                    at));
  }

  private Optional<Delivery> transitioned(Said said, String at) {
    var arrived =
        said.changes("status")
            .anyMatch(
                item ->
                    !Json.isThere(item, "to")
                        || Json.text(item, "to").equals(Json.text(said.status(), "id")));
    if (!arrived || !said.isDone()) {
      return Optional.empty();
    }
    var name = Json.text(said.status(), "name").orElse("").toLowerCase(Locale.ROOT);
    return ended(
        said, name.equals("closed") ? IssueCancelTrigger.CLOSE : IssueCancelTrigger.DONE, at);
  }

  /// Jira sends all labels before and after each change, separated by spaces.
  private Optional<Delivery> relabelled(Said said, String at) {
    return said.changes("labels")
        .findFirst()
        .flatMap(item -> relabelled(said, words(item, "fromString"), words(item, "toString"), at));
  }

  private static List<String> words(JsonNode item, String name) {
    return Json.text(item, name)
        .map(text -> Arrays.asList(text.strip().split("\\s+")))
        .orElse(List.of());
  }

  private Optional<Delivery> relabelled(
      Said said, List<String> before, List<String> after, String at) {
    return rules
        .relabelled(before, after, said.title(), ISSUE, !said.isDone())
        .flatMap(
            intent ->
                changed(said, intent instanceof Intent.Start ? "label" : "unlabel", at, intent));
  }

  private Optional<Delivery> reassigned(Said said, String at) {
    return said.changes("assignee")
        .findFirst()
        .flatMap(
            item -> {
              var was = Json.text(item, "from").filter(account::is).isPresent();
              var is = Json.text(item, "to").filter(account::is).isPresent();
              if (is && !was && !said.isDone()) {
                return changed(said, "assign", at, rules.assigned(said.title(), ISSUE));
              }
              return was && !is ? ended(said, IssueCancelTrigger.UNASSIGN, at) : Optional.empty();
            });
  }

  private Optional<Delivery> ended(Said said, IssueCancelTrigger issueCancelTrigger, String at) {
    return rules
        .ended(issueCancelTrigger, ISSUE)
        .flatMap(intent -> changed(said, issueCancelTrigger.word(), at, intent));
  }

  /// Only a start is addressed to Runnel: without an active run, a stop that nobody asked for does
  /// nothing.
  private Optional<Delivery> changed(Said said, String what, String at, Intent intent) {
    return actor(said.payload().path("user"))
        .map(
            actor ->
                new Delivery(
                        said.id(),
                        what + " " + said.issue() + " " + at,
                        said.issue().in(surface),
                        actor,
                        intent,
                        intent instanceof Intent.Start,
                        new Origin(
                            link(said.issue(), ""), Optional.empty(), Optional.empty(), false),
                        said.arrivedAt())
                    .about(
                        snapshot(
                            said, JiraSite.time(said.payload().path("changelog"), "created"))));
  }

  /// Ignores apps, and events without a user.
  private Optional<Actor> actor(JsonNode user) {
    return JiraSite.isApp(user) ? Optional.empty() : site.person(user);
  }

  private Optional<Delivery> comment(Said said) {
    var comment = said.payload().path("comment");
    var id = JiraComments.id(comment);
    var author = actor(comment.path("author"));
    if (id.isEmpty() || author.isEmpty() || isRestricted(comment)) {
      return Optional.empty();
    }
    return rules
        .said(JiraSite.markdown(comment.path("body"), this::called))
        .map(
            intent ->
                new Delivery(
                        said.id(),
                        "comment " + id.get() + " created",
                        said.issue().in(surface),
                        author.get(),
                        intent,
                        true,
                        new Origin(
                            link(said.issue(), "?focusedCommentId=" + id.get()),
                            Optional.empty(),
                            Optional.of(said.issue().comment(id.get())),
                            false),
                        said.arrivedAt())
                    .about(snapshot(said, JiraSite.time(comment, "created"))));
  }

  /// The issue at the time of the request. A webhook has its own timestamp; comments and missed
  /// changes have theirs.
  private Snapshot snapshot(Said said, Optional<Instant> dated) {
    return SaidBefore.snapshot(
        dated.or(() -> Json.id(said.payload(), "timestamp").map(Instant::ofEpochMilli)),
        said.title(),
        said.fields().has("description")
            ? Optional.of(JiraSite.markdown(said.fields().path("description"), this::called))
            : Optional.empty());
  }

  /// Whether fewer people can read the comment than the issue. An answer would be visible to all of
  /// them.
  static boolean isRestricted(JsonNode comment) {
    var isPublic = comment.path("jsdPublic");
    return Json.isThere(comment, "visibility") || (isPublic.isBoolean() && !isPublic.asBoolean());
  }

  /// A mention of the bot's account, chosen from Jira's list, counts like the mention word.
  String called(String person) {
    return account.is(person) ? mention : person;
  }

  boolean isAccount(String person) {
    return account.is(person);
  }

  private Optional<URI> link(JiraIssue issue, String more) {
    return Optional.of(URI.create(url + "/browse/" + issue.key() + more));
  }
}
