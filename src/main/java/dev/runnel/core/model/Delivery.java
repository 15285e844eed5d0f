package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NameCheck;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Snapshot;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/// A verified and parsed event from a surface: a message, a command, a label.
///
/// @param id the transport's id: the same when the same delivery is resent
/// @param meaning the semantic key: the same when the same event arrives under another id, as a
///   Slack mention does (once as `message`, once as `app_mention`)
/// @param addressed whether it is addressed to Runnel: a mention, a command, a label. Other
///   messages are processed only in a conversation that has a run
/// @param snapshot the issue it is about, as it was at that time
@RecordBuilder
public record Delivery(
    DeliveryId id,
    String meaning,
    Conversation conversation,
    Actor actor,
    Intent intent,
    boolean addressed,
    Origin origin,
    Instant arrivedAt,
    Snapshot snapshot)
    implements DeliveryBuilder.With {
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

  /// When it was sent: by the platform's clock if known, else when it arrived.
  public Instant saidAt() {
    return snapshot.at().orElse(arrivedAt);
  }

  /// Whether it was sent after the other one: by the platform's clock if the time of both is known,
  /// else by their arrival.
  public boolean isSentAfter(Delivery other) {
    var areTimesKnown = snapshot.at().isPresent() && other.snapshot.at().isPresent();
    return areTimesKnown ? saidAt().isAfter(other.saidAt()) : arrivedAt.isAfter(other.arrivedAt);
  }

  /// A copy in another conversation.
  public Delivery movedTo(Conversation other) {
    return movedTo(other, Optional.empty());
  }

  /// A copy in the thread that was opened for it.
  ///
  /// @param card the thread's first post, if it is to show the run's status
  public Delivery movedTo(Conversation thread, Optional<PostRef> card) {
    return withConversation(thread).withOrigin(origin.opened(card));
  }

  /// Where the sender reads an answer that is for nobody else. Visitors of the console read it on
  /// their page: the platform of the run's thread may not know them.
  public Conversation placeOfAnswer() {
    return id.surface().equals(SurfaceId.CONSOLE) ? conversation.inConsole() : conversation;
  }

  /// The sender as a surface shows the person: on another one the id may be somebody else's.
  public Actor actorIn(SurfaceId there) {
    var here = conversation.surface();
    return here.equals(there) ? actor : new Actor(actor.idOn(here), actor.name());
  }
}
