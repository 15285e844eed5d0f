package dev.runnel.surface.slack.model;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// The location of a conversation; its key is `TEAM/CHANNEL/THREAD`.
///
/// @param thread the timestamp of the thread's first message, or `~` and a unique suffix when there
///   is no thread (yet), as for a slash command
public record SlackPlace(String team, String channel, String thread) {
  public static final SurfaceId SURFACE = new SurfaceId("slack");

  private static final String NO_THREAD = "~";
  private static final String HOME = NO_THREAD + "home";
  private static final String FORM = NO_THREAD + "form-";

  public static SlackPlace outsideThreads(String team, String channel, String unique) {
    return new SlackPlace(team, channel, NO_THREAD + unique);
  }

  /// A user's Home tab. The user id takes the place of the channel for direct messages.
  public static SlackPlace home(String team, String user) {
    return new SlackPlace(team, user, HOME);
  }

  /// A modal. Each has a conversation of its own, so that modals open in no particular order.
  ///
  /// @param channel where it was requested; a user id if not in a channel
  public static SlackPlace form(String team, String channel, String trigger) {
    return new SlackPlace(team, channel, FORM + trigger);
  }

  public static SlackPlace of(Conversation conversation) {
    var parts = conversation.key().split("/", 3);
    if (parts.length != 3) {
      throw new IllegalArgumentException("Not a conversation in Slack: " + conversation);
    }
    return new SlackPlace(parts[0], parts[1], parts[2]);
  }

  public Conversation conversation() {
    return new Conversation(SURFACE, team + "/" + channel + "/" + thread);
  }

  public boolean isThread() {
    return !thread.startsWith(NO_THREAD);
  }

  /// Whether this is a direct message, where everything is private already.
  public boolean isDirect() {
    return channel.startsWith("D") || channel.startsWith("U") || channel.startsWith("W");
  }

  /// Whether this is a Home tab or a modal, which have rate limits apart from messages.
  public boolean isView() {
    return thread.equals(HOME) || thread.startsWith(FORM);
  }

  public SlackPlace inThread(String ts) {
    return new SlackPlace(team, channel, ts);
  }

  /// Whether the message is the first one of this thread.
  public boolean isRoot(PostRef message) {
    return isThread() && Message.of(message).equals(message(thread));
  }

  public Message message(String ts) {
    return new Message(channel, ts);
  }

  /// A timestamp in Slack's format: seconds and six digits.
  public static String timestamp(Instant at) {
    return "%d.%06d".formatted(at.getEpochSecond(), at.getNano() / 1_000);
  }

  /// The inverse of [#timestamp(Instant)].
  public static Instant at(String timestamp) {
    try {
      var micros = new BigDecimal(timestamp).movePointRight(6).longValue();
      return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    } catch (NumberFormatException odd) {
      return Instant.EPOCH;
    }
  }

  /// One message; its reference is `CHANNEL/TS`.
  public record Message(String channel, String ts) {
    public static Message of(PostRef ref) {
      var slash = ref.value().indexOf('/');
      if (slash < 0) {
        throw new IllegalArgumentException("Not a message in Slack: " + ref);
      }
      return new Message(ref.value().substring(0, slash), ref.value().substring(slash + 1));
    }

    public PostRef ref() {
      return new PostRef(channel + "/" + ts);
    }
  }
}
