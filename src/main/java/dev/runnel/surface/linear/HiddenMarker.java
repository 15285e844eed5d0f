package dev.runnel.surface.linear;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// Our marker in a form that Linear keeps. It turns Markdown into its own rich text, which knows no
/// HTML: a comment in HTML is shown or lost, but characters without a width stay and are not seen.
final class HiddenMarker {
  // Two bits each. None is a joiner, which would change the letters beside it.
  private static final String SIGNS = "\u200B\u2060\u2062\u2063";
  private static final Pattern VISIBLE =
      Pattern.compile("\\n*<!-- (?<words>runnel:[A-Za-z0-9_=.-]+) -->\\s*\\z");
  private static final Pattern HIDDEN = Pattern.compile("\\n*(?<signs>[" + SIGNS + "]{4,})");
  private static final Pattern SMALL = Pattern.compile("(?m)^<sub>(?<words>.*)</sub>$");

  private HiddenMarker() {}

  /// A post as Linear keeps it.
  static String hide(String post) {
    var plain = SMALL.matcher(post).replaceAll("${words}");
    var marker = VISIBLE.matcher(plain);
    return marker.find()
        ? plain.substring(0, marker.start()) + signs(marker.group("words"))
        : plain;
  }

  /// The inverse of [#hide(String)], as far as the marker goes; any other text stays as it is.
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
