package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.IssueStage;
import dev.runnel.surface.tracker.TrackerSettings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.TrackerContract;
import dev.runnel.testkit.TrackerContract.Person;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// Linear with one issue.
final class LinearTracker implements Tracker {
  private final FakeLinear platform;
  private final TrackerSurface<?> surface;

  /// @param isAgent whether our account is an app with agent sessions
  LinearTracker(boolean isAgent) {
    this.platform = new FakeLinear(isAgent);
    this.surface =
        Linear.surface(
            new LinearConfig(
                List.of(LinearRequests.SECRET),
                "lin_api_1",
                URI.create(platform.address() + "/graphql"),
                LinearConfig.Access.MEMBER,
                Map.of(IssueStage.RUNNING, "in progress", IssueStage.FAILED, "No such state"),
                new TrackerSettings(
                    "agent",
                    "agent",
                    EnumSet.allOf(IssueCancelTrigger.class),
                    true,
                    Optional.of("Ready for agent"))),
            new OkHttpClient(),
            InstantSource.fixed(Samples.NINE));
    surface.start();
  }

  @Override
  public TrackerSurface<?> surface() {
    return surface;
  }

  @Override
  public FakeLinear platform() {
    return platform;
  }

  private static RawRequest labels(List<String> before, List<String> now) {
    return LinearRequests.golden("issue-label-added", body -> labels(body, before, now));
  }

  private static void labels(ObjectNode body, List<String> before, List<String> now) {
    var data = (ObjectNode) body.path("data");
    var labels = data.putArray("labels");
    var ids = data.putArray("labelIds");
    for (var name : now) {
      ids.add(FakeLinear.label(name));
      labels.addObject().put("id", FakeLinear.label(name)).put("name", name);
    }
    var was = ((ObjectNode) body.path("updatedFrom")).putArray("labelIds");
    before.forEach(name -> was.add(FakeLinear.label(name)));
  }

  @Override
  public RawRequest labelAdded(String label, String... others) {
    return labels(Arrays.asList(others), with(label, others));
  }

  @Override
  public RawRequest labelRemoved(String label, String... staying) {
    return labels(with(label, staying), Arrays.asList(staying));
  }

  private static List<String> with(String label, String... others) {
    var all = new ArrayList<>(Arrays.asList(others));
    all.add(label);
    return all;
  }

  @Override
  public RawRequest edited(String... labels) {
    return LinearRequests.golden("issue-edited");
  }

  @Override
  public RawRequest assigned(String account) {
    return assignment(Optional.empty(), Optional.of(account));
  }

  @Override
  public RawRequest unassigned(String account) {
    return assignment(Optional.of(account), Optional.empty());
  }

  private static RawRequest assignment(Optional<String> before, Optional<String> now) {
    return LinearRequests.golden(
        "issue-assigned",
        body -> {
          ((ObjectNode) body.path("updatedFrom"))
              .put("assigneeId", before.map(LinearTracker::id).orElse(null));
          ((ObjectNode) body.path("data"))
              .put("assigneeId", now.map(LinearTracker::id).orElse(null));
        });
  }

  private static String id(String account) {
    return account.equals(TrackerContract.ACCOUNT) ? FakeLinear.BOT : FakeLinear.DANA;
  }

  @Override
  public RawRequest closedBy(Person person) {
    return changed("issue-canceled", person);
  }

  /// A change of the issue by that person.
  static RawRequest changed(String name, Person person) {
    return LinearRequests.golden(
        name, body -> ((ObjectNode) body.path("actor")).put("id", id(person)));
  }

  @Override
  public Optional<RawRequest> deleted() {
    return Optional.of(LinearRequests.golden("issue-removed"));
  }

  @Override
  public RawRequest commented(Person by, String text) {
    return LinearRequests.golden("comment-created", body -> say(body, by, text));
  }

  private static void say(ObjectNode body, Person by, String text) {
    var data = (ObjectNode) body.path("data");
    data.put("body", text);
    var user = id(by);
    data.put("userId", user);
    for (var account : List.of(body.path("actor"), data.path("user"))) {
      ((ObjectNode) account).put("id", user);
    }
  }

  private static String id(Person person) {
    return switch (person) {
      case MAINTAINER -> FakeLinear.DANA;
      case STRANGER -> FakeLinear.GUEST;
      case BOT -> FakeLinear.APP;
    };
  }

  @Override
  public RawRequest commentEdited(String text) {
    return LinearRequests.golden("comment-edited", body -> say(body, Person.MAINTAINER, text));
  }

  @Override
  public RawRequest labelAddedTo(int issue) {
    return LinearRequests.golden(
        "issue-label-added",
        body -> ((ObjectNode) body.path("data")).put("id", String.valueOf(issue)));
  }

  @Override
  public RawRequest commentOn(int issue, long id) {
    return LinearRequests.golden(
        "comment-created",
        body ->
            ((ObjectNode) body.path("data"))
                .put("id", String.valueOf(id))
                .put("issueId", String.valueOf(issue)));
  }

  @Override
  public RawRequest saidAgain(RawRequest request) {
    return LinearRequests.with(request, "linear-delivery", "another");
  }

  @Override
  public List<RawRequest> notProved(RawRequest request) {
    var header = "linear-signature";
    var stale =
        new String(request.body(), StandardCharsets.UTF_8)
            .replaceFirst(
                "\"webhookTimestamp\":[0-9]+",
                "\"webhookTimestamp\":" + Samples.NINE.minusSeconds(61).toEpochMilli());
    return List.of(
        LinearRequests.with(request, header, ""),
        LinearRequests.with(request, header, "0".repeat(64)),
        LinearRequests.with(request, header, "é".repeat(64)),
        LinearRequests.signed(request.headers(), stale.getBytes(StandardCharsets.UTF_8)),
        new RawRequest(
            request.method(),
            request.path(),
            Map.of("linear-event", "Issue", "linear-delivery", "d1"),
            request.body(),
            request.arrivedAt()));
  }

  @Override
  public RawRequest proved(byte[] body) {
    return LinearRequests.signed(Map.of("linear-event", "Issue", "linear-delivery", "d1"), body);
  }
}
