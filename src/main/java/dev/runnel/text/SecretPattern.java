package dev.runnel.text;

import java.util.List;
import java.util.regex.Pattern;

/// The format of one kind of token. A token ends at the first character that cannot be part of it.
///
/// Every quantifier is bounded or possessive, so that no text can make the search slow.
///
/// @param prefix the fixed prefix of these tokens
/// @param beginning matches enough of a token to recognize it, including the prefix
/// @param in the positions where it may begin
record SecretPattern(String prefix, Pattern beginning, Place in) {
  private enum Place {
    ANYWHERE,
    /// Not within a word.
    WORD,
    /// Not within a possible other token.
    TOKEN
  }

  static final List<SecretPattern> ALL =
      List.of(
          // Slack.
          of("xox", "xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10}", Place.ANYWHERE),
          of("xapp-", "xapp-[A-Za-z0-9-]{10}", Place.ANYWHERE),
          // GitHub, GitLab, Linear, Jira.
          of("gh", "gh[pousr]_(?:[0-9]{1,20}_)?[A-Za-z0-9]{20}", Place.ANYWHERE),
          // An installation's newer tokens have dots and dashes, too.
          of("ghs_", "ghs_(?=[A-Za-z_.-]{0,60}[0-9])[A-Za-z0-9_.-]{30}", Place.ANYWHERE),
          of("github_pat_", "github_pat_[A-Za-z0-9_]{20}", Place.ANYWHERE),
          of("glpat-", "glpat-[A-Za-z0-9_-]{16}", Place.ANYWHERE),
          of("lin_", "lin_(?:api|oauth|wh)_[A-Za-z0-9]{16}", Place.ANYWHERE),
          of("ATATT", "ATATT[A-Za-z0-9_-]{20}", Place.ANYWHERE),
          // Model providers: a digit distinguishes them from words with hyphens.
          of("sk-", "sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20}", Place.WORD),
          // The embedded service.
          of("rk-", "rk-[0-9a-f]{48}", Place.WORD),
          of("wk-", "wk-[0-9a-f]{48}", Place.WORD),
          // AWS.
          of("AKIA", "AKIA[A-Z0-9]{16}", Place.WORD),
          of("ASIA", "ASIA[A-Z0-9]{16}", Place.WORD),
          // JSON Web Tokens.
          of("eyJ", "eyJ[A-Za-z0-9_-]{8,}+\\.[A-Za-z0-9_-]{8}", Place.TOKEN));

  private static SecretPattern of(String prefix, String beginning, Place in) {
    return new SecretPattern(prefix, Pattern.compile("^" + beginning), in);
  }

  String redact(String text) {
    var at = text.indexOf(prefix);
    if (at < 0) {
      return text;
    }
    var matcher = beginning.matcher(text);
    var result = new StringBuilder();
    var done = 0;
    while (at >= 0) {
      var next = at + 1;
      if (mayBegin(text, at) && matcher.region(at, text.length()).lookingAt()) {
        result.append(text, done, at).append(Redactor.MASK);
        done = endOfToken(text, matcher.end());
        next = done;
      }
      at = text.indexOf(prefix, next);
    }
    return result.append(text, done, text.length()).toString();
  }

  private boolean mayBegin(String text, int at) {
    return switch (in) {
          case ANYWHERE -> true;
          case WORD -> at == 0 || !isLetterOrDigit(text.charAt(at - 1));
          case TOKEN -> !isPart(text, at - 1);
        }
        || isBehindEscape(text, at);
  }

  /// After an escape such as `\n` in JSON or `%3D` in a URL, whose letters do not belong to a word.
  private static boolean isBehindEscape(String text, int at) {
    return (at >= 2 && text.charAt(at - 2) == '\\' && "bfnrt".indexOf(text.charAt(at - 1)) >= 0)
        || (at >= 3 && text.charAt(at - 3) == '%');
  }

  private static int endOfToken(String text, int from) {
    var end = from;
    while (isPart(text, end) || (isJoint(text, end) && isPart(text, end + 1))) {
      end++;
    }
    return end;
  }

  private static boolean isJoint(String text, int at) {
    return at < text.length() && (text.charAt(at) == '.' || text.charAt(at) == '=');
  }

  private static boolean isPart(String text, int at) {
    if (at < 0 || at >= text.length()) {
      return false;
    }
    var letter = text.charAt(at);
    return isLetterOrDigit(letter) || letter == '_' || letter == '-';
  }

  private static boolean isLetterOrDigit(char letter) {
    return (letter >= '0' && letter <= '9')
        || (letter >= 'A' && letter <= 'Z')
        || (letter >= 'a' && letter <= 'z');
  }
}
