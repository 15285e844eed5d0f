package dev.runnel.surface.slack.model;

import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.ConversationPolicy.Audience;
import dev.runnel.core.model.run.MessageStatus;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// How Runnel behaves in channels: which reactions it adds, and whose messages it handles.
///
/// @param reactions the reaction for each message status; a status without one is not shown
/// @param stop the reaction that stops a run; empty for none
/// @param start the reaction that starts a run about the message; empty for none
/// @param listening the mode of channels that have none of their own
/// @param channels modes by channel id
/// @param context how many of a channel's last messages the agent gets with a new request, by
///   channel id; none in other channels
/// @param watched the channels in which messages start runs by themselves
/// @param styles how much of a run is shown in each channel
public record SlackBehavior(
    Map<MessageStatus, String> reactions,
    Optional<String> stop,
    Optional<String> start,
    Audience listening,
    Map<String, Audience> channels,
    Map<String, Integer> context,
    WatchedChannels watched,
    ChannelStyles styles) {
  static final String REACTIONS = "SLACK_REACTIONS";
  static final String STOP_REACTION = "SLACK_STOP_REACTION";
  static final String START_REACTION = "SLACK_START_REACTION";
  static final String LISTEN = "SLACK_LISTEN";
  static final String CONTEXT = "SLACK_CONTEXT";
  static final String WATCH = "SLACK_WATCH";
  static final String STYLE = "SLACK_STYLE";

  /// Earlier messages are rarely about the request.
  private static final int MAX_CONTEXT = 50;

  private static final String OFF = "off";
  private static final String DEFAULT_KEY = "default";
  private static final Pattern EMOJI = Pattern.compile("[\\p{L}\\p{N}_+'-]{1,100}");
  private static final Pattern CHANNEL = Pattern.compile("[CGD][A-Z0-9]{2,30}");

  /// People often split one request into several short messages.
  private static final Duration BATCH_WINDOW = Duration.ofSeconds(1);

  private static final Map<MessageStatus, String> DEFAULT_REACTIONS =
      Map.of(
          MessageStatus.TAKEN, "eyes",
          MessageStatus.QUEUED, "hourglass_flowing_sand",
          MessageStatus.RUNNING, "gear",
          MessageStatus.BLOCKED, "hand",
          MessageStatus.SUCCEEDED, "white_check_mark",
          MessageStatus.FAILED, "x",
          MessageStatus.CANCELLED, "no_entry_sign",
          MessageStatus.DELIVERED, "heavy_check_mark",
          MessageStatus.REFUSED, "x");

  public static final SlackBehavior DEFAULT =
      new SlackBehavior(
          DEFAULT_REACTIONS,
          Optional.of("octagonal_sign"),
          Optional.empty(),
          Audience.EVERYONE,
          Map.of(),
          Map.of(),
          WatchedChannels.NONE,
          ChannelStyles.DEFAULT);

  public SlackBehavior {
    reactions = Map.copyOf(reactions);
    channels = Map.copyOf(channels);
    context = Map.copyOf(context);
  }

  /// Reads the settings by their names.
  ///
  /// @throws IllegalArgumentException with the setting's name and what is wrong
  static SlackBehavior from(Map<String, String> settings) {
    var channels = new HashMap<String, Audience>();
    entries(settings.getOrDefault(LISTEN, ""))
        .forEach((channel, mode) -> channels.put(channel(channel), listening(mode)));
    return new SlackBehavior(
        reactions(settings.getOrDefault(REACTIONS, "").strip()),
        stop(settings.getOrDefault(STOP_REACTION, "").strip()),
        start(settings.getOrDefault(START_REACTION, "").strip()),
        Optional.ofNullable(channels.remove(DEFAULT_KEY)).orElse(Audience.EVERYONE),
        channels,
        context(settings.getOrDefault(CONTEXT, "").strip()),
        watched(settings.getOrDefault(WATCH, "").strip()),
        styles(entries(settings.getOrDefault(STYLE, ""))));
  }

  private static ChannelStyles styles(Map<String, String> entries) {
    if (entries.keySet().stream()
        .allMatch(it -> it.equals(DEFAULT_KEY) || CHANNEL.matcher(it).matches())) {
      try {
        return ChannelStyles.of(entries, DEFAULT_KEY);
      } catch (IllegalArgumentException _) {
        // The message below names the styles.
      }
    }
    throw new IllegalArgumentException(
        "%s (slack.style) is thread, channel or quiet, also by channel: thread,C0123456789=quiet."
            .formatted(STYLE));
  }

  private static WatchedChannels watched(String setting) {
    var entries = setting.equals(OFF) ? Map.<String, String>of() : entries(setting);
    var watched = WatchedChannels.of(entries);
    if (!entries.keySet().stream().allMatch(it -> CHANNEL.matcher(it).matches())
        || watched.words().values().stream().anyMatch(List::isEmpty)) {
      throw new IllegalArgumentException(
          "%s (slack.watch) lists, by channel id, the words of messages that start runs, such as C0123456789=firing|error rate, or * for all messages, or is off."
              .formatted(WATCH));
    }
    return watched;
  }

  private static Map<String, Integer> context(String setting) {
    var context = new HashMap<String, Integer>();
    if (!setting.equals(OFF)) {
      entries(setting)
          .forEach(
              (channel, number) -> {
                if (!CHANNEL.matcher(channel).matches()
                    || !number.matches("[0-9]{1,2}")
                    || Integer.parseInt(number) > MAX_CONTEXT) {
                  throw new IllegalArgumentException(
                      "%s (slack.context) lists, by channel id, a number of messages up to %d, such as C0123456789=20, or is off."
                          .formatted(CONTEXT, MAX_CONTEXT));
                }
                context.put(channel, Integer.parseInt(number));
              });
    }
    return context;
  }

  private static Map<MessageStatus, String> reactions(String setting) {
    if (setting.equals(OFF)) {
      return Map.of();
    }
    var reactions = new EnumMap<MessageStatus, String>(DEFAULT_REACTIONS);
    entries(setting)
        .forEach(
            (name, emoji) -> {
              var messageStatus = messageStatus(name);
              if (emoji.equals(OFF)) {
                reactions.remove(messageStatus);
              } else {
                reactions.put(messageStatus, emoji(REACTIONS, emoji));
              }
            });
    return reactions;
  }

  private static MessageStatus messageStatus(String name) {
    for (var messageStatus : MessageStatus.values()) {
      if (messageStatus.name().toLowerCase(Locale.ROOT).equals(name)) {
        return messageStatus;
      }
    }
    throw new IllegalArgumentException(
        "%s (slack.reactions) is off, or sets reactions for taken, queued, running, blocked, succeeded, failed, cancelled, delivered, refused; %s is none of them."
            .formatted(REACTIONS, name));
  }

  private static Optional<String> stop(String setting) {
    if (setting.isEmpty()) {
      return DEFAULT.stop();
    }
    return setting.equals(OFF) ? Optional.empty() : Optional.of(emoji(STOP_REACTION, setting));
  }

  private static Optional<String> start(String setting) {
    return setting.isEmpty() || setting.equals(OFF)
        ? Optional.empty()
        : Optional.of(emoji(START_REACTION, setting));
  }

  /// `eyes`, or `:eyes:` as people write it.
  private static String emoji(String setting, String name) {
    var bare = name.replaceAll("^:|:$", "");
    if (!EMOJI.matcher(bare).matches()) {
      throw new IllegalArgumentException(
          setting + " needs names of reactions as Slack writes them, such as eyes, or off.");
    }
    return bare;
  }

  private static String channel(String name) {
    if (!name.equals(DEFAULT_KEY) && !CHANNEL.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s (slack.listen) names channels by their ids, such as C0123456789, and default; %s is neither. The id is at the end of the channel's About page."
              .formatted(LISTEN, name));
    }
    return name;
  }

  private static Audience listening(String mode) {
    return switch (mode) {
      case "everyone" -> Audience.EVERYONE;
      case "owner" -> Audience.OWNER;
      case "mention" -> Audience.MENTION;
      default ->
          throw new IllegalArgumentException(
              "%s (slack.listen) is everyone, owner or mention, not %s.".formatted(LISTEN, mode));
    };
  }

  /// `a=b, c=d`; a value without a name is the default.
  private static Map<String, String> entries(String setting) {
    var entries = new LinkedHashMap<String, String>();
    for (var entry : setting.split(",", -1)) {
      var equals = entry.indexOf('=');
      if (!entry.isBlank()) {
        entries.put(
            equals < 0 ? DEFAULT_KEY : entry.substring(0, equals).strip(),
            entry.substring(equals + 1).strip());
      }
    }
    return entries;
  }

  public ConversationPolicy policy(SlackPlace place) {
    return new ConversationPolicy(
        place.isDirect() ? Audience.EVERYONE : channels.getOrDefault(place.channel(), listening),
        BATCH_WINDOW,
        true);
  }
}
