package dev.runnel.surface.slack.model;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Converts Slack's markup to the text that the user typed: decodes entities, and shows links and
/// channels by name.
public final class SlackText {
  private static final Pattern MARK =
      Pattern.compile("<(?<inner>[^<>\\s|][^<>|]*)(?:\\|(?<label>[^<>]*))?>|&(?:amp|lt|gt);");
  private static final Pattern OTHERS =
      Pattern.compile(
          "<(?:@[^<>\\s|]+|!(?:here|channel|everyone|subteam\\^[^<>\\s|]+))(?:\\|[^<>]*)?>");
  private static final Pattern ADDRESS = Pattern.compile("^[a-zA-Z][a-zA-Z0-9+.-]*:.*");
  private static final List<String> ADDED_SCHEMES =
      List.of("http://", "https://", "mailto:", "tel:");

  private SlackText() {}

  /// User mentions stay as `<@U1>` unless Slack includes the name.
  public static String plain(String text) {
    return plain(text, _ -> Optional.empty());
  }

  static String plain(String text, Function<String, Optional<String>> nameOf) {
    return plain(text, nameOf, _ -> Optional.empty());
  }

  /// @param nameOf a user's name by id, if known
  /// @param channelOf a channel's name by id, if known
  public static String plain(
      String text,
      Function<String, Optional<String>> nameOf,
      Function<String, Optional<String>> channelOf) {
    if (text.indexOf('<') < 0 && text.indexOf('&') < 0) {
      return text;
    }
    // One pass: text from a decoded entity is never read as markup.
    return MARK.matcher(text)
        .replaceAll(match -> Matcher.quoteReplacement(replacement(match, nameOf, channelOf)));
  }

  private static String replacement(
      MatchResult match,
      Function<String, Optional<String>> nameOf,
      Function<String, Optional<String>> channelOf) {
    var whole = match.group();
    var inner = match.group("inner");
    if (inner == null) {
      return decode(whole);
    }
    var label = Optional.ofNullable(match.group("label")).map(SlackText::decode);
    return switch (inner.charAt(0)) {
      case '@' ->
          label.or(() -> nameOf.apply(inner.substring(1))).map(it -> "@" + it).orElse(whole);
      // Newer clients send an empty label.
      case '#' ->
          "#"
              + label
                  .filter(it -> !it.isBlank())
                  .or(() -> channelOf.apply(inner.substring(1)))
                  .orElse(inner.substring(1));
      case '!' -> label.orElseGet(() -> "@" + inner.substring(1));
      default -> ADDRESS.matcher(inner).matches() ? link(decode(inner), label) : decode(whole);
    };
  }

  private static String link(String address, Optional<String> label) {
    return label
        .filter(it -> !it.isBlank())
        // Slack turns example.com and Main.java into links; the label is what the user typed.
        .map(
            it ->
                address.equals(it)
                        || ADDED_SCHEMES.stream().anyMatch(each -> address.equals(each + it))
                    ? it
                    : it + " (" + address + ")")
        .orElse(address);
  }

  private static String decode(String text) {
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
  }

  public static boolean mentions(String text, Collection<String> users) {
    return users.stream().anyMatch(user -> mention(user).matcher(text).find());
  }

  /// Whether the text mentions anybody else, a user or a group: `<@U1>`, `<!here>`,
  /// `<!subteam^S1>`.
  public static boolean mentionsOthers(String text, Collection<String> users) {
    return OTHERS.matcher(withoutMentions(text, users)).find();
  }

  /// Removes the mentions of these users only.
  public static String withoutMentions(String text, Collection<String> users) {
    var rest = text;
    for (var user : users) {
      rest = mention(user).matcher(rest).replaceAll("");
    }
    return rest;
  }

  private static Pattern mention(String user) {
    return Pattern.compile("<@" + Pattern.quote(user) + "(?:\\|[^<>]*)?>[:,]?[ \\t\\u00a0]*");
  }
}
