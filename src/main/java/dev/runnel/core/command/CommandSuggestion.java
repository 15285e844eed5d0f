package dev.runnel.core.command;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds the verb that a mistyped word was meant to be.
final class CommandSuggestion {
  /// Minimum verb length for two edits; in a shorter verb, two edits reach unrelated words.
  private static final int MIN_LENGTH_FOR_TWO_EDITS = 5;

  private CommandSuggestion() {}

  private record Near(String verb, int distance) {}

  /// @param word in lower case
  static Optional<String> nearest(String word) {
    return Stream.concat(Stream.of(Verb.values()).map(Verb::word), Stream.of("stop"))
        .map(verb -> new Near(verb, distance(word, verb)))
        .filter(
            near -> near.distance() <= (near.verb().length() < MIN_LENGTH_FOR_TWO_EDITS ? 1 : 2))
        .min(Comparator.comparingInt(Near::distance))
        .map(Near::verb);
  }

  /// The edit distance: the number of letters inserted, deleted, substituted or swapped with a
  /// neighbour.
  static int distance(String a, String b) {
    var table = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        table[i][j] = i == 0 || j == 0 ? i + j : step(table, a, b, i, j);
      }
    }
    return table[a.length()][b.length()];
  }

  private static int step(int[][] table, String a, String b, int i, int j) {
    var same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
    var least =
        Math.min(table[i - 1][j - 1] + same, Math.min(table[i - 1][j], table[i][j - 1]) + 1);
    var isSwap =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return isSwap ? Math.min(least, table[i - 2][j - 2] + 1) : least;
  }
}
