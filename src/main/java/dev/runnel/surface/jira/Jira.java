package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
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
import dev.runnel.surface.kit.Webhooks;
import dev.runnel.surface.markdown.Markdown;
import dev.runnel.surface.tracker.CommentPosts;
import dev.runnel.surface.tracker.IssueProgress;
import dev.runnel.surface.tracker.MarkdownPosts;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.text.Sha256;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/// Jira, Cloud and Data Center. Thread-safe.
public final class Jira implements Tracker<JiraIssue> {
  /// The path at which its webhooks are received. On Data Center the secret may follow it.
  public static final String PATH = "/webhooks/jira";

  static final SurfaceId ID = new SurfaceId("jira");
  private static final int MAX_NAME = 150;
  // Jira's limit is 32,767, including markup.
  private static final MarkdownPosts.Dialect DIALECT =
      new MarkdownPosts.Dialect(30_000, false, Jira::mention);

  private final JiraAuthentication authentication;
  private final JiraApi api;
  private final JiraPayloads payloads;
  private final JiraAccessCheck access;
  private final CommentPosts posts;
  private final IssueProgress<JiraIssue> progress;
  private final String label;

  private Jira(JiraConfig config, JiraApi api) {
    this.authentication = new JiraAuthentication(config.webhookSecrets(), config.isCloud());
    this.api = api;
    this.payloads = new JiraPayloads(api, config.url(), config.tracker());
    this.access = new JiraAccessCheck(api, config.access());
    // Data Center counts wiki markup, whose escapes are longer than those of Markdown.
    var dialect = config.isCloud() ? DIALECT : DIALECT.measuring(JiraComments::wikiLength);
    this.posts = new CommentPosts(config.tracker(), new MarkdownPosts(config.tracker(), dialect));
    this.progress = new IssueProgress<>(config.transitions(), api::transitions, api::transition);
    this.label = config.tracker().label();
  }

  public static TrackerSurface<?> surface(
      JiraConfig config, OkHttpClient http, InstantSource clock) {
    var api = new JiraApi(config, http, clock);
    return new TrackerSurface<>(ID, api.calls(), api.account()::learn, new Jira(config, api));
  }

  private static String mention(Actor person) {
    return "[@%s](<%s%s>)"
        .formatted(Markdown.plain(person.name(), MAX_NAME), Adf.PERSON, person.id());
  }

  @Override
  public Optional<String> authenticationProblem(RawRequest request) {
    return authentication.isAuthentic(request)
        ? Optional.empty()
        : Optional.of("no valid signature or secret");
  }

  @Override
  public Projection projection() {
    return JiraPayloads.READ;
  }

  @Override
  public WebhookResult parse(RawRequest request, JsonNode payload) {
    return Webhooks.result(
        payloads.read(DeliveryId.of(ID, deliveryId(request)), payload, request.arrivedAt()));
  }

  /// The same for all attempts of a delivery. If Jira sends no id, the body identifies it, because
  /// it contains its time.
  private static String deliveryId(RawRequest request) {
    return Webhooks.id(request, List.of("X-Atlassian-Webhook-Identifier"))
        .orElseGet(() -> "sha256-" + Sha256.hex(request.body()));
  }

  @Override
  public Optional<JiraIssue> issue(Conversation conversation) {
    return JiraIssue.of(conversation.key());
  }

  @Override
  public Admission admit(JiraIssue issue, Delivery delivery) {
    return access.permits(issue, delivery)
        ? Admission.ADMITTED
        : new Admission.Outsider("the sender may not edit the issue, or is not listed");
  }

  @Override
  public Background background(JiraIssue issue, Delivery delivery) {
    return new JiraBackground(api, access, payloads).read(issue, delivery);
  }

  @Override
  public void findMissed(MissedDeliveryCollector missed, List<JiraIssue> issues) {
    new JiraMissedDeliveries(api, payloads, label).find(missed, issues);
  }

  @Override
  public Posting post(JiraIssue issue, Notice notice, @Nullable PostRef status) {
    var comments = new JiraComments(api, mayPing(notice.update()));
    var posting = posts.post(comments, issue, notice, status);
    return posting instanceof Posting.Posted && notice.update() instanceof Update.Status update
        ? CommentPosts.with(progress.update(issue, update), posting, notice)
        : posting;
  }

  /// A question mentions the person it is for; the agent's text mentions nobody else.
  private static Predicate<String> mayPing(Update update) {
    return switch (update) {
      case Update.Blocked blocked -> blocked.requester().id()::equals;
      case Update.Reminder reminder -> reminder.requester().id()::equals;
      default -> _ -> false;
    };
  }
}
