package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// GitHub with a token, over the recorded and the vendor's deliveries.
final class GitHubTracker implements Tracker {
  private final FakeGitHub platform = new FakeGitHub();
  private final TrackerSurface<?> surface =
      GitHub.surface(
          GitHubConfigs.withToken(
              List.of(Deliveries.SECRET),
              "a-token",
              platform.address(),
              Settings.withStateLabels()),
          new OkHttpClient(),
          new SettableClock());

  GitHubTracker() {
    surface.start();
  }

  @Override
  public TrackerSurface<?> surface() {
    return surface;
  }

  @Override
  public FakeGitHub platform() {
    return platform;
  }

  private static void labels(ObjectNode body, String changed, String... labels) {
    ((ObjectNode) body.path("label")).put("name", changed);
    labels(body, labels);
  }

  private static void labels(ObjectNode body, String... labels) {
    var list = ((ObjectNode) body.path("issue")).putArray("labels");
    for (var label : labels) {
      list.addObject().put("name", label);
    }
  }

  @Override
  public RawRequest labelAdded(String label, String... others) {
    return Deliveries.golden(
        "recorded-labeled",
        body -> {
          labels(body, label, others);
          body.withArray("/issue/labels").addObject().put("name", label);
        });
  }

  @Override
  public RawRequest labelRemoved(String label, String... staying) {
    return Deliveries.golden("recorded-unlabeled", body -> labels(body, label, staying));
  }

  @Override
  public RawRequest edited(String... labels) {
    return Deliveries.golden("vendor-issues-edited", body -> labels(body, labels));
  }

  @Override
  public RawRequest assigned(String account) {
    return assignment("assigned", account);
  }

  @Override
  public RawRequest unassigned(String account) {
    return assignment("unassigned", account);
  }

  private static RawRequest assignment(String action, String account) {
    return Deliveries.golden(
        "vendor-issues-assigned",
        body -> {
          body.put("action", action);
          ((ObjectNode) body.path("assignee")).put("login", account);
        });
  }

  @Override
  public RawRequest closedBy(Person person) {
    return Deliveries.golden(
        "recorded-closed",
        body -> {
          var sender = (ObjectNode) body.path("sender");
          switch (person) {
            case MAINTAINER -> {}
            case STRANGER -> sender.put("login", "stranger");
            case BOT -> sender.put("login", "stale[bot]").put("type", "Bot");
          }
        });
  }

  @Override
  public Optional<RawRequest> deleted() {
    return Optional.of(Deliveries.golden("vendor-issues-deleted"));
  }

  @Override
  public RawRequest commented(Person by, String text) {
    return Deliveries.golden("recorded-comment", body -> say(body, by, text));
  }

  private static void say(ObjectNode body, Person by, String text) {
    var comment = (ObjectNode) body.path("comment");
    comment.put("body", text);
    switch (by) {
      case MAINTAINER -> {}
      case STRANGER -> comment.put("author_association", "NONE");
      case BOT -> {
        ((ObjectNode) comment.path("user")).put("type", "Bot");
        ((ObjectNode) body.path("sender")).put("type", "Bot");
      }
    }
  }

  @Override
  public RawRequest commentEdited(String text) {
    return Deliveries.golden("recorded-comment-edited", body -> say(body, Person.MAINTAINER, text));
  }

  @Override
  public RawRequest labelAddedTo(int issue) {
    return Deliveries.golden(
        "recorded-labeled", body -> ((ObjectNode) body.path("issue")).put("number", issue));
  }

  @Override
  public RawRequest commentOn(int issue, long id) {
    return Deliveries.golden(
        "recorded-comment",
        body -> {
          ((ObjectNode) body.path("issue")).put("number", issue);
          ((ObjectNode) body.path("comment")).put("id", id);
        });
  }

  @Override
  public RawRequest saidAgain(RawRequest request) {
    return Deliveries.with(request, "x-github-delivery", "another");
  }

  @Override
  public List<RawRequest> notProved(RawRequest request) {
    var header = "x-hub-signature-256";
    return List.of(
        Deliveries.without(request, header),
        Deliveries.with(request, header, ""),
        Deliveries.with(request, header, "sha256="),
        Deliveries.with(request, header, "sha256=" + "0".repeat(64)));
  }

  @Override
  public RawRequest proved(byte[] body) {
    return Deliveries.signed(Map.of("x-github-event", "issues", "x-github-delivery", "d1"), body);
  }
}
