package dev.runnel.surface.jira;

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
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/// Finds missed comments and changes in the projects of the latest runs, and on all issues with the
/// trigger label, because Jira stops retrying a webhook after some attempts.
final class JiraMissedDeliveries {
  private static final int MAX_PROJECTS = 20;
  private static final int MAX_ISSUES = 50;

  private final SurfaceId surface;
  private final JiraApi api;
  private final JiraPayloads payloads;
  private final String label;
  private final InstantSource clock;

  JiraMissedDeliveries(
      SurfaceId surface, JiraApi api, JiraPayloads payloads, String label, InstantSource clock) {
    this.surface = surface;
    this.api = api;
    this.payloads = payloads;
    this.label = label;
    this.clock = clock;
  }

  MissedDeliveries since(Instant since, List<Conversation> conversations) {
    var heard = new ArrayList<MissedDeliveries.Heard>();
    var unread = new ArrayList<String>();
    try {
      var found =
          Pages.read(
              _ -> api.search(query(since, conversations)),
              Integer.MAX_VALUE,
              _ -> false,
              unread::add);
      for (var each : found.stream().limit(MAX_ISSUES).toList()) {
        var key = Json.text(each, "key").flatMap(JiraIssue::of);
        if (key.isPresent()) {
          hear(heard, unread, key.get(), since);
        }
      }
    } catch (Pages.Waits waits) {
      return new MissedDeliveries.Unknown(waits.after(), waits.why());
    }
    heard.sort(Comparator.comparing(MissedDeliveries.Heard::at));
    return new MissedDeliveries.Said(heard, unread.stream().findFirst());
  }

  /// Uses minutes ago, because a time of day would be read in the account's time zone.
  private String query(Instant since, List<Conversation> conversations) {
    var projects =
        conversations.stream()
            .flatMap(each -> JiraIssue.of(each).stream())
            .map(JiraIssue::project)
            .distinct()
            .limit(MAX_PROJECTS)
            .map(JiraMissedDeliveries::quoted)
            .collect(Collectors.joining(", "));
    var minutes = Math.max(1, Duration.between(since, clock.instant()).toMinutes() + 1);
    return "updated >= \"-%dm\" AND (labels = %s%s) ORDER BY updated ASC"
        .formatted(
            minutes, quoted(label), projects.isEmpty() ? "" : " OR project IN (" + projects + ")");
  }

  /// Quotes text that may contain spaces, quotes and JQL keywords.
  static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private void hear(
      List<MissedDeliveries.Heard> heard, List<String> unread, JiraIssue key, Instant since)
      throws Pages.Waits {
    switch (api.history(key)) {
      case ApiResult.Done(var issue) -> {
        if (JiraSite.time(issue.path("fields"), "created").filter(since::isBefore).isPresent()) {
          hear(heard, created(issue), issue.path("fields"), "issue-" + key, since);
        }
        for (var change : issue.path("changelog").path("histories")) {
          hear(
              heard,
              changed(issue, change),
              change,
              "change-" + Json.text(change, "id").orElse(""),
              since);
        }
        for (var comment :
            Pages.read(
                page -> api.comments(key, page),
                JiraApi.PAGE,
                each -> JiraSite.time(each, "created").filter(since::isAfter).isPresent(),
                unread::add)) {
          hear(
              heard,
              commented(issue, comment),
              comment,
              "comment-" + JiraComments.id(comment).orElse(0L),
              since);
        }
      }
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone _ -> {}
      case ApiResult.Refused(var why) -> unread.add(why);
    }
  }

  private void hear(
      List<MissedDeliveries.Heard> heard,
      ObjectNode payload,
      JsonNode dated,
      String id,
      Instant since) {
    var at = JiraSite.time(dated, "created").filter(it -> !it.isBefore(since));
    if (at.isPresent()) {
      payloads
          .read(DeliveryId.of(surface, "caught-up-" + id), payload, clock.instant())
          .ifPresent(said -> heard.add(new MissedDeliveries.Heard(said, at.get(), true)));
    }
  }

  private static ObjectNode payload(String event, JsonNode issue, JsonNode user) {
    var payload = JsonNodeFactory.instance.objectNode().put("webhookEvent", event);
    payload.set("issue", issue);
    payload.set("user", user);
    return payload;
  }

  /// The issue's creation with its current fields: later changes have entries of their own.
  private static ObjectNode created(JsonNode issue) {
    ObjectNode first = issue.deepCopy();
    var fields = first.withObjectProperty("fields");
    for (var change : issue.path("changelog").path("histories")) {
      for (var item : change.path("items")) {
        var field = Json.text(item, "field").orElse("");
        if (field.equals("labels") || field.equals("assignee")) {
          fields.remove(field);
        }
      }
    }
    return payload("jira:issue_created", first, issue.path("fields").path("creator"));
  }

  private static ObjectNode changed(JsonNode issue, JsonNode change) {
    var payload = payload("jira:issue_updated", issue, change.path("author"));
    payload.set("changelog", change);
    return payload;
  }

  private static ObjectNode commented(JsonNode issue, JsonNode comment) {
    var payload = payload("comment_created", issue, comment.path("author"));
    payload.set("comment", comment);
    return payload;
  }
}
