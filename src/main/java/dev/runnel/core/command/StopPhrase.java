package dev.runnel.core.command;

import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Recognizes a stop however people say it: `stop`, `please stop it now!`, `stpo`, `stop, bitte`.
/// The vocabulary is closed: one other word makes the text work for the agent, because a stop by
/// mistake discards what the agent has done. Pure.
final class StopPhrase {
  private static final List<String> STOPS = List.of("stop", "cancel", "abort", "halt", "kill");

  /// Words before a stop that carry no meaning of their own.
  private static final Set<String> BEFORE =
      vocabulary(
          "please pls plz hey hi ok okay oh no wait now just can could would you u agent bot all"
              + " right alright sorry thanks thank",
          "bitte hallo nein jetzt sofort mal kannst du",
          "s'il vous te plait svp stp maintenant",
          "por favor porfa porfavor ahora",
          "per favore piacere prego adesso ora subito");

  /// Words after a stop that carry no meaning of their own.
  private static final Set<String> AFTER =
      vocabulary(
          "it this that the run everything away at once immediately asap here there for ty thx"
              + " already quickly",
          "das es den lauf alles gleich danke doch schnell",
          "ca cela ceci tout merci la le",
          "todo eso esto gracias ya mismo inmediatamente el lo",
          "tutto questo quello grazie il");

  /// After a stop these take it back: `stop? no`.
  private static final Set<String> TAKING_BACK = Set.of("no", "nein");

  /// Words that resemble a stop word and are none.
  private static final Set<String> OTHER_WORDS = Set.of("cancer", "cancels", "stoop");

  private static final Pattern EMOJI_BY_NAME =
      Pattern.compile(":[a-z0-9_+'-]+:", Pattern.CASE_INSENSITIVE);
  private static final Pattern MARKS = Pattern.compile("\\p{M}+");
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}']+");
  private static final Pattern AROUND_QUOTED = Pattern.compile("^'+|'+$");

  private StopPhrase() {}

  private static Set<String> vocabulary(String... languages) {
    return Set.copyOf(List.of(String.join(" ", languages).split(" ")));
  }

  /// Whether the whole text is a stop: a stop word, perhaps mistyped, with polite words around it.
  static boolean isStop(String text) {
    return isStop(words(text));
  }

  /// The same for the [#words] of a text.
  static boolean isStop(List<String> words) {
    var rest = rest(words);
    return !rest.isEmpty()
        && isStopWord(rest.getFirst())
        && rest.stream().noneMatch(TAKING_BACK::contains)
        && rest.stream()
            .allMatch(word -> isStopWord(word) || BEFORE.contains(word) || AFTER.contains(word));
  }

  /// Whether the text begins with a stop word, after polite words; it may go on with anything.
  static boolean begins(String text) {
    var rest = rest(words(text));
    return !rest.isEmpty() && STOPS.contains(rest.getFirst());
  }

  /// Whether a text that begins with this word may be a stop.
  ///
  /// @param word in lower case
  static boolean mayBegin(String word) {
    return BEFORE.contains(word) || isStopWord(word);
  }

  /// Whether it is a stop word, or one that was mistyped: with two letters swapped or a letter
  /// doubled; in the longest word a letter may be missing.
  ///
  /// @param word in lower case
  static boolean isStopWord(String word) {
    return STOPS.contains(word)
        || (!OTHER_WORDS.contains(word) && STOPS.stream().anyMatch(stop -> isSlip(word, stop)));
  }

  private static boolean isSlip(String word, String stop) {
    var isSwap =
        word.length() == stop.length()
            && CommandSuggestion.distance(word, stop) == 1
            && letters(word).equals(letters(stop));
    var isDoubled = word.length() > stop.length() && single(word).equals(single(stop));
    var isShort =
        stop.equals("cancel")
            && word.length() == stop.length() - 1
            && CommandSuggestion.distance(word, stop) == 1;
    return isSwap || isDoubled || isShort;
  }

  private static String single(String word) {
    var single = new StringBuilder(word.length());
    for (int i = 0; i < word.length(); i++) {
      if (i == 0 || word.charAt(i) != word.charAt(i - 1)) {
        single.append(word.charAt(i));
      }
    }
    return single.toString();
  }

  private static List<Integer> letters(String word) {
    return word.chars().sorted().boxed().toList();
  }

  /// The words from the first that is not merely polite.
  private static List<String> rest(List<String> words) {
    return words.stream().dropWhile(BEFORE::contains).toList();
  }

  /// The words in lower case, without punctuation, emoji and accents. Every message is read here,
  /// so patterns that cannot match are not tried.
  static List<String> words(String text) {
    var plain = withoutAccents(text.replace('\u2019', '\'')).toLowerCase(Locale.ROOT);
    var spoken = plain.indexOf(':') < 0 ? plain : EMOJI_BY_NAME.matcher(plain).replaceAll(" ");
    return BETWEEN_WORDS
        .splitAsStream(spoken)
        .map(word -> word.indexOf('\'') < 0 ? word : AROUND_QUOTED.matcher(word).replaceAll(""))
        .filter(word -> !word.isEmpty())
        .toList();
  }

  private static String withoutAccents(String text) {
    return text.chars().allMatch(each -> each < 128)
        ? text
        : MARKS.matcher(Normalizer.normalize(text, Normalizer.Form.NFD)).replaceAll("");
  }
}
