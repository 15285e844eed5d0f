package dev.runnel.core.model;

import java.time.Instant;
import java.util.Objects;

/// Something somebody said to Runnel, verified and parsed.
///
/// @param id the transport's id: the same when the same delivery is sent again
/// @param meaning the semantic key: the same when the same thing arrives under another id, as a
///     Slack mention does (once as `message`, once as `app_mention`)
/// @param addressed whether it was said to Runnel: a mention, a command, a label. Other words count
///     only in a conversation that has a run
/// @param snapshot what it is about, as it was then
public record Delivery(
    DeliveryId id,
    String meaning,
    Conversation conversation,
    Actor actor,
    Intent intent,
    boolean addressed,
    Origin origin,
    Instant arrivedAt,
    Snapshot snapshot) {
  public Delivery {
    NameCheck.require("semantic key", meaning);
    // Rows of an older version have none.
    snapshot = Objects.requireNonNullElse(snapshot, Snapshot.NONE);
  }

  public Delivery(
      DeliveryId id,
      String meaning,
      Conversation conversation,
      Actor actor,
      Intent intent,
      boolean addressed,
      Origin origin,
      Instant arrivedAt) {
    this(id, meaning, conversation, actor, intent, addressed, origin, arrivedAt, Snapshot.NONE);
  }

  /// The same delivery, and how its issue was.
  public Delivery about(Snapshot then) {
    return new Delivery(
        id, meaning, conversation, actor, intent, addressed, origin, arrivedAt, then);
  }

  /// When it was said, by the clock of where it was said where that is known.
  public Instant saidAt() {
    return snapshot.at().orElse(arrivedAt);
  }

  /// The same delivery with other words.
  public Delivery saying(Intent now) {
    return new Delivery(
        id, meaning, conversation, actor, now, addressed, origin, arrivedAt, snapshot);
  }

  /// The same delivery in the thread that was opened for it.
  public Delivery movedTo(Conversation thread) {
    return new Delivery(
        id, meaning, thread, actor, intent, addressed, origin.opened(), arrivedAt, snapshot);
  }

  /// The same delivery, now that it is known what is meant.
  public Delivery meaning(Intent meant) {
    return new Delivery(
        id, meaning, conversation, actor, meant, addressed, origin, arrivedAt, snapshot);
  }
}
