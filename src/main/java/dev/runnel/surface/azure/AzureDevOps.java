package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Background;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.BasicAuth;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.SharedSecrets;
import dev.runnel.surface.kit.Webhooks;
import dev.runnel.surface.markdown.Markdown;
import dev.runnel.surface.tracker.CommentPosts;
import dev.runnel.surface.tracker.EarlierComments;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.text.Sha256;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// Azure DevOps Services: work items. Thread-safe.
public final class AzureDevOps implements Tracker<WorkItem> {
  /// The path at which its service hooks are received.
  public static final String PATH = "/webhooks/azure";

  static final String NAME = "Azure DevOps";
  static final SurfaceId ID = new SurfaceId("azure");
  private static final int MAX_NAME = 150;
  private static final Pattern GUID = Pattern.compile("[0-9A-Za-z-]{1,64}");
  private static final MarkdownPosts.Dialect DIALECT =
      new MarkdownPosts.Dialect(60_000, false, AzureDevOps::named);

  private final SharedSecrets passwords;
  private final AzureApi api;
  private final AzurePayloads payloads;
  private final AzureAccessCheck access;
  private final CommentPosts posts;
  private final String label;

  private AzureDevOps(AzureConfig config, AzureApi api) {
    this.passwords = new SharedSecrets(config.webhookSecrets());
    this.api = api;
    this.payloads = new AzurePayloads(api, config);
    this.access = new AzureAccessCheck(api, payloads, config.access());
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), DIALECT));
    this.label = config.tracker().label();
  }

  public static TrackerSurface<?> surface(
      AzureConfig config, OkHttpClient http, InstantSource clock) {
    var api = new AzureApi(config, http, clock);
    return new TrackerSurface<>(ID, api.calls(), api::learnAccount, new AzureDevOps(config, api));
  }

  /// A mention needs the person's GUID, which deliveries of comments lack.
  private static String named(Actor person) {
    return Markdown.plain(person.name(), MAX_NAME);
  }

  /// Service hooks are not signed: the password authenticates them, whatever the user name.
  @Override
  public Optional<String> authenticationProblem(RawRequest request) {
    return BasicAuth.password(request).filter(passwords::contain).isPresent()
        ? Optional.empty()
        : Optional.of("no valid password");
  }

  @Override
  public Projection projection() {
    return AzurePayloads.READ;
  }

  @Override
  public WebhookResult parse(RawRequest request, JsonNode payload) {
    return Webhooks.result(
        payloads.read(
            DeliveryId.of(ID, deliveryId(request, payload)), payload, request.arrivedAt()));
  }

  /// The same for all attempts of a delivery: a subscription numbers its notifications.
  private static String deliveryId(RawRequest request, JsonNode payload) {
    return Json.text(payload, "subscriptionId")
        .filter(id -> GUID.matcher(id).matches())
        .flatMap(id -> Json.id(payload, "notificationId").map(number -> id + "-" + number))
        .orElseGet(() -> "sha256-" + Sha256.hex(request.body()));
  }

  @Override
  public Optional<WorkItem> issue(Conversation conversation) {
    return WorkItem.of(conversation);
  }

  @Override
  public Admission admit(WorkItem item, Delivery delivery) {
    return access.admit(item, delivery);
  }

  /// Includes the newest comments of people who may start runs. The title and the description at
  /// the time of a change are those of Azure DevOps, not those of the service hook.
  @Override
  public Background background(WorkItem item, Delivery delivery) {
    var now = api.item(item).required();
    var fields = now.path("fields");
    var permitted = access.permitted(item);
    var then = access.verified(item, delivery).map(Delivery::snapshot).orElse(delivery.snapshot());
    var earlier = new EarlierComments(delivery.withSnapshot(then));
    for (var comment : api.comments(item, AzureApi.MAX_COMMENTS).required()) {
      Identity.of(comment.path("createdBy"))
          .ifPresent(
              author ->
                  earlier.add(
                      comment(item, author, comment),
                      () -> permitted.test(author.uniqueName()),
                      api.isOurs(author)));
    }
    return earlier.background(
        NAME + " work item " + item,
        Json.text(fields, "System.Title"),
        payloads.description(fields),
        AzureApi.tags(fields.path("System.Tags")),
        Optional.of(api.page(item, "")),
        Json.instant(fields, "System.ChangedDate"));
  }

  private EarlierComments.Comment comment(WorkItem item, Identity author, JsonNode comment) {
    var at = Json.instant(comment, "createdDate").orElse(Instant.EPOCH);
    return new EarlierComments.Comment(
        api.ref(item, comment),
        author.name(),
        at,
        Json.instant(comment, "modifiedDate").orElse(at),
        Json.text(comment, "text").map(payloads.text()::markdown).orElse(""));
  }

  @Override
  public void findMissed(MissedDeliveryCollector missed, List<WorkItem> items) {
    new AzureMissedDeliveries(api, payloads, label).find(missed, items);
  }

  @Override
  public Posting post(WorkItem item, Notice notice, @Nullable PostRef status) {
    return posts.post(api, item, notice, status);
  }
}
