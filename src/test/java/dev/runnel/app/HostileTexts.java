package dev.runnel.app;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Texts that make a pattern slow if any can: parts that it may repeat, behind a beginning that it
/// accepts, with an end that it does not accept. They are found by trying, with the pattern itself
/// as the guide: after a part that can begin a match, it reports that it reached the end.
final class HostileTexts {
  private static final int TRIES = 400;
  private static final int MAX_BEGINNING = 40;
  private static final int MAX_UNIT = 6;
  private static final int MANY = 24;
  private static final String COMMON =
      "aA0 \n\t\r./-_:@<>[](){}`*\"'\\=&#|~!?,;+%^$\u00e9\u00a0\u200b\u6f22\u0001";
  private static final List<String> ENDS = List.of("", "\u0001", "!", "\n", " a");
  private static final List<String> UNITS =
      List.of(
          "a",
          "A",
          "0",
          "f",
          " ",
          "\n",
          "\t",
          "\r\n",
          "a.",
          "a/",
          "a-",
          "a_",
          "a ",
          "a\n",
          ".",
          "/",
          "-",
          "_",
          ":",
          "@",
          "<",
          ">",
          "[",
          "]",
          "(",
          ")",
          "{",
          "}",
          "`",
          "*",
          "\"",
          "'",
          "\\",
          "=",
          "&",
          "#",
          "|",
          "~",
          "!",
          "?",
          ",",
          ";",
          "+",
          "%",
          "](",
          "[a](",
          "<!--",
          "-->",
          "https://",
          "https://a",
          "//",
          "a@",
          "@a",
          "*a_",
          "``",
          "` ",
          "\u00e9",
          "\u00a0",
          "\u200b",
          "\ud83d\ude00");

  private final Pattern pattern;
  private final String letters;
  private final Random random;

  private HostileTexts(Pattern pattern) {
    this.pattern = pattern;
    this.letters = COMMON + pattern.pattern();
    // The same texts in each run.
    this.random = new Random(pattern.pattern().hashCode());
  }

  /// @return different texts of about this length
  static List<String> of(Pattern pattern, int number, int length) {
    return new HostileTexts(pattern)
        .shapes()
        .limit(number)
        .map(shape -> shape.text(length))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private record Shape(String beginning, String unit, String end) {
    String text(int length) {
      return beginning + unit.repeat(Math.max(1, length / unit.length())) + end;
    }
  }

  private Stream<Shape> shapes() {
    Set<Shape> found = new LinkedHashSet<>();
    Set<String> beginnings = new LinkedHashSet<>();
    for (var at = 0; at < TRIES; at++) {
      walk(found, beginnings);
    }
    var repeated = beginnings.stream().map(each -> new Shape("", each, "")).toList();
    var common = UNITS.stream().map(unit -> new Shape("", unit, "\u0001")).toList();
    var behind = new ArrayList<Shape>();
    for (var beginning : beginnings) {
      behind.add(new Shape(beginning, UNITS.get(random.nextInt(UNITS.size())), "\u0001"));
    }
    // In turns, so that all kinds are among the first.
    return inTurns(List.of(List.copyOf(found), repeated, common, behind));
  }

  private static Stream<Shape> inTurns(List<List<Shape>> kinds) {
    var result = new LinkedHashSet<Shape>();
    var longest = kinds.stream().mapToInt(List::size).max().orElse(0);
    for (var at = 0; at < longest; at++) {
      for (var kind : kinds) {
        if (at < kind.size()) {
          result.add(kind.get(at));
        }
      }
    }
    return result.stream();
  }

  /// Extends a beginning letter by letter, and looks for parts that may follow it many times.
  private void walk(Set<Shape> found, Set<String> beginnings) {
    var beginning = "";
    var steps = random.nextInt(MAX_BEGINNING);
    for (var at = 0; at <= steps; at++) {
      var next = extended(beginning);
      if (next.equals(beginning)) {
        break;
      }
      beginning = next;
    }
    if (beginning.isEmpty()) {
      return;
    }
    beginnings.add(beginning);
    var unit = beginning;
    for (var at = 1 + random.nextInt(MAX_UNIT); at > 0; at--) {
      unit = extended(unit);
    }
    unit = unit.substring(beginning.length());
    if (!unit.isEmpty() && mayBegin(beginning + unit.repeat(MANY))) {
      found.add(new Shape(beginning, unit, ENDS.get(random.nextInt(ENDS.size()))));
    }
  }

  private String extended(String text) {
    for (var tries = 0; tries < letters.length(); tries++) {
      var longer = text + letters.charAt(random.nextInt(letters.length()));
      if (mayBegin(longer)) {
        return longer;
      }
    }
    return text;
  }

  private boolean mayBegin(String text) {
    var matcher = pattern.matcher(text);
    return matcher.matches() || matcher.hitEnd() || (matcher.lookingAt() && matcher.hitEnd());
  }
}
