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

/// Gathers the comments that go along with a request, from the newest to the oldest: those of
/// people who are heard, as they were when it was made, as far as there is room. The others are
/// counted.
public final class SaidBefore {
  private static final int MAX_SAID = 40_000;
  private static final int MAX_COMMENT = 8_000;
  private static final int MAX_BODY = 40_000;
  // What was asked changes the issue as well, a moment later.
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

  /// What people see of a description.
  public static String description(String text) {
    return Markdown.cut(HiddenMarkupFilter.text(text), MAX_BODY);
  }

  public static String title(String text) {
    return Markdown.line(text, MAX_COMMENT);
  }

  /// The issue as a delivery tells of it.
  ///
  /// @param body empty where it does not tell, `""` where there is none
  public static Snapshot snapshot(
      Optional<Instant> at, Optional<String> title, Optional<String> body) {
    return new Snapshot(at, title.map(SaidBefore::title), body.map(SaidBefore::description));
  }

  public boolean isFull() {
    return room <= 0;
  }

  /// The next older comment.
  ///
  /// @param changed when it was last written or changed
  /// @param heard whether its author is
  /// @param mayBeOurs whether its author may be us: our own posts are passed over, and only those
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

  /// How many there was no room for.
  public int omitted() {
    return omitted;
  }

  /// What else is not shown. Where the delivery did not tell the description, it was read later.
  ///
  /// @param changed when the issue was last changed
  public LeftOut leftOut(Delivery delivery, Optional<Instant> changed) {
    var isBodyNewer =
        delivery.snapshot().body().isEmpty()
            && changed.filter(asked.plus(AT_ONCE)::isBefore).isPresent();
    return new LeftOut(unheard, later, isBodyNewer);
  }
}
