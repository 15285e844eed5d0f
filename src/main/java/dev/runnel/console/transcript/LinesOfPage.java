package dev.runnel.console.transcript;

import dev.runnel.console.transcript.Transcripts.Line;
import dev.runnel.core.model.run.RunId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// The lines of a transcript that are rendered at once, long ones shortened. They are as many as
/// fit into a page of half a million characters, whatever is in them. Not thread-safe.
final class LinesOfPage {
  private static final int MAX_LINE = 5_000;
  private static final int MAX_CHARACTERS = 500_000;

  /// What a page has for each line besides its text.
  private static final int LINE = 200;

  /// What a page has for each link besides its address.
  private static final int LINK = 100;

  /// The longest character reference: `&quot;`.
  private static final int REFERENCE = 6;

  private final Deque<Line> lines = new ArrayDeque<>();
  private final int most;
  private int characters;

  /// @param most maximum number of lines
  LinesOfPage(int most) {
    this.most = most;
  }

  /// The first lines after a given one.
  ///
  /// @return empty if the run's transcript is not available here
  static Optional<List<Line>> first(Transcripts transcripts, RunId run, long after, int most) {
    var page = new LinesOfPage(most);
    var part = transcripts.after(run, after);
    if (part.isEmpty()) {
      return Optional.empty();
    }
    while (part.isPresent() && !part.get().lines().isEmpty()) {
      for (var line : part.get().lines()) {
        if (!page.addIfItFits(line)) {
          return Optional.of(page.lines());
        }
      }
      part = transcripts.after(run, part.get().lines().getLast().number());
    }
    return Optional.of(page.lines());
  }

  /// The last lines of those after a given one and before another.
  ///
  /// @return empty if the run's transcript is not available here
  static Optional<List<Line>> last(
      Transcripts transcripts, RunId run, long after, long before, int most) {
    var page = new LinesOfPage(most);
    var part = transcripts.after(run, after);
    if (part.isEmpty()) {
      return Optional.empty();
    }
    while (part.isPresent() && !part.get().lines().isEmpty()) {
      for (var line : part.get().lines()) {
        if (line.number() >= before) {
          return Optional.of(page.lines());
        }
        page.addAndDropTheFirst(line);
      }
      part = transcripts.after(run, part.get().lines().getLast().number());
    }
    return Optional.of(page.lines());
  }

  boolean addIfItFits(Line line) {
    var added = line.inShort(MAX_LINE);
    var size = sizeOnPage(added.text());
    if (lines.size() == most || characters + size > MAX_CHARACTERS) {
      return false;
    }
    lines.addLast(added);
    characters += size;
    return true;
  }

  private void addAndDropTheFirst(Line line) {
    var added = line.inShort(MAX_LINE);
    lines.addLast(added);
    characters += sizeOnPage(added.text());
    while (lines.size() > most || characters > MAX_CHARACTERS) {
      characters -= sizeOnPage(lines.removeFirst().text());
    }
  }

  List<Line> lines() {
    return List.copyOf(lines);
  }

  /// At most how many characters the text takes on a page. A link is there twice.
  private static int sizeOnPage(String text) {
    int size = LINE;
    boolean isInLink = false;
    for (int i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (c == 'h' && (text.startsWith("http://", i) || text.startsWith("https://", i))) {
        size += LINK;
        isInLink = true;
      } else if (c <= ' ') {
        isInLink = false;
      }
      var isReference = c == '<' || c == '>' || c == '&' || c == '"' || c == '\'';
      size += (isReference ? REFERENCE : 1) * (isInLink ? 2 : 1);
    }
    return size;
  }
}
