package dev.runnel.surface.slack.model;

import java.util.HashMap;
import java.util.Map;

/// How much of a run each channel shows.
///
/// @param defaultStyle the style of channels that have none of their own
/// @param channels styles by channel id
public record ChannelStyles(Style defaultStyle, Map<String, Style> channels) {
  public enum Style {
    /// Everything is in the thread.
    THREAD,
    /// Questions and ends are shown in the channel, too.
    CHANNEL,
    /// The thread has questions and ends only: the reaction on the request shows the state.
    QUIET
  }

  public static final ChannelStyles DEFAULT = new ChannelStyles(Style.THREAD, Map.of());

  public ChannelStyles {
    channels = Map.copyOf(channels);
  }

  /// @param entries styles in lower case, by channel id
  /// @param defaultKey the key of the usual style
  /// @throws IllegalArgumentException if a name is no style
  static ChannelStyles of(Map<String, String> entries, String defaultKey) {
    var styles = new HashMap<String, Style>();
    entries.forEach((channel, name) -> styles.put(channel, style(name)));
    var defaultStyle = styles.remove(defaultKey);
    return new ChannelStyles(defaultStyle == null ? Style.THREAD : defaultStyle, styles);
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
    return place.isDirect() ? Style.THREAD : channels.getOrDefault(place.channel(), defaultStyle);
  }
}
