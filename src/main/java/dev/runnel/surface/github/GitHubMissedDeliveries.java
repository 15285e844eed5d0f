package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds missed comments and label changes in the repositories of the latest runs, because GitHub
/// never redelivers a webhook by itself. These lists need only read access to issues; where a
/// webhook's delivery list can be read, [GitHubDeliveries] is used.
final class GitHubMissedDeliveries {
  private static final Logger log = LoggerFactory.getLogger(GitHubMissedDeliveries.class);
  private static final int MAX_REPOSITORIES = 20;
  private static final int MAX_ISSUES = 30;

  private final SurfaceId surface;
  private final GitHubApi api;
  private final GitHubPayloads payloads;
  private final InstantSource clock;

  GitHubMissedDeliveries(
      SurfaceId surface, GitHubApi api, GitHubPayloads payloads, InstantSource clock) {
    this.surface = surface;
    this.api = api;
    this.payloads = payloads;
    this.clock = clock;
  }

  MissedDeliveries since(Instant since, List<Conversation> conversations) {
    var repositories =
        conversations.stream()
            .flatMap(each -> IssueKey.of(each).stream())
            .map(IssueKey::repository);
    var heard = new ArrayList<MissedDeliveries.Heard>();
    var unread = new ArrayList<String>();
    try {
      for (var repository : repositories.distinct().limit(MAX_REPOSITORIES).toList()) {
        var issues = read(page -> api.issues(repository, since, page), unread);
        if (issues.size() > MAX_ISSUES) {
          log.warn(
              "catch-up limit reached, some issues skipped repository={} count={}",
              repository,
              issues.size());
        }
        for (var issue : issues.stream().limit(MAX_ISSUES).toList()) {
          hear(heard, unread, repository, issue, since);
        }
      }
    } catch (Pages.Waits waits) {
      return new MissedDeliveries.Unknown(waits.after(), waits.why());
    }
    heard.sort(Comparator.comparing(MissedDeliveries.Heard::at));
    return new MissedDeliveries.Said(heard, unread.stream().findFirst());
  }

  private static List<JsonNode> read(IntFunction<ApiResult> pages, List<String> unread)
      throws Pages.Waits {
    return Pages.read(pages, GitHubApi.PAGE, _ -> false, unread::add);
  }

  private void hear(
      List<MissedDeliveries.Heard> heard,
      List<String> unread,
      String repository,
      JsonNode issue,
      Instant since)
      throws Pages.Waits {
    var number = Json.number(issue, "number").flatMap(it -> IssueKey.of(repository, it));
    if (number.isEmpty()) {
      return;
    }
    var key = number.get();
    for (var comment : read(page -> api.comments(key, since, page), unread)) {
      said(heard, CommentKind.IN_A_COMMENT, repository, issue, comment, since);
    }
    if (Json.isThere(issue, "pull_request")) {
      for (var comment : read(page -> api.lineComments(key, since, page), unread)) {
        said(heard, CommentKind.ON_A_LINE, repository, issue, comment, since);
      }
      for (var review : read(page -> api.reviews(key, page), unread)) {
        said(heard, CommentKind.IN_A_REVIEW, repository, issue, review, since);
      }
    }
    for (var event : read(page -> api.events(key, page), unread)) {
      var payload =
          payload(
              event.path("event").asText(), repository, event.path("actor"), asItWas(issue, event));
      payload.set("label", event.path("label"));
      payload.set("assignee", event.path("assignee"));
      hear(heard, "issues", payload, event, "created_at", since);
    }
  }

  private void said(
      List<MissedDeliveries.Heard> heard,
      CommentKind kind,
      String repository,
      JsonNode issue,
      JsonNode said,
      Instant since) {
    var payload = payload(kind.first(), repository, said.path("user"), issue);
    payload.set(kind.member(), said);
    var dated = kind == CommentKind.IN_A_REVIEW ? "submitted_at" : "created_at";
    hear(heard, kind.event(), payload, said, dated, since);
  }

  /// The issue at the time of the event: a label that was added and removed again still started a
  /// run.
  private static JsonNode asItWas(JsonNode issue, JsonNode event) {
    ObjectNode then = issue.deepCopy();
    then.set("updated_at", event.path("created_at"));
    return then;
  }

  /// @param thing the event or comment, with its `id`
  /// @param dated the field that has its time
  private void hear(
      List<MissedDeliveries.Heard> heard,
      String event,
      ObjectNode payload,
      JsonNode thing,
      String dated,
      Instant since) {
    var at = Json.instant(thing, dated).filter(it -> !it.isBefore(since));
    var id = Json.id(thing, "id").map(it -> "caught-up-" + event + "-" + it);
    if (at.isPresent() && id.isPresent()) {
      payloads
          .read(event, DeliveryId.of(surface, id.get()), payload, clock.instant())
          .ifPresent(
              said ->
                  heard.add(
                      new MissedDeliveries.Heard(
                          said, at.get(), CommentKind.of(event).isPresent())));
    }
  }

  private static ObjectNode payload(
      String action, String repository, JsonNode sender, JsonNode issue) {
    var payload = JsonNodeFactory.instance.objectNode().put("action", action);
    payload.putObject("repository").put("full_name", repository);
    payload.set("sender", sender);
    payload.set("issue", issue);
    return payload;
  }
}
