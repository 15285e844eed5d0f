package dev.runnel.surface.tracker;

import dev.runnel.core.prompt.InvisibleCharacters;
import dev.runnel.surface.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds the request to Runnel in a comment: a line that begins with `@agent` or `/agent`, and
/// everything after it. Code, quotes and hidden text are ignored.
public final class Mention {
  private final String word;
  private final Pattern address;

  public Mention(String word) {
    this.word = word;
    this.address =
        Pattern.compile(
            "^ {0,3}[@/]"
                + Pattern.quote(word)
                + "(?=[,:;.!?]*(?:[\\s\\u00A0]|$))[,:;.!?]*\\u00A0*(?<words>.*)$",
            Pattern.CASE_INSENSITIVE);
  }

  /// Whether the comment may contain a request. A quick look, before anything is parsed: most
  /// comments are for others, and anybody may write them.
  private boolean mayBeIn(String comment) {
    var text = InvisibleCharacters.text(comment);
    for (var at = 0; at < text.length(); at++) {
      var sign = text.charAt(at);
      if ((sign == '@' || sign == '/')
          && text.regionMatches(true, at + 1, word, 0, word.length())) {
        return true;
      }
    }
    return false;
  }

  /// @return the text after the mention, to the end of the comment
  public Optional<String> in(String comment) {
    if (!mayBeIn(comment)) {
      return Optional.empty();
    }
    var lines = Markdown.visibleLines(comment);
    for (var at = 0; at < lines.size(); at++) {
      var line = lines.get(at);
      var matcher = address.matcher(line.text());
      if (line.kind() == Markdown.Kind.WORDS && matcher.matches()) {
        List<Markdown.Line> words = new ArrayList<>();
        words.add(new Markdown.Line(Markdown.Kind.WORDS, matcher.group("words")));
        words.addAll(lines.subList(at + 1, lines.size()));
        return Optional.of(Markdown.text(words));
      }
    }
    return Optional.empty();
  }
}
