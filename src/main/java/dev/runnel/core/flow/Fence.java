package dev.runnel.core.flow;

import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/// Sets pieces of others' words apart. Its word is drawn anew for each prompt, so that nobody knows
/// it beforehand; a piece in which it stands all the same loses it, and cannot end before its end.
final class Fence {
  private final String word;
  private final Pattern inside;

  Fence(RandomGenerator chance) {
    this.word = HexFormat.of().toHexDigits(chance.nextLong());
    this.inside = Pattern.compile(word, Pattern.CASE_INSENSITIVE | Pattern.LITERAL);
  }

  String begin() {
    return "BEGIN " + word;
  }

  String end() {
    return "END " + word;
  }

  /// The piece between its lines.
  String around(String piece) {
    return begin() + "\n" + inside.matcher(piece).replaceAll("…") + "\n" + end() + "\n";
  }
}
