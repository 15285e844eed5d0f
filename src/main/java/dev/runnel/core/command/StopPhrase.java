package dev.runnel.core.command;

import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Recognizes a stop in its many wordings: `stop`, `please stop it now!`, `stpo`, `stop, bitte`.
/// The vocabulary is closed: any other word makes the text a message for the agent, because an
/// accidental stop discards the agent's work. Pure.
final class StopPhrase {
  private static final List<String> STOPS = List.of("stop", "cancel", "abort", "halt", "kill");

  /// Stop words of other languages. Spanish `para` also means `for`, so it is none.
  private static final Set<String> FOREIGN_STOPS =
      vocabulary(
          "stoppen abbrechen anhalten",
          "arrete arretez annule annulez",
          "detente parar cancela cancelar",
          "fermati annulla",
          "pare cancele",
          "annuleren annuleer");

  /// Filler words before a stop.
  private static final Set<String> FILLERS_BEFORE =
      vocabulary(
          "please pls plz plase pleas plese hey hi ok okay oh no wait now just can could would you"
              + " u let's lets agent bot all right alright sorry thanks thank actually enough"
              + " nevermind",
          "bitte hallo nein jetzt sofort mal kannst konntest konnten du sie das den lauf",
          "s'il vous te plait svp stp maintenant bonjour peux peut pouvez pourriez tu d'accord"
              + " merci",
          "por favor porfa porfavor ahora hola puedes podrias",
          "per favore piacere prego adesso ora subito puoi",
          "faz favor agora ola oi voce pode poderia",
          "alsjeblieft alstublieft aub nu graag hoi wacht nee kun kan wil je");

  /// Filler words after a stop.
  private static final Set<String> FILLERS_AFTER =
      vocabulary(
          "it this that the run everything away at once immediately asap here there for ty thx"
              + " already quickly my task working",
          "es alles gleich danke doch schnell vielen besten dank",
          "ca cela ceci tout la le de suite immediatement",
          "todo eso esto gracias muchas ya mismo inmediatamente el lo",
          "tutto questo quello grazie il",
          "tudo isso isto obrigado obrigada ja imediatamente",
          "alles dit dat het die ermee maar meteen onmiddellijk dank dankjewel bedankt");

  /// Words that revoke a stop before them: `stop? no`.
  private static final Set<String> REVOCATIONS = Set.of("no", "nein", "nee");

  /// Words that resemble a stop word but are none.
  private static final Set<String> OTHER_WORDS = Set.of("cancer", "cancels", "stoop");

  /// Phrases without a meaning of their own whose words have one.
  private static final Pattern PHRASES =
      Pattern.compile("\\b(?:never mind|can we|what you(?:'re| are) doing)\\b");

  private static final String STOP_SIGN = "\ud83d\uded1";
  private static final String STOP_SIGN_BY_NAME = ":octagonal_sign:";
  private static final Pattern EMOJI_BY_NAME =
      Pattern.compile(":[a-z0-9_+'-]+:", Pattern.CASE_INSENSITIVE);
  private static final Pattern MARKS = Pattern.compile("\\p{M}+");
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}']+");
  private static final Pattern AROUND_QUOTED = Pattern.compile("^'+|(?<!')'+$");

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
        && stops(rest.getFirst())
        && rest.stream().noneMatch(REVOCATIONS::contains)
        && rest.stream()
            .allMatch(
                word ->
                    stops(word) || FILLERS_BEFORE.contains(word) || FILLERS_AFTER.contains(word));
  }

  private static boolean stops(String word) {
    return isStopWord(word) || FOREIGN_STOPS.contains(word);
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
    return FILLERS_BEFORE.contains(word) || stops(word) || word.equals("never");
  }

  /// Whether it is a stop word, or a mistyped one: with two letters swapped or a letter doubled; in
  /// the longest word a letter may be missing.
  ///
  /// @param word in lower case
  static boolean isStopWord(String word) {
    return STOPS.contains(word)
        || (!OTHER_WORDS.contains(word) && STOPS.stream().anyMatch(stop -> isTypo(word, stop)));
  }

  private static boolean isTypo(String word, String stop) {
    var isSwap =
        word.length() == stop.length()
            && CommandSuggestion.distance(word, stop) == 1
            && letters(word).equals(letters(stop));
    var isDoubled = word.length() > stop.length() && single(word).equals(single(stop));
    var isAbbreviated =
        stop.equals("cancel")
            && word.length() == stop.length() - 1
            && CommandSuggestion.distance(word, stop) == 1;
    return isSwap || isDoubled || isAbbreviated;
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

  /// The words from the first that is not a filler.
  private static List<String> rest(List<String> words) {
    return words.stream().dropWhile(FILLERS_BEFORE::contains).toList();
  }

  /// The words in lower case, without punctuation, emoji and accents; a stop sign is a word, too.
  /// Called for every message, so patterns that cannot match are not tried.
  static List<String> words(String text) {
    var plain =
        withoutAccents(text.replace('\u2019', '\''))
            .toLowerCase(Locale.ROOT)
            .replace(STOP_SIGN, " stop ");
    var spoken = plain.indexOf(':') < 0 ? plain : withoutEmoji(plain);
    return BETWEEN_WORDS
        .splitAsStream(PHRASES.matcher(spoken).replaceAll(" "))
        .map(word -> word.indexOf('\'') < 0 ? word : AROUND_QUOTED.matcher(word).replaceAll(""))
        .filter(word -> !word.isEmpty())
        .toList();
  }

  private static String withoutEmoji(String text) {
    return EMOJI_BY_NAME.matcher(text.replace(STOP_SIGN_BY_NAME, " stop ")).replaceAll(" ");
  }

  private static String withoutAccents(String text) {
    return text.chars().allMatch(each -> each < 128)
        ? text
        : MARKS.matcher(Normalizer.normalize(text, Normalizer.Form.NFD)).replaceAll("");
  }
}
