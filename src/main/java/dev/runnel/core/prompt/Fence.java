package dev.runnel.core.prompt;

import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/// Sets pieces of others' words apart, as people see them, by a word that nobody who wrote them can
/// know. A piece in which the word stands all the same loses it, and cannot end before its end.
public final class Fence {
  private final String word;
  private final Pattern inside;

  /// @param word made with a secret, where the same words must always stand in the same fence
  public Fence(String word) {
    this.word = word;
    this.inside = Pattern.compile(word, Pattern.CASE_INSENSITIVE | Pattern.LITERAL);
  }

  /// For one prompt.
  static Fence drawn(RandomGenerator chance) {
    return new Fence(HexFormat.of().toHexDigits(chance.nextLong()));
  }

  /// The line before a piece.
  public String begin() {
    return "BEGIN " + word;
  }

  /// The line behind a piece.
  public String end() {
    return "END " + word;
  }

  /// The piece between its lines.
  public String around(String piece) {
    return begin() + "\n" + shown(piece) + "\n" + end() + "\n";
  }

  /// Before a piece in the middle of a sentence.
  public String open() {
    return "<" + word + ">";
  }

  /// Behind a piece in the middle of a sentence.
  public String close() {
    return "</" + word + ">";
  }

  /// The piece in the middle of a sentence; several lines stand on lines of their own.
  public String within(String piece) {
    var shown = shown(piece);
    return open() + (shown.contains("\n") ? "\n" + shown + "\n" : shown) + close();
  }

  private String shown(String piece) {
    return inside.matcher(InvisibleCharacters.text(piece)).replaceAll("…");
  }

  /// Never the word.
  @Override
  public String toString() {
    return "Fence";
  }
}
