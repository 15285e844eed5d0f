package dev.runnel.runs;

import java.util.Optional;
import java.util.regex.Pattern;

/// Recognizes error texts for developers, which must not be shown to people: names of exceptions,
/// stack traces, headers, addresses of internal networks.
final class InternalTextFilter {
  /// com.acme.BadThing, TypeError: …, at com.acme.Thing.run(Thing.java:7)
  private static final String CODE =
      "(?<![\\w$])(?<![\\w$]\\.)(?:[A-Z]\\w*+\\.)?(?:[a-z][\\w$]*+\\.){2,}+[A-Z]\\w*"
          + "|\\b[A-Z]\\w*(?:Exception|Error|Throwable)\\b"
          + "|\\bTraceback \\(";

  private static final Pattern NETWORK =
      Pattern.compile(
          // Authorization: Bearer …, X-Api-Key: …
          "\\b(?i:authorization|cookie|set-cookie|(?<!-)x-[a-z-]++|content-type)\\s*:"
              + "|\\b(?i:bearer)\\s+\\S{8,}"
              // URLs with localhost or an IP address
              + "|https?://(?:localhost|[0-9.]+|\\[[0-9a-fA-F:]+])(?:[:/]|\\b)");

  private static final Pattern INTERNAL = Pattern.compile(CODE + "|" + NETWORK);

  private InternalTextFilter() {}

  static boolean isForPeople(String text) {
    return !INTERNAL.matcher(text).find();
  }

  /// Whether the text contains headers or internal addresses. The output of a command may contain
  /// names of exceptions.
  static boolean revealsNetwork(String text) {
    return NETWORK.matcher(text).find();
  }

  /// The text on one line if it is for people; empty otherwise.
  static Optional<String> oneLine(String text) {
    return Optional.of(text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip())
        .filter(it -> !it.isEmpty())
        .filter(InternalTextFilter::isForPeople);
  }
}
