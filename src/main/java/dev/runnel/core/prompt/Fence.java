package dev.runnel.core.prompt;

import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/// Delimits text of third parties with a word that its authors cannot know. The word is removed
/// from the text itself, so that the text cannot close its fence. Invisible characters are removed,
/// too.
public final class Fence {
  private final String word;
  private final Pattern inside;

  /// @param word derived from a secret where the same text must always get the same fence
  public Fence(String word) {
    this.word = word;
    this.inside = Pattern.compile(word, Pattern.CASE_INSENSITIVE | Pattern.LITERAL);
  }

  /// A fence with a random word, for one prompt.
  static Fence random(RandomGenerator chance) {
    return new Fence(HexFormat.of().toHexDigits(chance.nextLong()));
  }

  /// The line before a piece.
  public String begin() {
    return "BEGIN " + word;
  }

  /// The line after a piece.
  public String end() {
    return "END " + word;
  }

  /// The piece between its delimiter lines.
  public String wrap(String piece) {
    return begin() + "\n" + safe(piece) + "\n" + end() + "\n";
  }

  /// The delimiter before an inline piece.
  public String open() {
    return "<" + word + ">";
  }

  /// The delimiter after an inline piece.
  public String close() {
    return "</" + word + ">";
  }

  /// The piece as part of a sentence; a piece of several lines gets lines of its own.
  public String within(String piece) {
    var text = safe(piece);
    return open() + (text.contains("\n") ? "\n" + text + "\n" : text) + close();
  }

  private String safe(String piece) {
    return inside.matcher(InvisibleCharacters.text(piece)).replaceAll("…");
  }

  /// Omits the word, which is secret.
  @Override
  public String toString() {
    return "Fence";
  }
}
