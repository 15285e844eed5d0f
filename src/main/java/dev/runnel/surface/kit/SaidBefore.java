package dev.runnel.surface.kit;

import dev.runnel.core.model.Background.Said;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Gathers the comments that go along with a request, from the newest to the oldest: those of
/// people who are heard, as far as there is room. The others are counted.
public final class SaidBefore {
  private static final int LONGEST_SAID = 40_000;
  private static final int LONGEST_COMMENT = 8_000;
  private static final int LONGEST_BODY = 40_000;

  private final Deque<Said> kept = new ArrayDeque<>();
  private int room = LONGEST_SAID;
  private int omitted;

  /// What people see of a description.
  public static String description(String text) {
    return Markdown.cut(Markdown.text(Markdown.seen(text)), LONGEST_BODY);
  }

  public static String title(String text) {
    return Markdown.line(text, LONGEST_COMMENT);
  }

  public boolean isFull() {
    return room <= 0;
  }

  /// The next older comment. Ours are passed over.
  ///
  /// @param heard whether its author is
  public void take(String author, Instant at, String comment, boolean heard) {
    if (Marker.isIn(comment)) {
      return;
    }
    var text = Markdown.cut(Markdown.text(Markdown.seen(comment)), LONGEST_COMMENT);
    if (heard && text.isEmpty()) {
      return;
    }
    room -= heard ? text.length() : 0;
    if (!heard || room < 0) {
      room = Math.max(room, 0);
      omitted++;
      return;
    }
    kept.addFirst(new Said(author, at, text));
  }

  public void leaveOut(int count) {
    omitted += count;
  }

  public List<Said> said() {
    return List.copyOf(kept);
  }

  public int omitted() {
    return omitted;
  }
}
