package dev.runnel.console.transcript;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A part of a text for a page: plain text, code or a link. The templates escape each part, so
/// nothing here is HTML.
///
/// Public because the templates are in another package.
public sealed interface TextSpan {
  String text();

  record Plain(String text) implements TextSpan {}

  record Code(String text) implements TextSpan {}

  /// @param text the URL, `http` or `https`
  record Link(String text) implements TextSpan {}

  Pattern LINK = Pattern.compile("https?://[^\\s<>\"'`\\\\]*[^\\s<>\"'`\\\\.,;:!?)\\]}*_]");
  Pattern LINK_OR_CODE = Pattern.compile(LINK.pattern() + "|`(?<code>[^`\\n]+)`");
  Pattern TERMINAL_SEQUENCE =
      Pattern.compile(
          "\\u001B(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001B]*(?:\\u0007|\\u001B\\\\)?)");

  /// Splits a text at links and `code`.
  static List<TextSpan> of(String text) {
    return marks(text, LINK_OR_CODE);
  }

  /// Splits program output at links, and removes terminal control sequences.
  static List<TextSpan> output(String text) {
    return marks(TERMINAL_SEQUENCE.matcher(text).replaceAll(""), LINK);
  }

  private static List<TextSpan> marks(String text, Pattern pattern) {
    var marks = new ArrayList<TextSpan>();
    var at = 0;
    var matcher = pattern.matcher(text);
    while (matcher.find()) {
      if (matcher.start() > at) {
        marks.add(new Plain(text.substring(at, matcher.start())));
      }
      var found = matcher.group();
      marks.add(
          found.startsWith("`")
              ? new Code(found.substring(1, found.length() - 1))
              : new Link(found));
      at = matcher.end();
    }
    if (at < text.length()) {
      marks.add(new Plain(text.substring(at)));
    }
    return marks;
  }
}
