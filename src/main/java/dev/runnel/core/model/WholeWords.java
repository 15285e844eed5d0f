package dev.runnel.core.model;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds words and phrases in text. Pure.
public final class WholeWords {
  private WholeWords() {}

  /// Whether the text contains the phrase as whole words, in whatever case and with whatever space
  /// between them.
  public static boolean contains(String text, String phrase) {
    var words =
        Stream.of(phrase.strip().split("\\s+"))
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s+"));
    return Pattern.compile(
            "(?<![\\p{L}\\p{N}_])" + words + "(?![\\p{L}\\p{N}_])",
            Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
        .matcher(text)
        .find();
  }
}
