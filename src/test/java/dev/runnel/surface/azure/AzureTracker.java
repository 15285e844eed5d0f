package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.tracker.IssueCancelTrigger;
import dev.runnel.surface.tracker.TrackerSettings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;

/// An organization with a project.
final class AzureTracker implements Tracker {
  static final long COMMENT = 2_743_814;
  private static final String FIELDS = "/resource/fields";
  private static final String NOW = "/resource/revision/fields";

  private final FakeAzure platform = new FakeAzure();
  private final TrackerSurface<?> surface;

  AzureTracker() {
    this(Set.of());
  }

  AzureTracker(Set<String> access) {
    surface =
        AzureDevOps.surface(
            new AzureConfig(
                List.of("an older one", AzureRequests.SECRET),
                "a-token",
                platform.address(),
                access,
                Set.of("Closed", "Done"),
                new TrackerSettings(
                    "agent",
                    "agent",
                    EnumSet.allOf(IssueCancelTrigger.class),
                    true,
                    Optional.of("Ready for agent"))),
            new OkHttpClient(),
            new SettableClock());
    platform.hasComment(COMMENT, FakeAzure.DANA, "@agent please also add a test");
    surface.start();
  }

  @Override
  public TrackerSurface<?> surface() {
    return surface;
  }

  @Override
  public FakeAzure platform() {
    return platform;
  }

  /// A change that Azure DevOps has, and delivers.
  RawRequest changed(String name, Consumer<ObjectNode> change) {
    return AzureRequests.golden(name, change.andThen(platform::hasChange));
  }

  private RawRequest tags(Stream<String> before, Stream<String> after) {
    var old = before.collect(Collectors.joining("; "));
    var now = after.collect(Collectors.joining("; "));
    return changed(
        "item-tagged",
        body -> {
          var change = AzureRequests.object(body, FIELDS + "/System.Tags");
          put(change, "oldValue", old);
          put(change, "newValue", now);
          put(AzureRequests.object(body, NOW), "System.Tags", now);
        });
  }

  /// Fields without a value are not sent.
  private static void put(ObjectNode object, String name, String value) {
    if (value.isEmpty()) {
      object.remove(name);
    } else {
      object.put(name, value);
    }
  }

  @Override
  public RawRequest labelAdded(String label, String... others) {
    return tags(Stream.of(others), Stream.concat(Stream.of(label), Stream.of(others)));
  }

  @Override
  public RawRequest labelRemoved(String label, String... staying) {
    return tags(Stream.concat(Stream.of(label), Stream.of(staying)), Stream.of(staying));
  }

  @Override
  public RawRequest edited(String... labels) {
    return AzureRequests.golden("item-edited");
  }

  @Override
  public RawRequest assigned(String account) {
    return assignment(account, "newValue");
  }

  @Override
  public RawRequest unassigned(String account) {
    return assignment(account, "oldValue");
  }

  private RawRequest assignment(String account, String when) {
    return changed(
        "item-assigned",
        body ->
            AzureRequests.object(body, FIELDS)
                .putObject("System.AssignedTo")
                .put(when, "Somebody <" + account + ">"));
  }

  @Override
  public RawRequest closedBy(Person person) {
    return changed(
        "item-closed",
        body ->
            AzureRequests.object(body, "/resource")
                .set("revisedBy", FakeAzure.identity(name(person), "Somebody")));
  }

  @Override
  public Optional<RawRequest> deleted() {
    platform.losesItem();
    return Optional.of(AzureRequests.golden("item-deleted"));
  }

  @Override
  public RawRequest commented(Person by, String text) {
    var person = name(by);
    platform.hasComment(COMMENT, person, text);
    return AzureRequests.golden(
        "item-commented",
        body ->
            AzureRequests.object(body, FIELDS)
                .put("System.History", text)
                .put("System.ChangedBy", "Somebody <" + person + ">"));
  }

  private static String name(Person person) {
    return switch (person) {
      case MAINTAINER -> FakeAzure.DANA;
      case STRANGER -> "stranger@example.org";
      case BOT -> "Build\\8b0e703c-928a-43b1-b2e8-bd4b69f559a9";
    };
  }

  @Override
  public RawRequest commentEdited(String text) {
    return AzureRequests.golden(
        "item-comment-edited",
        body -> AzureRequests.object(body, FIELDS).put("System.History", text));
  }

  @Override
  public RawRequest labelAddedTo(int issue) {
    return AzureRequests.golden(
        "item-tagged", body -> AzureRequests.object(body, "/resource").put("workItemId", issue));
  }

  @Override
  public RawRequest commentOn(int issue, long id) {
    return AzureRequests.golden(
        "item-commented",
        body -> {
          AzureRequests.object(body, "/resource").put("id", issue);
          AzureRequests.object(body, "/resource/commentVersionRef").put("commentId", id);
        });
  }

  /// By a second subscription.
  @Override
  public RawRequest saidAgain(RawRequest request) {
    var body =
        new String(request.body(), StandardCharsets.UTF_8)
            .replace("bea5b36f-976e-40e5-a7e4-6b72ceb1dff0", "52cdbf41-b885-4e97-bdba-16410cec4f35")
            .getBytes(StandardCharsets.UTF_8);
    return new RawRequest(
        request.method(), request.path(), request.headers(), body, request.arrivedAt());
  }

  @Override
  public List<RawRequest> notProved(RawRequest request) {
    var none = new HashMap<>(request.headers());
    none.remove("authorization");
    return Stream.concat(
            Stream.of(
                    "",
                    "Basic ",
                    "Basic é",
                    "Bearer " + AzureRequests.SECRET,
                    AzureRequests.SECRET,
                    AzureRequests.basic("runnel", ""),
                    AzureRequests.basic("runnel", "another password"),
                    AzureRequests.basic("runnel", AzureRequests.SECRET + "x"),
                    AzureRequests.basic(AzureRequests.SECRET, "another"))
                .map(value -> AzureRequests.with(request, "authorization", value)),
            Stream.of(
                new RawRequest(
                    request.method(), request.path(), none, request.body(), request.arrivedAt())))
        .toList();
  }

  @Override
  public RawRequest proved(byte[] body) {
    return AzureRequests.proved(Map.of(), body);
  }
}
