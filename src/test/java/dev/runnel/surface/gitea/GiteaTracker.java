package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// A Gitea that says what changed, as newer ones do, or leaves that to its timeline.
final class GiteaTracker implements Tracker {
  private final FakeGitea platform = new FakeGitea();
  private final boolean saysWhatChanged;
  private final TrackerSurface<?> surface =
      Gitea.surface(
          new GiteaConfig(
              List.of("an older one", GiteaRequests.SECRET),
              "a-token",
              platform.address(),
              Settings.withStateLabels()),
          new OkHttpClient(),
          new SettableClock());

  GiteaTracker(boolean saysWhatChanged) {
    this.saysWhatChanged = saysWhatChanged;
    surface.start();
  }

  @Override
  public TrackerSurface<?> surface() {
    return surface;
  }

  @Override
  public FakeGitea platform() {
    return platform;
  }

  private RawRequest labels(boolean added, String changed, List<String> now) {
    var event = JsonNodeFactory.instance.objectNode().put("type", "label");
    event.put("body", added ? "1" : "").putObject("label").put("name", changed);
    platform.shows(JsonNodeFactory.instance.arrayNode().add(event));
    return GiteaRequests.golden(
        "issue-label",
        body -> {
          var labels = ((ObjectNode) body.path("issue")).putArray("labels");
          now.forEach(name -> labels.addObject().put("name", name));
          if (saysWhatChanged) {
            body.putObject("changes")
                .putArray(added ? "added_labels" : "removed_labels")
                .addObject()
                .put("name", changed);
          }
        });
  }

  @Override
  public RawRequest labelAdded(String label, String... others) {
    var now = new ArrayList<>(Arrays.asList(others));
    now.add(label);
    return labels(true, label, now);
  }

  @Override
  public RawRequest labelRemoved(String label, String... staying) {
    return labels(false, label, List.of(staying));
  }

  @Override
  public RawRequest edited(String... labels) {
    return GiteaRequests.golden("issue-edited");
  }

  @Override
  public RawRequest assigned(String account) {
    return assignment("assigned", account, List.of(account));
  }

  @Override
  public RawRequest unassigned(String account) {
    return assignment("unassigned", account, List.of());
  }

  private RawRequest assignment(String action, String account, List<String> now) {
    var event = JsonNodeFactory.instance.objectNode().put("type", "assignees");
    event.put("removed_assignee", now.isEmpty()).putObject("assignee").put("login", account);
    platform.shows(JsonNodeFactory.instance.arrayNode().add(event));
    return GiteaRequests.golden(
        "issue-assign",
        body -> {
          body.put("action", action);
          var issue = (ObjectNode) body.path("issue");
          issue.putNull("assignee");
          ArrayNode assignees = issue.putArray("assignees");
          now.forEach(login -> assignees.addObject().put("login", login));
        });
  }

  @Override
  public RawRequest closedBy(Person person) {
    return GiteaRequests.golden("issue-closed", body -> as(body.path("sender"), person));
  }

  @Override
  public Optional<RawRequest> deleted() {
    return Optional.of(GiteaRequests.golden("issue-closed", body -> body.put("action", "deleted")));
  }

  @Override
  public RawRequest commented(Person by, String text) {
    return GiteaRequests.golden("issue-comment", body -> say(body, by, text));
  }

  private static void say(ObjectNode body, Person by, String text) {
    var comment = (ObjectNode) body.path("comment");
    comment.put("body", text);
    for (var account : List.of(body.path("sender"), comment.path("user"))) {
      as(account, by);
    }
  }

  private static void as(JsonNode account, Person person) {
    switch (person) {
      case MAINTAINER -> {}
      case STRANGER -> ((ObjectNode) account).put("id", 77).put("login", "stranger");
      case BOT -> ((ObjectNode) account).put("id", -2).put("login", "gitea-actions");
    }
  }

  @Override
  public RawRequest commentEdited(String text) {
    return GiteaRequests.golden("issue-comment-edited", body -> say(body, Person.MAINTAINER, text));
  }

  @Override
  public RawRequest labelAddedTo(int issue) {
    return GiteaRequests.golden(
        "issue-label-with-changes", body -> ((ObjectNode) body.path("issue")).put("number", issue));
  }

  @Override
  public RawRequest commentOn(int issue, long id) {
    return GiteaRequests.golden(
        "issue-comment",
        body -> {
          ((ObjectNode) body.path("issue")).put("number", issue);
          ((ObjectNode) body.path("comment")).put("id", id);
        });
  }

  @Override
  public RawRequest saidAgain(RawRequest request) {
    return GiteaRequests.with(request, "x-gitea-delivery", "another");
  }

  @Override
  public List<RawRequest> notProved(RawRequest request) {
    var header = "x-gitea-signature";
    return List.of(
        GiteaRequests.with(request, header, ""),
        GiteaRequests.with(request, header, "0".repeat(64)),
        GiteaRequests.with(request, header, "é".repeat(64)),
        new RawRequest(
            request.method(),
            request.path(),
            Map.of("x-hub-signature-256", "sha256=", "x-gitea-event", "issues"),
            request.body(),
            request.arrivedAt()));
  }

  @Override
  public RawRequest proved(byte[] body) {
    return GiteaRequests.signed(Map.of("x-gitea-event", "issues", "x-gitea-delivery", "d1"), body);
  }
}
