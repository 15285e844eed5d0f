package dev.runnel.surface.kit;

import dev.runnel.core.model.Background.LeftOut;
import dev.runnel.core.model.Background.Said;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// Collects the comments that accompany a request, from the newest to the oldest: those of
/// permitted authors, unchanged since the request, as far as they fit. The others are counted.
public final class SaidBefore {
  private static final int MAX_SAID = 40_000;
  private static final int MAX_COMMENT = 8_000;
  private static final int MAX_BODY = 40_000;
  // The request itself also updates the issue, a moment later.
  private static final Duration AT_ONCE = Duration.ofSeconds(5);

  private final Instant asked;
  private final Deque<Said> kept = new ArrayDeque<>();
  private int room = MAX_SAID;
  private int omitted;
  private int unheard;
  private int later;

  public SaidBefore(Delivery delivery) {
    this.asked = delivery.saidAt();
  }

  /// What people see of a description, truncated.
  public static String description(String text) {
    return Markdown.cut(HiddenMarkupFilter.text(text), MAX_BODY);
  }

  public static String title(String text) {
    return Markdown.line(text, MAX_COMMENT);
  }

  /// The issue as described by a delivery.
  ///
  /// @param body empty if the delivery has no such field, `""` if the issue has no description
  public static Snapshot snapshot(
      Optional<Instant> at, Optional<String> title, Optional<String> body) {
    return new Snapshot(at, title.map(SaidBefore::title), body.map(SaidBefore::description));
  }

  public boolean isFull() {
    return room <= 0;
  }

  /// Takes the next older comment.
  ///
  /// @param changed when it was last written or edited
  /// @param heard whether its author may start runs
  /// @param mayBeOurs whether its author may be the bot; only then a comment with our marker is
  ///   skipped
  public void take(
      String author,
      Instant at,
      Instant changed,
      String comment,
      boolean heard,
      boolean mayBeOurs) {
    if (mayBeOurs && Marker.isIn(comment)) {
      return;
    }
    if (!heard) {
      unheard++;
      return;
    }
    if (at.isAfter(asked) || changed.isAfter(asked)) {
      later++;
      return;
    }
    var text = Markdown.cut(HiddenMarkupFilter.text(comment), MAX_COMMENT);
    if (text.isEmpty()) {
      return;
    }
    room -= text.length();
    if (room < 0) {
      room = 0;
      omitted++;
      return;
    }
    kept.addFirst(new Said(author, at, text));
  }

  public List<Said> said() {
    return List.copyOf(kept);
  }

  /// The number of comments that did not fit.
  public int omitted() {
    return omitted;
  }

  /// The other comments left out. If the delivery has no description, it was read later than the
  /// request.
  ///
  /// @param changed when the issue was last changed
  public LeftOut leftOut(Delivery delivery, Optional<Instant> changed) {
    var isBodyNewer =
        delivery.snapshot().body().isEmpty()
            && changed.filter(asked.plus(AT_ONCE)::isBefore).isPresent();
    return new LeftOut(unheard, later, isBodyNewer);
  }
}
