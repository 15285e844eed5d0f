package dev.runnel.runs;

import java.util.Optional;
import java.util.regex.Pattern;

/// Recognizes error texts for developers, which must not be shown to people: names of exceptions,
/// stack traces, headers, addresses of internal networks.
final class InternalTextFilter {
  private static final Pattern INTERNAL =
      Pattern.compile(
          // com.acme.BadThing, TypeError: …, at com.acme.Thing.run(Thing.java:7)
          "\\b(?:[a-z][\\w$]*\\.){2,}[A-Z]\\w*"
              + "|\\b[A-Z]\\w*(?:Exception|Error|Throwable)\\b"
              + "|\\bTraceback \\("
              // Authorization: Bearer …, X-Api-Key: …
              + "|\\b(?i:authorization|cookie|set-cookie|x-[a-z-]+|content-type)\\s*:"
              + "|\\b(?i:bearer)\\s+\\S{8,}"
              // URLs with localhost or an IP address
              + "|https?://(?:localhost|[0-9.]+|\\[[0-9a-fA-F:]+])(?:[:/]|\\b)");

  private InternalTextFilter() {}

  static boolean isForPeople(String text) {
    return !INTERNAL.matcher(text).find();
  }

  /// The text on one line if it is for people; empty otherwise.
  static Optional<String> oneLine(String text) {
    return Optional.of(text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip())
        .filter(it -> !it.isEmpty())
        .filter(InternalTextFilter::isForPeople);
  }
}
