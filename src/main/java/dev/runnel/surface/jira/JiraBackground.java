package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.run.Background;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.PagedReader;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.IssueComments;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Reads an issue's history for the agent: the issue itself, and the comments of people who may
/// start runs. Restricted comments are left out, because everybody can read the agent's answer.
record JiraBackground(JiraApi api, JiraAccessCheck access, JiraPayloads payloads) {
  Background read(JiraIssue key, Delivery delivery) {
    var fields = api.issue(key).required().path("fields");
    Map<String, Boolean> permitted = new HashMap<>();
    var earlier = new EarlierComments(delivery);
    for (var json :
        PagedReader.read(page -> api.comments(key, page), JiraApi.PAGE, _ -> earlier.isFull())) {
      var author = api.site().person(json.path("author"));
      if (author.isEmpty() || isOurs(key, json)) {
        continue;
      }
      var at = JiraSite.time(json, "created").orElse(Instant.EPOCH);
      var comment =
          new EarlierComments.Comment(
              JiraComments.id(json).map(id -> IssueComments.ref(key, id)),
              author.get().name(),
              at,
              JiraSite.time(json, "updated").orElse(at),
              JiraSite.markdown(json.path("body"), payloads::textForMention));
      var id = author.get().id();
      earlier.add(
          comment,
          () -> permitted.computeIfAbsent(id, it -> access.mayAsk(key, it)) && !api.isHidden(json),
          // Our posts have no marker in their text.
          false);
    }
    return earlier.background(
        "Jira issue " + key,
        Json.text(fields, "summary"),
        JiraSite.markdown(fields.path("description"), payloads::textForMention),
        Json.strings(fields.path("labels")),
        payloads.link(key, ""),
        JiraSite.time(fields, "updated"));
  }

  /// Our posts have a marker, whichever token posted them.
  private boolean isOurs(JiraIssue key, JsonNode comment) {
    var isByUs = api.site().account(comment.path("author")).filter(api.account()::is).isPresent();
    var id = JiraComments.id(comment);
    return isByUs && id.isPresent() && api.marker(key, id.get()).found().isPresent();
  }
}
