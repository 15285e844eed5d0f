package dev.runnel.text;

import java.util.Optional;
import java.util.regex.Pattern;

/// Removes PEM private keys from a text, line by line: the whole block, even if it is truncated,
/// has line numbers or indentation, or is on one line of JSON. Not thread-safe.
final class PrivateKey {
  private static final String MARK = "PRIVATE KEY";
  private static final String END = "-----END ";
  private static final String DASHES = "-----";
  private static final Pattern BEGIN =
      Pattern.compile("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----");
  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/=\\\\]*+");

  /// A line of a block: base64, optionally after a line number or sign.
  private static final Pattern BODY =
      Pattern.compile(
          "[^A-Za-z0-9+/=]{0,20}(?:[0-9]{1,6}[^A-Za-z0-9+/=]{1,8})?"
              + "[A-Za-z0-9+/=]*+[^A-Za-z0-9+/=]{0,8}");

  private static final Pattern HEADER =
      Pattern.compile("^[^A-Za-z]{0,30}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): .*");

  /// Maximum length of a key; later lines are text, whatever they look like.
  private static final int MAX_LINES = 500;

  private int lines = -1;

  static boolean mayBeIn(String text) {
    return text.contains(MARK);
  }

  /// Whether a private key begins in the text.
  static boolean isIn(String text) {
    return mayBeIn(text) && BEGIN.matcher(text).find();
  }

  /// Whether it is the first or last line of a block, which is not secret.
  static boolean isBorder(String line) {
    return line.startsWith("-----BEGIN ") || line.startsWith(END);
  }

  /// Processes the next line. The first line of a key becomes the mask, its other lines are
  /// dropped.
  Optional<String> next(String line) {
    if (lines < 0) {
      return Optional.of(open(line));
    }
    var end = line.indexOf(END);
    if (end >= 0) {
      lines = -1;
      return Optional.of(line.substring(afterEnd(line, end)))
          .filter(rest -> !rest.isBlank())
          .map(this::open);
    }
    if (++lines <= MAX_LINES && isOfKey(line)) {
      return Optional.empty();
    }
    lines = -1;
    return Optional.of(open(line));
  }

  private static boolean isOfKey(String line) {
    return BODY.matcher(line).matches() || HEADER.matcher(line).matches();
  }

  private String open(String line) {
    if (!mayBeIn(line)) {
      return line;
    }
    var result = new StringBuilder();
    var begin = BEGIN.matcher(line);
    var lastEnd = line.lastIndexOf(END);
    var from = 0;
    var isCut = false;
    while (begin.find(from)) {
      result.append(line, from, begin.start()).append(Redactor.MASK);
      isCut = begin.end() > lastEnd;
      from =
          isCut ? endOfBase64(line, begin.end()) : afterEnd(line, line.indexOf(END, begin.end()));
    }
    if (isCut && line.substring(from).isBlank()) {
      lines = 0;
    }
    return result.append(line, from, line.length()).toString();
  }

  private static int endOfBase64(String line, int from) {
    var rest = BASE64.matcher(line).region(from, line.length());
    return rest.lookingAt() ? rest.end() : from;
  }

  private static int afterEnd(String line, int end) {
    var dashes = line.indexOf(DASHES, end + END.length());
    return dashes < 0 ? line.length() : dashes + DASHES.length();
  }
}
