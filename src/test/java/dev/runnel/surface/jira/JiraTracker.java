package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.jira.JiraConfig.CommentVisibility;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.IssueStage;
import dev.runnel.surface.tracker.TrackerSettings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;

/// A Jira in the cloud, whose people are account ids, or a Data Center, whose people are names.
final class JiraTracker implements Tracker {
  private final boolean isCloud;
  private final FakeJira platform;
  private final TrackerSurface<?> surface;

  JiraTracker(boolean isCloud) {
    this(isCloud, "agent", Set.of());
  }

  JiraTracker(boolean isCloud, String label, Set<String> access) {
    this(isCloud, label, access, CommentVisibility.INTERNAL);
  }

  JiraTracker(boolean isCloud, String label, Set<String> access, CommentVisibility comments) {
    this.isCloud = isCloud;
    this.platform = new FakeJira(isCloud, isCloud ? "5b10a2844c20165700ede21g" : "dana");
    this.surface =
        Jira.surface(
            new JiraConfig(
                List.of("an older one", JiraRequests.SECRET),
                platform.address(),
                isCloud ? Optional.of("runnel@acme.example") : Optional.empty(),
                "a-token",
                access,
                Map.of(IssueStage.RUNNING, "in progress"),
                comments,
                new TrackerSettings(
                    label,
                    "agent",
                    EnumSet.allOf(IssueCancelTrigger.class),
                    true,
                    Optional.of("Ready for agent"))),
            new OkHttpClient(),
            new SettableClock());
    surface.start();
  }

  @Override
  public TrackerSurface<?> surface() {
    return surface;
  }

  @Override
  public FakeJira platform() {
    return platform;
  }

  private static void as(ObjectNode user, String id, String type) {
    user.put("accountId", id).put("name", id).put("key", id).put("accountType", type);
  }

  /// Cloud's golden ones, on a Data Center with its names.
  RawRequest golden(String name, Consumer<ObjectNode> change) {
    return JiraRequests.golden(
        name,
        body -> {
          if (!isCloud) {
            for (var user : List.of(body.path("user"), body.path("comment").path("author"))) {
              if (user instanceof ObjectNode person) {
                as(person, "dana", "");
              }
            }
          }
          change.accept(body);
        });
  }

  private RawRequest labels(List<String> before, List<String> after) {
    return golden(
        "issue-labeled",
        body -> {
          item(body).put("fromString", String.join(" ", before));
          item(body).put("toString", String.join(" ", after));
          var labels = ((ObjectNode) body.path("issue").path("fields")).putArray("labels");
          after.forEach(labels::add);
        });
  }

  static ObjectNode item(JsonNode body) {
    return (ObjectNode) body.path("changelog").path("items").path(0);
  }

  private static List<String> and(String[] some, String one) {
    return Stream.concat(Arrays.stream(some), Stream.of(one)).collect(Collectors.toList());
  }

  @Override
  public RawRequest labelAdded(String label, String... others) {
    return label.contains(" ") || label.isEmpty()
        ? labels(List.of(others), and(others, label.replace(' ', '-')))
        : labels(List.of(others), and(others, label));
  }

  @Override
  public RawRequest labelRemoved(String label, String... staying) {
    return labels(and(staying, label), List.of(staying));
  }

  @Override
  public RawRequest edited(String... labels) {
    return golden("issue-edited", _ -> {});
  }

  @Override
  public RawRequest assigned(String account) {
    return golden("issue-assigned", body -> item(body).put("to", account));
  }

  @Override
  public RawRequest unassigned(String account) {
    return golden("issue-assigned", body -> item(body).put("from", account).putNull("to"));
  }

  @Override
  public RawRequest closedBy(Person person) {
    return changed(
        "issue-done",
        person,
        body ->
            ((ObjectNode) body.path("issue").path("fields").path("status")).put("name", "Closed"));
  }

  /// A change of the issue by that person.
  RawRequest changed(String name, Person person, Consumer<ObjectNode> change) {
    return golden(
        name,
        body -> {
          as((ObjectNode) body.path("user"), person);
          change.accept(body);
        });
  }

  @Override
  public Optional<RawRequest> deleted() {
    return Optional.of(golden("issue-deleted", _ -> {}));
  }

  @Override
  public RawRequest commented(Person by, String text) {
    return golden("comment-created", body -> say(body, by, text));
  }

  private static void say(ObjectNode body, Person by, String text) {
    var comment = (ObjectNode) body.path("comment");
    comment.put("body", text);
    as((ObjectNode) comment.path("author"), by);
  }

  private static void as(ObjectNode user, Person person) {
    switch (person) {
      case MAINTAINER -> {}
      case STRANGER -> as(user, "stranger", "atlassian");
      case BOT -> as(user, FakeJira.APP, "app");
    }
  }

  @Override
  public RawRequest commentEdited(String text) {
    return golden("comment-updated", body -> say(body, Person.MAINTAINER, text));
  }

  @Override
  public RawRequest labelAddedTo(int issue) {
    return golden(
        "issue-labeled", body -> ((ObjectNode) body.path("issue")).put("key", "SHOP-" + issue));
  }

  @Override
  public RawRequest commentOn(int issue, long id) {
    return golden(
        "comment-created",
        body -> {
          ((ObjectNode) body.path("issue")).put("key", "SHOP-" + issue);
          ((ObjectNode) body.path("comment")).put("id", String.valueOf(id));
        });
  }

  @Override
  public RawRequest saidAgain(RawRequest request) {
    return JiraRequests.with(request, "x-atlassian-webhook-identifier", "another");
  }

  @Override
  public List<RawRequest> notProved(RawRequest request) {
    var header = "x-hub-signature";
    var right = request.header(header).orElseThrow();
    return List.of(
        JiraRequests.with(request, header, ""),
        JiraRequests.with(request, header, "sha256="),
        JiraRequests.with(request, header, "sha256=" + "0".repeat(64)),
        JiraRequests.with(request, header, right.replace("sha256=", "sha1=")),
        JiraRequests.with(request, header, right.substring("sha256=".length())),
        JiraRequests.with(request, header, "sha256=" + "é".repeat(64)),
        JiraRequests.at(request, Jira.PATH, Map.of()),
        JiraRequests.at(request, Jira.PATH + "/", Map.of()),
        JiraRequests.at(request, Jira.PATH + "/wrong", Map.of()),
        JiraRequests.at(request, Jira.PATH, Map.of("authorization", "Basic d3Jvbmc6")));
  }

  @Override
  public RawRequest proved(byte[] body) {
    return JiraRequests.signed(Map.of("x-atlassian-webhook-identifier", "d1"), body);
  }
}
