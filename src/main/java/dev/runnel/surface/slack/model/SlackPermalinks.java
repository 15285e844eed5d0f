package dev.runnel.surface.slack.model;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Builds permalinks to messages without calling Slack, and reads them:
/// `https://acme.slack.com/archives/C1/p1700000000000100`. Pure.
///
/// @param identity the bot's identity by workspace, once known; must return at once
public record SlackPermalinks(Function<String, Optional<SlackIdentity>> identity) {
  private static final Pattern MESSAGE =
      Pattern.compile(
          "/archives/(?<channel>[A-Z0-9]{2,20})/p(?<seconds>\\d{10})(?<fraction>\\d{6})/?");
  private static final Pattern THREAD =
      Pattern.compile("(?:^|&)thread_ts=(?<ts>\\d{10}\\.\\d{6})(?:&|$)");

  /// A permalink in a text, where a full stop may follow it.
  private static final Pattern IN_TEXT =
      Pattern.compile(
          "https?://[\\w.-]{1,253}(?::\\d{1,5})?/archives/[A-Z0-9]{2,20}/p\\d{16}"
              + "(?:\\?(?:[\\w=&-]|\\.(?=\\w)){1,200})?");

  private static final String SLACK = ".slack.com";

  /// The message that a permalink shows.
  ///
  /// @param thread the timestamp of the first message of its thread
  public record Target(String channel, String ts, String thread) {}

  /// Empty if it is not a permalink to a message.
  public static Optional<Target> target(URI link) {
    var path = MESSAGE.matcher(Optional.ofNullable(link.getPath()).orElse(""));
    if (!path.matches()) {
      return Optional.empty();
    }
    var ts = path.group("seconds") + "." + path.group("fraction");
    var thread = THREAD.matcher(Optional.ofNullable(link.getQuery()).orElse(""));
    return Optional.of(
        new Target(path.group("channel"), ts, thread.find() ? thread.group("ts") : ts));
  }

  /// The permalinks in a text, in order.
  public static List<URI> in(String text, Optional<SlackIdentity> identity) {
    return IN_TEXT
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .map(URI::create)
        .filter(link -> isSlack(link, identity))
        .toList();
  }

  /// Whether the URL is one of Slack, of this workspace or of another.
  public static boolean isSlack(URI link, Optional<SlackIdentity> identity) {
    return host(link).endsWith(SLACK) || isOf(link, identity);
  }

  /// Whether the URL is one of this workspace.
  public static boolean isOf(URI link, Optional<SlackIdentity> identity) {
    return identity
        .flatMap(SlackIdentity::workspace)
        .filter(workspace -> !host(link).isEmpty() && host(link).equals(host(workspace)))
        .isPresent();
  }

  private static String host(URI link) {
    return Optional.ofNullable(link.getHost()).orElse("").toLowerCase(Locale.ROOT);
  }

  /// @param ts of a message in the place's thread, or of its first message
  public Optional<URI> of(SlackPlace place, String ts) {
    return identity
        .apply(place.team())
        .flatMap(SlackIdentity::workspace)
        .map(
            workspace -> {
              var message = "archives/%s/p%s".formatted(place.channel(), ts.replace(".", ""));
              return workspace.resolve(
                  place.thread().equals(ts)
                      ? message
                      : message
                          + "?thread_ts=%s&cid=%s".formatted(place.thread(), place.channel()));
            });
  }

  /// The permalink to the first message of a thread.
  public Optional<URI> of(SlackPlace thread) {
    return thread.isThread() ? of(thread, thread.thread()) : Optional.empty();
  }
}
