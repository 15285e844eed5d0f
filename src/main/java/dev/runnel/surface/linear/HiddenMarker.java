package dev.runnel.surface.linear;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// Encodes the marker in a form that Linear keeps. Linear converts Markdown to its own rich text,
/// which has no HTML: an HTML comment is shown or lost, but zero-width characters are kept and
/// invisible.
final class HiddenMarker {
  // Two bits each. None is a joiner, which would change adjacent letters.
  private static final String SIGNS = "\u200B\u2060\u2062\u2063";
  private static final Pattern VISIBLE =
      Pattern.compile("\\n*<!-- (?<words>runnel:[A-Za-z0-9_=.-]+) -->\\s*\\z");
  private static final Pattern HIDDEN = Pattern.compile("\\n*(?<signs>[" + SIGNS + "]{4,})");
  private static final Pattern SMALL = Pattern.compile("(?m)^<sub>(?<words>.*)</sub>$");

  private HiddenMarker() {}

  /// Converts a post to the form that Linear keeps.
  static String hide(String post) {
    var plain = SMALL.matcher(post).replaceAll("${words}");
    var marker = VISIBLE.matcher(plain);
    return marker.find()
        ? plain.substring(0, marker.start()) + signs(marker.group("words"))
        : plain;
  }

  /// The inverse of [#hide(String)] for the marker; other text is unchanged.
  static String show(String text) {
    var hidden = HIDDEN.matcher(text);
    while (hidden.find()) {
      var words = words(hidden.group("signs"));
      if (words.startsWith("runnel:")) {
        return text.substring(0, hidden.start())
            + "\n\n<!-- "
            + words
            + " -->"
            + text.substring(hidden.end());
      }
    }
    return text;
  }

  private static String signs(String words) {
    var signs = new StringBuilder();
    for (var each : words.getBytes(StandardCharsets.US_ASCII)) {
      for (var shift = 6; shift >= 0; shift -= 2) {
        signs.append(SIGNS.charAt((each >> shift) & 3));
      }
    }
    return signs.toString();
  }

  private static String words(String signs) {
    var words = new StringBuilder();
    for (var at = 0; at + 4 <= signs.length(); at += 4) {
      var letter = 0;
      for (var sign : signs.substring(at, at + 4).toCharArray()) {
        letter = letter << 2 | SIGNS.indexOf(sign);
      }
      words.append((char) letter);
    }
    return words.toString();
  }
}
