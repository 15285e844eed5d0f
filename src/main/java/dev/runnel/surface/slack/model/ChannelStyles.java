package dev.runnel.surface.slack.model;

import java.util.HashMap;
import java.util.Map;

/// How much of a run is shown in each channel.
///
/// @param usual the style of channels that have none of their own
/// @param channels styles by channel id
public record ChannelStyles(Style usual, Map<String, Style> channels) {
  public enum Style {
    /// Everything is in the thread.
    THREAD,
    /// Questions and ends are shown in the channel, too.
    CHANNEL,
    /// The thread has questions and ends only: the reaction on the request shows the state.
    QUIET
  }

  public static final ChannelStyles USUAL = new ChannelStyles(Style.THREAD, Map.of());

  public ChannelStyles {
    channels = Map.copyOf(channels);
  }

  /// @param entries styles in lower case, by channel id
  /// @param usualKey the key of the usual style
  /// @throws IllegalArgumentException if a name is no style
  static ChannelStyles of(Map<String, String> entries, String usualKey) {
    var styles = new HashMap<String, Style>();
    entries.forEach((channel, name) -> styles.put(channel, style(name)));
    var usual = styles.remove(usualKey);
    return new ChannelStyles(usual == null ? Style.THREAD : usual, styles);
  }

  private static Style style(String name) {
    return switch (name) {
      case "thread" -> Style.THREAD;
      case "channel" -> Style.CHANNEL;
      case "quiet" -> Style.QUIET;
      default -> throw new IllegalArgumentException(name);
    };
  }

  /// The style of a place. Direct messages have only one reader.
  public Style of(SlackPlace place) {
    return place.isDirect() ? Style.THREAD : channels.getOrDefault(place.channel(), usual);
  }
}
