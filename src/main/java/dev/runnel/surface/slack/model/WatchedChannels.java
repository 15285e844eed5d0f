package dev.runnel.surface.slack.model;

import dev.runnel.core.model.WholeWords;
import dev.runnel.core.model.conversation.Actor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The channels in which a message, such as an alert, starts a run without being addressed to
/// Runnel.
///
/// A person's message is a request of that person. For messages of apps, the requester is the
/// channel's watch, which the operator permits by listing the channel.
///
/// @param words by channel id: a message must contain one of them; [#ANY] stands for all messages
public record WatchedChannels(Map<String, List<String>> words) {
  public static final WatchedChannels NONE = new WatchedChannels(Map.of());

  static final String ANY = "*";
  private static final String WATCH = "watch";
  private static final String WATCH_OF = WATCH + ":";

  public WatchedChannels {
    words = Map.copyOf(words);
  }

  /// @param entries by channel id: words and phrases with `|` between them
  static WatchedChannels of(Map<String, String> entries) {
    var words = new HashMap<String, List<String>>();
    entries.forEach(
        (channel, phrases) ->
            words.put(
                channel,
                Stream.of(phrases.split("\\|"))
                    .map(String::strip)
                    .filter(each -> !each.isEmpty())
                    .toList()));
    return new WatchedChannels(words);
  }

  /// Whether a message in the channel starts a run.
  public boolean matches(String channel, String text) {
    return words.getOrDefault(channel, List.of()).stream()
        .anyMatch(each -> each.equals(ANY) || WholeWords.contains(text, each));
  }

  /// The requester of runs about the messages of apps in the channel.
  public static Actor requester(String channel) {
    return new Actor(WATCH_OF + channel, "The watch of this channel");
  }

  public static boolean isRequester(Actor actor) {
    return actor.id().startsWith(WATCH_OF);
  }

  /// Whether the actor is the requester of a channel that is watched now.
  public boolean isWatching(Actor actor) {
    return isRequester(actor) && words.containsKey(actor.id().substring(WATCH_OF.length()));
  }

  /// The names by which a policy knows the requester; it is no member of the workspace. Empty for
  /// people.
  public static Optional<Set<String>> names(Actor actor) {
    return isRequester(actor)
        ? Optional.of(Set.of(SlackPlace.SURFACE + ":" + WATCH, actor.idOn(SlackPlace.SURFACE)))
        : Optional.empty();
  }
}
