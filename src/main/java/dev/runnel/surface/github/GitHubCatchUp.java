package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Missed;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What was said and labelled in the repositories of the latest runs: GitHub never sends a
/// delivery again. Lists need no more than the right to read issues, which the list of a hook's
/// deliveries does.
final class GitHubCatchUp {
  private static final Logger log = LoggerFactory.getLogger(GitHubCatchUp.class);
  private static final int MOST_REPOSITORIES = 20;
  private static final int MOST_ISSUES = 30;
  private static final int MOST_PAGES = 5;

  private final SurfaceId surface;
  private final GitHubApi api;
  private final GitHubPayloads payloads;
  private final InstantSource clock;

  GitHubCatchUp(SurfaceId surface, GitHubApi api, GitHubPayloads payloads, InstantSource clock) {
    this.surface = surface;
    this.api = api;
    this.payloads = payloads;
    this.clock = clock;
  }

  /// GitHub could not be asked now.
  private static final class Waits extends Exception {
    private static final long serialVersionUID = 1;
    private final Optional<Duration> after;
    private final String why;

    Waits(ApiResult.Busy busy) {
      super(busy.why());
      this.after = busy.after();
      this.why = busy.why();
    }
  }

  Missed since(Instant since, List<Conversation> conversations) {
    var repositories =
        conversations.stream()
            .flatMap(each -> IssueKey.of(each).stream())
            .map(IssueKey::repository);
    var heard = new ArrayList<Missed.Heard>();
    try {
      for (var repository : repositories.distinct().limit(MOST_REPOSITORIES).toList()) {
        var issues = read(page -> api.issues(repository, since, page));
        if (issues.size() > MOST_ISSUES) {
          log.warn("catch-up leaves issues out repository={} count={}", repository, issues.size());
        }
        for (var issue : issues.stream().limit(MOST_ISSUES).toList()) {
          hear(heard, repository, issue, since);
        }
      }
    } catch (Waits waits) {
      return new Missed.Unknown(waits.after, waits.why);
    }
    heard.sort(Comparator.comparing(Missed.Heard::at));
    return new Missed.Said(heard);
  }

  private void hear(List<Missed.Heard> heard, String repository, JsonNode issue, Instant since)
      throws Waits {
    var key = Json.number(issue, "number").flatMap(number -> IssueKey.of(repository, number));
    if (key.isEmpty()) {
      return;
    }
    for (var comment : read(page -> api.comments(key.get(), since, page))) {
      var payload = payload("created", repository, comment.path("user"), issue);
      payload.set("comment", comment);
      hear(heard, "issue_comment", payload, comment, since);
    }
    for (var event : read(page -> api.events(key.get(), page))) {
      var payload =
          payload(
              event.path("event").asText(), repository, event.path("actor"), asItWas(issue, event));
      payload.set("label", event.path("label"));
      payload.set("assignee", event.path("assignee"));
      hear(heard, "issues", payload, event, since);
    }
  }

  /// A label that an issue got and lost again still started a run.
  private static JsonNode asItWas(JsonNode issue, JsonNode event) {
    ObjectNode then = issue.deepCopy();
    then.set("updated_at", event.path("created_at"));
    return then;
  }

  /// @param dated what happened, with its `id` and `created_at`
  private void hear(
      List<Missed.Heard> heard, String event, ObjectNode payload, JsonNode dated, Instant since) {
    var at = Json.instant(dated, "created_at").filter(it -> !it.isBefore(since));
    var id = Json.id(dated, "id").map(it -> "caught-up-" + event + "-" + it);
    if (at.isPresent() && id.isPresent()) {
      payloads
          .read(event, DeliveryId.of(surface, id.get()), payload, clock.instant())
          .ifPresent(said -> heard.add(new Missed.Heard(said, at.get(), payload.has("comment"))));
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

  private static List<JsonNode> read(IntFunction<ApiResult> pages) throws Waits {
    var all = new ArrayList<JsonNode>();
    for (var page = 1; page <= MOST_PAGES; page++) {
      switch (pages.apply(page)) {
        case ApiResult.Done(var list) -> {
          list.forEach(all::add);
          if (list.size() < GitHubApi.PAGE) {
            return all;
          }
        }
        case ApiResult.Busy busy -> throw new Waits(busy);
        case ApiResult.Gone(var why) -> {
          log.info("catch-up sees nothing why={}", why);
          return all;
        }
        case ApiResult.Refused(var why) -> {
          log.warn("catch-up refused why={}", why);
          return all;
        }
      }
    }
    return all;
  }
}
