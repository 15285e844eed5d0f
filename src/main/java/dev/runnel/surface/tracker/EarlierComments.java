package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Background.LeftOut;
import dev.runnel.core.model.run.Background.Message;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.markdown.HiddenMarkupFilter;
import dev.runnel.surface.markdown.Markdown;
import dev.runnel.text.Truncation;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// Collects the comments that go to the agent with a request, from the newest to the oldest: those
/// of permitted authors, unchanged since the request, as far as they fit. The others are counted.
public final class EarlierComments {
  private static final int MAX_TOTAL = 40_000;
  private static final int MAX_COMMENT = 8_000;
  private static final int MAX_BODY = 40_000;
  // The request itself also updates the issue, a moment later.
  private static final Duration REQUEST_TOLERANCE = Duration.ofSeconds(5);

  private final Delivery delivery;
  private final Instant requestedAt;
  private final Deque<Message> added = new ArrayDeque<>();
  private int remaining = MAX_TOTAL;
  private int omitted;
  private int notPermitted;
  private int afterRequest;

  public EarlierComments(Delivery delivery) {
    this.delivery = delivery;
    this.requestedAt = delivery.saidAt();
  }

  /// A comment as the tracker shows it now.
  ///
  /// @param changed when it was last written or edited
  public record Comment(
      Optional<PostRef> ref, String author, Instant at, Instant changed, String text) {
    /// Reads the fields that several trackers name alike: `created_at`, `updated_at`, `body`.
    public static Comment of(Optional<PostRef> ref, Actor author, JsonNode comment) {
      var at = Json.instant(comment, "created_at").orElse(Instant.EPOCH);
      return new Comment(
          ref,
          author.name(),
          at,
          Json.instant(comment, "updated_at").orElse(at),
          Json.text(comment, "body").orElse(""));
    }
  }

  /// The visible text of a description, truncated.
  private static String description(String text) {
    return Truncation.cut(HiddenMarkupFilter.text(text), MAX_BODY);
  }

  private static String title(String text) {
    return Markdown.visibleLine(text, MAX_COMMENT);
  }

  /// The issue as described by a delivery.
  ///
  /// @param body empty if the delivery has no such field, `""` if the issue has no description
  public static Snapshot snapshot(
      Optional<Instant> at, Optional<String> title, Optional<String> body) {
    return new Snapshot(
        at, title.map(EarlierComments::title), body.map(EarlierComments::description));
  }

  public boolean isFull() {
    return remaining <= 0;
  }

  /// Adds the next older comment, unless it is the request itself.
  ///
  /// @param isPermitted whether its author may start runs; called only if it matters
  /// @param mayBeOurs whether its author may be the bot; only then a comment with our marker is
  ///   skipped
  public void add(Comment comment, BooleanSupplier isPermitted, boolean mayBeOurs) {
    var isRequest = comment.ref().isPresent() && comment.ref().equals(delivery.origin().message());
    if (isRequest || (mayBeOurs && Marker.isIn(comment.text()))) {
      return;
    }
    if (!isPermitted.getAsBoolean()) {
      notPermitted++;
      return;
    }
    if (comment.at().isAfter(requestedAt) || comment.changed().isAfter(requestedAt)) {
      afterRequest++;
      return;
    }
    var text = Truncation.cut(HiddenMarkupFilter.text(comment.text()), MAX_COMMENT);
    if (text.isEmpty()) {
      return;
    }
    remaining -= text.length();
    if (remaining < 0) {
      remaining = 0;
      omitted++;
      return;
    }
    added.addFirst(new Message(comment.author(), comment.at(), text));
  }

  /// Counts comments that were not read.
  public void omit(int comments) {
    omitted += comments;
  }

  /// The issue at the time of the request, as far as the delivery contains it, and the added
  /// comments.
  ///
  /// @param kind as in [Background#kind()]
  /// @param title the current title
  /// @param body the current description, as Markdown
  /// @param changed when the issue was last changed
  public Background background(
      String kind,
      Optional<String> title,
      String body,
      List<String> labels,
      Optional<URI> link,
      Optional<Instant> changed) {
    var then = delivery.snapshot();
    var isBodyNewer =
        then.body().isEmpty()
            && changed.filter(requestedAt.plus(REQUEST_TOLERANCE)::isBefore).isPresent();
    return new Background(
            kind,
            then.title().or(() -> title.map(EarlierComments::title)),
            then.body().orElseGet(() -> description(body)),
            labels,
            link,
            List.copyOf(added),
            omitted)
        .withLeftOut(new LeftOut(notPermitted, afterRequest, isBodyNewer));
  }
}
