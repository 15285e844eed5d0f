package dev.runnel.surface.linear;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// Encodes the marker in a form that Linear keeps. Linear converts Markdown to its own rich text,
/// which has no HTML: an HTML comment is shown or lost, but zero-width characters are kept and
/// invisible.
final class HiddenMarker {
  // Two bits each. None is a joiner, which would change adjacent letters.
  private static final String ALPHABET = "\u200B\u2060\u2062\u2063";
  private static final Pattern VISIBLE =
      Pattern.compile("(?<!\\n)\\n*+<!-- (?<text>runnel:[A-Za-z0-9_=.-]++) -->\\s*\\z");
  private static final Pattern HIDDEN =
      Pattern.compile("(?<!\\n)\\n*+(?<encoded>[" + ALPHABET + "]{4,}+)");
  private static final Pattern SMALL = Pattern.compile("(?m)^<sub>(?<text>.*)</sub>$");

  private HiddenMarker() {}

  /// Converts a post to the form that Linear keeps.
  static String hide(String post) {
    var plain = SMALL.matcher(post).replaceAll("${text}");
    var marker = VISIBLE.matcher(plain);
    return marker.find()
        ? plain.substring(0, marker.start()) + encode(marker.group("text"))
        : plain;
  }

  /// The inverse of [#hide(String)] for the marker; other text is unchanged.
  static String show(String text) {
    var hidden = HIDDEN.matcher(text);
    while (hidden.find()) {
      var marker = decode(hidden.group("encoded"));
      if (marker.startsWith("runnel:")) {
        return text.substring(0, hidden.start())
            + "\n\n<!-- "
            + marker
            + " -->"
            + text.substring(hidden.end());
      }
    }
    return text;
  }

  private static String encode(String text) {
    var encoded = new StringBuilder();
    for (var each : text.getBytes(StandardCharsets.US_ASCII)) {
      for (var shift = 6; shift >= 0; shift -= 2) {
        encoded.append(ALPHABET.charAt((each >> shift) & 3));
      }
    }
    return encoded.toString();
  }

  private static String decode(String encoded) {
    var marker = new StringBuilder();
    for (var at = 0; at + 4 <= encoded.length(); at += 4) {
      var letter = 0;
      for (var digit : encoded.substring(at, at + 4).toCharArray()) {
        letter = letter << 2 | ALPHABET.indexOf(digit);
      }
      marker.append((char) letter);
    }
    return marker.toString();
  }
}
